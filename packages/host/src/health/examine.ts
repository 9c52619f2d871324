import { access, constants, mkdir } from "node:fs/promises";
import { askPlainly } from "@ikigai/agent";
import { IkigaiError, messageOf } from "@ikigai/core";
import { openAgent, type OpenAgentOptions } from "../agent/open-agent.ts";
import { openChatStore } from "../agent/open-chat-store.ts";
import type { Host, HostOptions } from "../host.ts";
import { describeServer, type ServerStatus } from "../mcp/describe-server.ts";
import { openHost } from "../open-host.ts";
import { describePart } from "../parts/describe-part.ts";
import { installCommand, loadPart, missingFor } from "../parts/features.ts";
import { FEATURES, type FeatureName } from "../parts/own-packages.ts";
import { resolvePlace, type Place } from "../place/place.ts";
import { waitingFiles } from "../store/waiting-files.ts";

/** One thing that was looked at. */
export interface Finding {
  readonly what: string;
  readonly state: "ok" | "warn" | "fail";
  readonly finding: string;
  /** What to do about it. */
  readonly advice?: string;
}

const LEAST_NODE: readonly [number, number] = [20, 19];
const ONLINE_MS = 30_000;

export interface ExamineOptions extends Pick<OpenAgentOptions["place"], "model" | "baseUrl"> {
  /** Whether the model, and an embedder elsewhere, are asked. Default false. */
  readonly online?: boolean;
}

/**
 * Looks at everything that a workspace needs to work: node, store, configuration, sources, servers, model and features.
 *
 * Contract: never rejects for what it looks at; a check that cannot be made is a finding too. Sends nothing off this
 * machine unless `online`. Texts of sources are as they came, so that whoever shows them makes them safe.
 */
export async function examine(
  options: HostOptions,
  { online = false, ...model }: ExamineOptions = {},
): Promise<Finding[]> {
  const place = { ...resolvePlace(options), ...model };
  const findings = [examineNode(process.versions.node), await store(place), ...(await refusedRows(place))];
  const features = (Object.keys(FEATURES) as FeatureName[]).map(feature);
  return [...findings, ...(await opened(options, place, online)), ...features];
}

/** What is found by opening the workspace. */
async function opened(options: HostOptions, place: OpenAgentOptions["place"], online: boolean): Promise<Finding[]> {
  const said: string[] = [];
  try {
    await using host = await openHost({ ...options, warn: (line) => void said.push(line) });
    await host.servers.start();
    return [
      configuration(said),
      ...sources(host),
      ...parts(host),
      ...host.servers.status().map(server),
      await model(host, place, online),
      ...(await embedder(host, online)),
    ];
  } catch (error) {
    return [failure("configuration", error)];
  }
}

export function examineNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [leastMajor, leastMinor] = LEAST_NODE;
  const recent = major > leastMajor || (major === leastMajor && minor >= leastMinor);
  return recent
    ? { what: "node", state: "ok", finding: version }
    : { what: "node", state: "fail", finding: version, advice: `Install Node ${LEAST_NODE.join(".")} or later.` };
}

async function store({ stateDirectory }: Place): Promise<Finding> {
  try {
    await mkdir(stateDirectory, { recursive: true, mode: 0o700 });
    await access(stateDirectory, constants.R_OK | constants.W_OK);
    return { what: "store", state: "ok", finding: stateDirectory };
  } catch (error) {
    const advice = "Choose another folder with --store DIR, or make it writable.";
    return { what: "store", state: "fail", finding: `${stateDirectory}: ${messageOf(error)}`, advice };
  }
}

/** Contract: empty when the store took everything in; opens no store. */
async function refusedRows(place: Place): Promise<Finding[]> {
  if (missingFor("store").length > 0) return [];
  const { readAllRefused } = await loadPart("@ikigai/store-postgres", "store");
  const found = await readAllRefused(waitingFiles(place));
  return found.map((one) => {
    const finding = `${one.rows} rows were refused by the store and set aside in ${one.file}: ${one.reason}`;
    return { what: "store", state: "warn", finding, advice: "Look at them, then remove the file." } as const;
  });
}

/** Contract: what is not installed is no fault; the advice says how to add it. */
export function feature(name: FeatureName): Finding {
  const missing = missingFor(name);
  const what = `feature ${name}`;
  if (missing.length === 0) return { what, state: "ok", finding: "installed" };
  const finding = `${FEATURES[name].does} is not installed`;
  return { what, state: "ok", finding, advice: `Add it with: ${installCommand(missing)}` };
}

