import { IkigaiError } from "@ikigai/core";
import type { ApprovalMode } from "@ikigai/core/host";
import type { HostOptions } from "./host.ts";

/** Says what a value must be. Absent: it is that. */
type Check = (value: unknown) => string | undefined;

const MODES: readonly string[] = Object.keys({
  ask: true,
  edits: true,
  all: true,
  none: true,
} satisfies Record<ApprovalMode, true>);

const text: Check = (value) => (typeof value === "string" ? undefined : "a text");
const flag: Check = (value) => (typeof value === "boolean" ? undefined : "true or false");
const callback: Check = (value) => (typeof value === "function" ? undefined : "a function");
const record: Check = (value) => (isObject(value) ? undefined : "an object");
const size: Check = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? undefined : "a whole number from 0";
const mode: Check = (value) =>
  typeof value === "function" || MODES.includes(value as string)
    ? undefined
    : `${MODES.join(", ")}, or a function that gives one of them`;
/** What has the shape of none is left out when parts are opened, and told by its name. */
const parts: Check = (value) =>
  Array.isArray(value) && value.every((one: unknown) => isObject(Array.isArray(one) ? one[0] : one))
    ? undefined
    : "a list of parts, each alone or as [part, options]";

const CHECKS: Readonly<Record<keyof HostOptions, Check>> = {
  root: text,
  store: text,
  agent: text,
  mode,
  configDirectory: text,
  budget: size,
  approve: callback,
  createApprover: callback,
  reconcile: callback,
  warn: callback,
  note: callback,
  notifyOfWait: callback,
  beforeImport: callback,
  showProgress: callback,
  assist: record,
  mountHost: flag,
  whyNoWorkspace: text,
  passesForms: flag,
  trustFolder: callback,
  parts,
  openWithinMs: size,
  background: flag,
};

/**
 * Checks the options of a host before anything is opened.
 *
 * Contract: `invalid_input` names the option and what it must be, and repeats no value of it, since an address may hold
 * a password. `undefined` counts as absent.
 */
export function checkOptions(options: unknown): asserts options is HostOptions {
  if (!isObject(options)) throw new IkigaiError("invalid_input", `openHost takes an object, not ${kindOf(options)}`);
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(CHECKS, name)) {
      throw new IkigaiError("invalid_input", `openHost has no option ${JSON.stringify(name.slice(0, 80))}`, {
        hint: `Its options are: ${Object.keys(CHECKS).join(", ")}.`,
      });
    }
    const wanted = value === undefined ? undefined : CHECKS[name as keyof HostOptions](value);
    if (wanted !== undefined)
      throw new IkigaiError("invalid_input", `The option "${name}" of openHost is ${kindOf(value)}`, {
        hint: `It must be ${wanted}.`,
      });
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return "another text";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
