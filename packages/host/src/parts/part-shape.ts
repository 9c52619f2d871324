import { IkigaiError, messageOf } from "@ikigai/core";
import { type AnyPart, type OpenedPart, PART_CONTRACT, type PolicyLayer } from "@ikigai/core/host";

/** What a part may be called: it names a section of the configuration. */
export const PART_NAME: RegExp = /^[a-z][a-z0-9-]*$/;

type Loose = Readonly<Record<string, unknown>>;

/** The keys of what `open` gives. Checked against the type, so that none is forgotten. */
const OPENED_KEYS: Readonly<Record<keyof OpenedPart, true>> = {
  services: true,
  tools: true,
  commands: true,
  mounts: true,
  layers: true,
  guidance: true,
  follow: true,
  close: true,
};

/** The name of a part for messages, also of a value that is none. */
export function partNameOf(part: unknown): string {
  const name = isObject(part) ? part["name"] : undefined;
  return typeof name === "string" && name !== "" ? name : "without a name";
}

/**
 * Checks what a host is handed as a part, before anything of it is used.
 *
 * Contract: `unsupported` for another version of the contract, `invalid_input` for everything else; the message names the
 * part and what is wrong with it.
 */
export function assertPartShape(part: unknown): asserts part is AnyPart {
  const name = partNameOf(part);
  if (!isObject(part) || part["kind"] !== "part" || part["contract"] === undefined) {
    throw new IkigaiError("invalid_input", `Part "${name}" was not made with definePart`, {
      hint: "Hand over what definePart({ name, options, open }) gives.",
    });
  }
  if (part["contract"] !== PART_CONTRACT) {
    throw new IkigaiError(
      "unsupported",
      `Part "${name}" speaks contract ${JSON.stringify(part["contract"])}, this host ${PART_CONTRACT}`,
      { hint: "Install versions of the part and of @ikigai/core that belong together." },
    );
  }
  if (!PART_NAME.test(name)) {
    throw new IkigaiError("invalid_input", `${JSON.stringify(part["name"])} is not the name of a part`, {
      hint: "Use lower-case letters, digits and hyphens, a letter first: it names a section of the configuration.",
    });
  }
  const schema = isObject(part["options"]) ? part["options"]["~standard"] : undefined;
  if (!isObject(schema) || typeof schema["validate"] !== "function")
    throw wrong(name, "has no schema of its options", "Give options: z.strictObject({}) when it takes none.");
  if (typeof part["open"] !== "function")
    throw wrong(name, "has no open", "Give open: async (options, host) => ({ … }).");
  const { needs } = part;
  if (needs !== undefined && !(Array.isArray(needs) && needs.every((one) => typeof one === "string")))
    throw wrong(name, "has needs that are no list of names", 'Name services, as in needs: ["blocks"].');
}

/**
 * Checks what a part gave when it was opened, before anything of it is registered.
 *
 * Contract: `invalid_input` names the part, and which of its tools, commands, mounts or layers is wrong and how.
 */
export function assertOpenedShape(part: string, opened: unknown): asserts opened is OpenedPart {
  if (!isObject(opened))
    throw wrong(part, `gives ${describe(opened)} when it is opened`, "Return an object, {} when it brings nothing.");
  const unknown = Object.keys(opened).filter((key) => !Object.hasOwn(OPENED_KEYS, key));
  if (unknown[0] !== undefined) {
    throw wrong(
      part,
      `gives ${unknown.map((key) => JSON.stringify(key)).join(" and ")}, which no host knows`,
      `A part may give ${Object.keys(OPENED_KEYS).join(", ")}.`,
    );
  }
  for (const key of ["guidance", "follow", "close"] as const)
    if (opened[key] !== undefined && typeof opened[key] !== "function")
      throw wrong(part, `gives a ${key} that is no function`, `Make ${key} a function, or leave it out.`);
  if (opened["services"] !== undefined && !isObject(opened["services"]))
    throw wrong(part, "gives services that are no object", "Give them by name, as in services: { clock }.");
  assertEach(part, "tool", opened["tools"], whyNoTool);
  assertEach(part, "command", opened["commands"], whyNoCommand);
  assertEach(part, "mount", opened["mounts"], whyNoMount, "mount");
  assertEach(part, "layer", opened["layers"], whyNoLayer);
}