/** What was complained of while the host was opened; sources that were left out are findings of their own. */
function configuration(said: readonly string[]): Finding {
  const complaints = said.filter((line) => !/was left out|^MCP server /.test(line));
  if (complaints.length === 0) return { what: "configuration", state: "ok", finding: "in force" };
  return { what: "configuration", state: "warn", finding: complaints.join("; ") };
}

function sources({ failures, sources: mounted }: Host): Finding[] {
  return [
    ...mounted
      .status()
      .map(({ mount, name, state, error }): Finding =>
        error === undefined
          ? { what: `source ${mount}:///`, state: "ok", finding: `${name}, ${state}` }
          : { what: `source ${mount}:///`, state: "fail", finding: error, advice: "Unmount it, or mend what it says." },
      ),
    ...failures.map(({ mount, error }): Finding => ({
      what: `source ${mount}:///`,
      state: "fail",
      finding: error,
      advice: "Correct it in the configuration.",
    })),
  ];
}

/** The parts that the configuration or the application added. */
function parts(host: Host): Finding[] {
  return host
    .parts()
    .filter(({ use }) => use !== undefined)
    .map((status): Finding => {
      const what = `part ${status.part}`;
      const finding = describePart(status);
      if (status.state === "open") return { what, state: "ok", finding };
      return { what, state: "fail", finding, advice: "Correct it in the configuration, or remove it there." };
    });
}

function server(status: ServerStatus): Finding {
  const what = `MCP server ${status.name}`;
  const finding = `${status.state}, ${describeServer(status)}`;
  if (status.error !== undefined || status.state !== "ready") {
    return { what, state: "fail", finding, advice: "Correct it in the configuration, or mend what it says." };
  }
  if (status.withheld.length === 0) return { what, state: "ok", finding };
  return { what, state: "warn", finding };
}

async function model(host: Host, place: OpenAgentOptions["place"], online: boolean): Promise<Finding> {
  try {
    using agent = await openAgent({ host, place, store: openChatStore(host), warn: () => {} });
    if (agent.choice === undefined) {
      const advice = "Set one with --model provider/model, IKIGAI_MODEL or the field model; ikigai demo needs none.";
      return { what: "model", state: "warn", finding: "none is set, so there is no chatting", advice };
    }
    const opened = await agent.model();
    const { model: name, baseUrl } = agent.choice;
    const finding = `${name}${baseUrl === undefined ? "" : ` at ${baseUrl}`}`;
    if (!online) return { what: "model", state: "ok", finding: `${finding} (not asked; --online asks it)` };
    const signal = AbortSignal.timeout(ONLINE_MS);
    const answer = await askPlainly("Answer with one word.", "Are you there?", {
      model: opened,
      signal,
      retry: { attempts: 1 },
    });
    return { what: "model", state: "ok", finding: `${finding} answers ${JSON.stringify(answer.slice(0, 40))}` };
  } catch (error) {
    return failure("model", error);
  }
}

/** Contract: empty without an embedder. One on this machine is asked; one elsewhere only with `online`. */
async function embedder({ config: { recall }, services }: Host, online: boolean): Promise<Finding[]> {
  const chosen = recall?.embedder;
  if (chosen === undefined || services.embedder === undefined) return [];
  try {
    const { id, dimensions, embed } = services.embedder;
    const away = chosen.use === "endpoint" && !isLocal(chosen.base_url);
    if (away && !online) return [{ what: "embedder", state: "ok", finding: `${id} (not asked; --online asks it)` }];
    const [vector] = await embed(["Are you there?"], AbortSignal.timeout(ONLINE_MS));
    if (vector?.length === dimensions) return [{ what: "embedder", state: "ok", finding: `${id} answers` }];
    const finding = `${id} gave a vector of ${vector?.length ?? 0} numbers, ${dimensions} were announced`;
    return [{ what: "embedder", state: "fail", finding, advice: "Correct dimensions in the configuration." }];
  } catch (error) {
    return [failure("embedder", error)];
  }
}

function isLocal(url: string): boolean {
  return ["localhost", "127.0.0.1", "[::1]"].includes(new URL(url).hostname);
}

function failure(what: string, error: unknown): Finding {
  const hint = IkigaiError.is(error) ? error.hint : undefined;
  return { what, state: "fail", finding: messageOf(error), ...(hint !== undefined && { advice: hint }) };
}
