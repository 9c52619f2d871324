import { homedir } from "node:os";
import type { ConversationStore } from "@ikigai/agent";
import type { ConversationInfo } from "@ikigai/core/host";
import { IkigaiError } from "@ikigai/core";

/** Characters of an id that a person reads; the whole id and any beginning of it that is one conversation's work too. */
const SHOWN_ID = 8;
const FIRST_WORDS = 48;

/** Conversations in which something was said, the one with the newest message first. `workspace` leaves out those of other folders. */
export async function listConversations(
  conversations: Pick<ConversationStore, "list">,
  agent: string,
  workspace?: string,
): Promise<ConversationInfo[]> {
  return (await conversations.list(agent))
    .filter((one) => one.messages > 0 && (workspace === undefined || (one.workspace ?? workspace) === workspace))
    .toSorted((a, b) => Date.parse(b.updated_at) - Date.parse(a.updated_at));
}

/**
 * The conversation whose id begins so.
 *
 * Contract: `not_found` for none and for one of another folder, whose hint says how to open it there; `ambiguous` with the
 * ids for several.
 */
export async function findConversation(
  conversations: Pick<ConversationStore, "list">,
  agent: string,
  workspace: string,
  beginning: string,
): Promise<string> {
  const all = await conversations.list(agent);
  const found = all.filter(({ id }) => beginning !== "" && id.startsWith(beginning.toLowerCase()));
  const [first] = found;
  if (first === undefined) {
    throw new IkigaiError("not_found", `No conversation has the id ${JSON.stringify(beginning)}`, {
      hint: "List them with: ikigai conversations --all",
    });
  }
  if (found.length > 1) {
    throw new IkigaiError("ambiguous", `${found.length} conversations have an id that begins with ${beginning}`, {
      hint: `Write more of it: ${found.map(({ id }) => id.slice(0, beginning.length + SHOWN_ID)).join(", ")}.`,
    });
  }
  if ((first.workspace ?? workspace) !== workspace) {
    throw new IkigaiError("not_found", `Conversation ${shortId(first.id)} is of another folder, ${first.workspace}`, {
      hint: `Open it there: ikigai --root ${first.workspace} --resume ${shortId(first.id)}`,
    });
  }
  return first.id;
}

/** One line of a list: id, when something was said last, how much, where, and how it began. */
export function conversationLine({ id, updated_at, messages, workspace, title }: ConversationInfo): string {
  const words = title.length > FIRST_WORDS ? `${title.slice(0, FIRST_WORDS - 1)}…` : title;
  const count = `${messages} ${messages === 1 ? "message" : "messages"}`;
  return [shortId(id), localTime(updated_at), count, folderName(workspace), words].join("  ").trimEnd();
}

export function shortId(id: string): string {
  return id.slice(0, SHOWN_ID);
}

/** A moment as a person's clock shows it, to the minute. */
export function localTime(iso: string): string {
  const at = new Date(iso);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

function folderName(folder: string | undefined): string {
  if (folder === undefined) return "(folder not known)";
  const home = homedir();
  return folder === home || folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder;
}
