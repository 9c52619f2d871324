import type { AgentSession } from "@ikigai/agent";
import type { Question } from "../terminal/ask-about.ts";
import type { Host } from "@ikigai/host";
import type { Settings } from "../settings.ts";
import type { ChatCommands } from "./chat-commands.ts";
import type { ChatStore, OpenAgent } from "@ikigai/host/agent";
import type { ChatScreen } from "@ikigai/terminal/screen";
import type { Style } from "@ikigai/terminal";

/** What a slash command works with. */
export interface ChatContext {
  readonly host: Host;
  readonly settings: Settings;
  readonly agent: OpenAgent;
  readonly store: ChatStore;
  readonly commands: ChatCommands;
  readonly style: Style;
  readonly colours: boolean;
  /** How wide the screen is. */
  readonly columns: number;
  /** Aborts when the person stops it. */
  readonly signal: AbortSignal;
  /** Ids of the calls that were made by typing a command, the newest last; whoever makes one adds it. */
  readonly typedCalls: string[];
  /** The folder that this conversation belongs to. */
  readonly workspace: string;
  /** The id of the conversation that is open. Contract: opens the store. */
  conversation(): Promise<string>;
  session(): Promise<AgentSession>;
  /** Goes on in another conversation. */
  switchTo(conversation: string): void;
  /** Text that is safe and may be styled. */
  print(text: string): void;
  /** Text from anywhere; it is escaped. */
  say(text: string): void;
  ask(question: string): Promise<string>;
  /** Yes or no by one key. Contract: anything but a clear yes is no. */
  confirm(question: Question, asked: string): Promise<boolean>;
  /** As on the screen. */
  readonly lend?: NonNullable<ChatScreen["lend"]>;
  leave(): void;
}
