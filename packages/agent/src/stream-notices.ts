import type { SourceManager, StreamNotice } from "@ikigai/core/host";

/** Gathers what streams say between turns. */
export interface StreamNotices extends Disposable {
  /** One compact message of what came since the last time, or `undefined`. */
  take(): string | undefined;
  readonly waiting: number;
}

export interface StreamNoticeOptions {
  /** Streams whose events start a turn by themselves. */
  readonly wake?: readonly string[];
  readonly onWake?: () => void;
  /** Whether an event need not be told, such as one of the agent's own doing. Called when the events are taken. */
  readonly ignores?: (notice: StreamNotice) => boolean;
  /** Called with the events that were taken, ignored ones included: they will not come again. */
  readonly onTaken?: (notices: readonly StreamNotice[]) => void;
  /** Events shown one by one; the rest is counted. Default 20. */
  readonly show?: number;
}

const SHOW = 20;
const LONGEST = 300;

export function gatherNotices(
  sources: SourceManager,
  { wake = [], onWake, ignores = () => false, onTaken, show = SHOW }: StreamNoticeOptions = {},
): StreamNotices {
  let gathered: StreamNotice[] = [];
  const listening = sources.onEvent((notice) => {
    gathered.push(notice);
    if (wake.includes(notice.mount)) onWake?.();
  });
  return {
    take() {
      const taken = gathered.filter((notice) => !ignores(notice));
      onTaken?.(gathered);
      gathered = [];
      return taken.length === 0 ? undefined : describe(taken, show);
    },
    get waiting() {
      return gathered.length;
    },
    [Symbol.dispose]: () => listening[Symbol.dispose](),
  };
}

/** Contract: the same event said again is said once; one line each, so that no event can pass for another message. */
function describe(notices: readonly StreamNotice[], show: number): string {
  const lines = [
    ...new Set(notices.map(({ mount, event }) => `- ${mount}: ${oneLine(event.text)}${addressOf(event.data)}`)),
  ];
  const rest = lines.length - show;
  return [
    "Since your last turn, outside this conversation:",
    ...lines.slice(-show),
    ...(rest > 0 ? [`and ${rest} earlier events, which the source tool can show.`] : []),
  ].join("\n");
}

/** Address in an event's data, when there is one. */
function addressOf(data: unknown): string {
  const uri = typeof data === "object" && data !== null && "uri" in data ? data.uri : undefined;
  return typeof uri === "string" ? ` (${oneLine(uri)})` : "";
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
