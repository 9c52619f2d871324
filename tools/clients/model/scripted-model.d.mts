import type { Conversation } from "./conversation.mjs";

export declare function openScriptedModel(conversation: Conversation): Promise<{
  readonly url: string;
  protocols(): string;
  close(): Promise<void>;
}>;
