import { IkigaiError, messageOf } from "../errors.ts";
import type { MemoryPermission } from "../policy/permission.ts";
import { describeIssues } from "../tool/schema.ts";
import type { HostServices } from "../services.ts";
import {
  type AnySourceDefinition,
  type TextCapability,
  type TextFeatures,
  type TextReader,
  type DataStream,
  SOURCE_CONTRACT,
  type SourceHost,
  type StreamEvent,
} from "./source.ts";
import type { MountRequest } from "./source-manager.ts";
import { openStreamPlace, type StreamCursors, type StreamPlace } from "./stream-place.ts";
import { startStreamPump, type StreamPump } from "./stream-pump.ts";
import type { ToolRegistry } from "../tool/tool-registry.ts";

/** A source that is open, with everything that mounting it started. */
export interface MountedSource {
  readonly definition: AnySourceDefinition;
  readonly ceiling: MemoryPermission;
  /** Present for a source of text. */
  readonly block?: TextReader & Partial<TextFeatures>;
  /** Present for a stream. */
  readonly pump?: StreamPump;
  /** Present for a stream: where the next host goes on. */
  readonly place?: StreamPlace;
  readonly tools: readonly string[];
  readonly guidance: string | undefined;
  /** Contract: resolves also when the source does not stop or close by itself, and then warns. */
  close(): Promise<void>;
}

interface OpenContext {
  readonly registry: ToolRegistry | undefined;
  readonly services: HostServices;
  readonly keepEvents: number;
  readonly cursors: StreamCursors | undefined;
  readonly isOwn: (absolute: string) => boolean;
  readonly decorate: (source: TextReader & Partial<TextFeatures>) => TextReader & Partial<TextFeatures>;
  readonly warn: (message: string) => void;
  readonly onEvent: (event: StreamEvent) => void;
}

const FEATURES: readonly TextCapability[] = ["write", "remove", "watch", "history"];
const CLOSE_WITHIN_MS = 5_000;

/** Opens a source step by step; each failure names the step, and leaves nothing open. */
export async function openSource(request: MountRequest, context: OpenContext): Promise<MountedSource> {
  const { mount, source: definition } = request;
  assertContract(definition);
  const options = await checkOptions(definition, request.options ?? {});
  const stopping = new AbortController();
  const { services, warn, isOwn } = context;
  const host: SourceHost = { mount, signal: stopping.signal, services, warn, isOwn };
  let opened: (TextReader & Partial<TextFeatures> & DataStream) | undefined;
  const close = (): Promise<void> => endWithin(CLOSE_WITHIN_MS, async () => opened?.close?.(), context.warn);
  try {
    opened = (await definition.open(options, host)) as TextReader & Partial<TextFeatures> & DataStream;
    if (definition.kind === "block") assertCapabilities(definition, opened);
    const block = definition.kind === "block" ? context.decorate(opened) : undefined;
    const tools = definition.tools?.((block ?? opened) as never, host) ?? [];
    const guidance = typeof definition.guidance === "function" ? definition.guidance(mount) : definition.guidance;
    const place =
      definition.kind === "stream"
        ? await openStreamPlace(mount, canReplay(definition) ? context.cursors : undefined, context.warn)
        : undefined;
    const registration = context.registry?.register(tools);
    const pump = place && pumpOf(definition, opened, place, context);
    return {
      definition,
      ceiling: request.permission ?? "admin",
      guidance,
      ...(block !== undefined && { block }),
      ...(pump !== undefined && { pump }),
      ...(place !== undefined && { place }),
      tools: registration === undefined ? [] : tools.map(({ name }) => name),
      async close() {
        registration?.[Symbol.dispose]();
        stopping.abort();
        await endWithin(CLOSE_WITHIN_MS, async () => pump?.stop(), context.warn);
        await place?.saved();
        await close();
      },
    };
  } catch (error) {
    stopping.abort();
    await close();
    throw error;
  }
}

function canReplay({ capabilities }: AnySourceDefinition): boolean {
  return (capabilities as readonly string[]).includes("replay");
}

function pumpOf(
  definition: AnySourceDefinition,
  stream: DataStream,
  { taken }: StreamPlace,
  context: OpenContext,
): StreamPump {
  return startStreamPump(stream, {
    replay: canReplay(definition),
    after: taken,
    onUnknownCursor: (error) => context.warn(`the stream begins anew, its last place is unknown: ${messageOf(error)}`),
    keep: context.keepEvents,
    onEvent: context.onEvent,
    onFailure: (error) => context.warn(`the stream failed: ${messageOf(error)}`),
  });
}

function assertContract({ name, contract, kind }: AnySourceDefinition): void {
  if (contract === SOURCE_CONTRACT && (kind === "block" || kind === "stream")) return;
  throw new IkigaiError(
    "unsupported",
    `Source "${name}" speaks contract ${String(contract)}, this host ${SOURCE_CONTRACT}`,
    {
      hint: "Install versions of the source and of @ikigai/core that belong together.",
    },
  );
}

/** Contract: `invalid_input` whose `details.options` says what is wrong with them, without the name of the source. */
async function checkOptions({ name, options: schema }: AnySourceDefinition, options: unknown): Promise<unknown> {
  let wrong: string;
  try {
    const checked = await schema["~standard"].validate(options);
    if (checked.issues === undefined) return checked.value;
    wrong = describeIssues(checked.issues);
  } catch (cause) {
    wrong = `its schema fails: ${messageOf(cause)}`;
  }
  throw new IkigaiError("invalid_input", `Options of source "${name}": ${wrong}`, { details: { options: wrong } });
}

/** Throws unless the opened source has exactly the methods of the capabilities that its definition claims. */
function assertCapabilities(definition: AnySourceDefinition, opened: Partial<TextFeatures>): void {
  const claimed = definition.capabilities as readonly string[];
  const wrong = FEATURES.find((feature) => claimed.includes(feature) !== (typeof opened[feature] === "function"));
  if (wrong === undefined) return;
  const fault = claimed.includes(wrong) ? "claims it and does not have it" : "has it and does not claim it";
  throw new IkigaiError("unsupported", `Source "${definition.name}": capability "${wrong}": it ${fault}`);
}

async function endWithin(ms: number, end: () => Promise<void>, warn: (message: string) => void): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      warn(`did not close within ${ms} ms and was left behind`);
      resolve();
    }, ms);
  });
  const ended = end().catch((error: unknown) => warn(`did not close cleanly: ${messageOf(error)}`));
  await Promise.race([ended, late]).finally(() => clearTimeout(timer));
}
