import type { Settings } from "../settings.ts";
import { createStyle, escapeText, wrapProse } from "@ikigai/terminal";
import type { Resume } from "../command-line.ts";
import type { Conversation } from "./conversation.ts";
import {
  type ChatScreen,
  openPlainScreen,
  openRichScreen,
  type ScreenEvents,
  type Submission,
  typedText,
} from "@ikigai/terminal/screen";
import { type HistoryFile, openHistoryFile } from "./history-file.ts";

const LEAVE_WITHIN_MS = 3_000;
const MISUSE = 2;

/** How a conversation begins. */
export interface ChatStart {
  readonly resume?: Resume;
  /** The first message, when it is given already. */
  readonly task?: string;
}

/**
 * A conversation at the terminal, from the first prompt until the person leaves.
 *
 * Contract: the prompt is there before anything heavy is loaded; what is typed meanwhile is kept. Resolves to the exit code.
 */
export async function startChat(settings: Settings, { resume, task }: ChatStart = {}): Promise<number> {
  let leave = (): void => {};
  const left = new Promise<"left">((resolve) => (leave = () => resolve("left")));
  let woken = (): void => {};
  const nextWake = (): Promise<"woken"> => new Promise((resolve) => (woken = () => resolve("woken")));
  let conversation: Conversation | undefined;
  let leavesUntil = 0;

  const events: ScreenEvents = {
    onInterrupt() {
      if (performance.now() < leavesUntil) return leave();
      leavesUntil = performance.now() + LEAVE_WITHIN_MS;
      const stopped = conversation?.interrupt() === true;
      screen.print(style.dim(stopped ? "Stopping. Ctrl-C again leaves." : "Ctrl-C again leaves."));
    },
    onEscape() {
      if (conversation?.interrupt() === true) screen.print(style.dim("Stopping."));
    },
    onUnfold: () => conversation?.onUnfold(),
    findNames: async (asset, query) => conversation?.findNames(asset, query) ?? [],
    commands: (prefix) => conversation?.commands(prefix) ?? [],
  };
  const history = openHistoryFile(settings);
  using screen = openScreen(events, history);
  const style = createStyle(screen.colours);
  screen.print(style.dim(escapeText(`ikigai in ${settings.root} · /help`)));

  const opening = import("./conversation.ts").then(({ openConversation }) =>
    openConversation({
      settings,
      screen,
      style,
      onLeave: () => leave(),
      onWake: () => woken(),
      ...(resume !== undefined && { resume }),
    }),
  );
  try {
    // A failure to open is told at once, not when something is sent.
    const opened = opening.then((one) => (conversation = one));
    const failed = opened.then(() => left);
    if (task !== undefined) screen.print(`${style.bold("> ")}${escapeText(task)}`);
    let typed = task === undefined ? screen.next() : Promise.resolve<Submission | undefined>(typedText(task));
    let wake = nextWake();
    for (;;) {
      const what = await Promise.race([typed.then((sent) => ({ sent })), wake, left, failed]);
      if (what === "left") break;
      const ready = await Promise.race([opened, left]);
      if (ready === "left") break;
      if (what === "woken") {
        wake = nextWake();
        await Promise.race([ready.wake(), left]);
        continue;
      }
      const { sent } = what;
      if (sent === undefined) break;
      if (sent.text.trim() !== "") await Promise.race([ready.take(sent.text, sent.pasted), left]);
      typed = screen.next();
    }
    const how = await conversation?.howToGoOn().catch(() => undefined);
    if (how !== undefined) screen.print(style.dim(wrapProse(escapeText(how), screen.columns)));
    return 0;
  } catch (error) {
    const { message, hint } = error as { message: string; hint?: string };
    const said = escapeText(hint === undefined ? message : `${message}. ${hint}`);
    screen.print(style.red(wrapProse(said, screen.columns)));
    return MISUSE;
  } finally {
    await opening.then((one) => one[Symbol.asyncDispose]()).catch(() => {});
    await history.settled();
  }
}

function openScreen(events: ScreenEvents, history: HistoryFile): ChatScreen {
  const { stdin: input, stdout: output, env } = process;
  if (env["TERM"] === "dumb") return openPlainScreen(input, output, events);
  return openRichScreen({ input, output, colours: !env["NO_COLOR"], events, history, edit: editMessage });
}

/** Contract: loads nothing before it is wanted. */
async function editMessage(text: string): Promise<string> {
  if (!process.env["VISUAL"] && !process.env["EDITOR"])
    throw Object.assign(new Error("No editor is set"), { hint: "Set VISUAL or EDITOR." });
  const { editText } = await import("../terminal/edit-text.ts");
  const edited = await editText("message.md", text);
  await edited.discard();
  return edited.text;
}
