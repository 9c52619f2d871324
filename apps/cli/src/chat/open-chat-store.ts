import type { Host } from "../host.ts";
import { type ChatStore, createMemoryChatStore } from "./chat-store.ts";

/** Where conversations of this process live. */
export async function openChatStore(_host: Host): Promise<ChatStore> {
  return createMemoryChatStore();
}