function assertEach(
  part: string,
  kind: "tool" | "command" | "mount" | "layer",
  list: unknown,
  why: (one: Loose) => string | undefined,
  key: "name" | "mount" = "name",
): void {
  if (list === undefined) return;
  if (!Array.isArray(list)) throw wrong(part, `gives ${kind}s that are no list`, `Give ${kind}s: [ … ].`);
  const names = new Set<string>();
  for (const [at, one] of list.entries()) {
    const name = isObject(one) ? one[key] : undefined;
    if (!isObject(one) || typeof name !== "string" || name === "")
      throw wrong(part, `brings a ${kind} without a name, at place ${at + 1} of its ${kind}s`, `Give it a ${key}.`);
    const problem = why(one);
    if (problem !== undefined) throw wrong(part, `brings the ${kind} "${name}", which has ${problem}`, REMEDIES[kind]);
    if (names.has(name) && kind !== "layer")
      throw wrong(part, `brings the ${kind} "${name}" twice`, "Leave one of the two out, or give it another name.");
    names.add(name);
  }
}

const REMEDIES = {
  tool: "Make it with defineTool({ name, description, input, effects, run }).",
  command: "Give it name, usage, description, examples and plan.",
  mount: "Give what defineDataBlock or defineDataStream returns as its source.",
  layer: "Give it name and judge.",
} as const;

function whyNoTool(tool: Loose): string | undefined {
  if (typeof tool["description"] !== "string") return "no description";
  if (!isObject(tool["input"]) || !isObject(tool["input"]["~standard"])) return "no schema as its input";
  return firstMissing(tool, ["effects", "run"]);
}

function whyNoCommand(command: Loose): string | undefined {
  for (const key of ["usage", "description"]) if (typeof command[key] !== "string") return `no ${key}`;
  const { examples } = command;
  if (!Array.isArray(examples) || !examples.every((one) => typeof one === "string")) return "no list of examples";
  return firstMissing(command, ["plan"]);
}

function whyNoMount({ source }: Loose): string | undefined {
  if (!isObject(source)) return "no source";
  return firstMissing(source, ["open"]) && "a source that cannot be opened";
}

function whyNoLayer(layer: Loose): string | undefined {
  return firstMissing(layer, ["judge"]);
}

function firstMissing(given: Loose, methods: readonly string[]): string | undefined {
  const missing = methods.find((key) => typeof given[key] !== "function");
  return missing && `no ${missing}`;
}

/**
 * A layer of a part whose faults say whose they are.
 *
 * Contract: one that throws still denies; `warn` hears of the first time.
 */
export function namedLayer(part: string, layer: PolicyLayer, warn: (message: string) => void): PolicyLayer {
  let isTold = false;
  const told = async <T>(judge: () => T): Promise<Awaited<T>> => {
    try {
      return await judge();
    } catch (cause) {
      const message = `layer "${layer.name}" of part "${part}" failed: ${messageOf(cause)}`;
      if (!isTold) warn(`${message}; what it cannot judge is denied`);
      isTold = true;
      throw new Error(message, { cause });
    }
  };
  return {
    name: layer.name,
    judge: (effect, facts) => told(() => layer.judge(effect, facts)),
    ...(layer.judgeCall !== undefined && { judgeCall: (facts) => told(() => layer.judgeCall?.(facts)) }),
  };
}

function wrong(part: string, what: string, hint: string): IkigaiError {
  return new IkigaiError("invalid_input", `Part "${part}" ${what}`, { hint });
}

function describe(value: unknown): string {
  return value === undefined ? "nothing" : value === null ? "null" : `a ${typeof value}`;
}

function isObject(value: unknown): value is Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
