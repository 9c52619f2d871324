import type { Conversations } from "@ikigai/core/host";
import type { Manifest } from "./context/context.ts";
import type { Message } from "./messages.ts";

/** Where conversations of this package's messages live. */
export type ConversationStore = Conversations<Message, Manifest>;
