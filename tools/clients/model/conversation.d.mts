/** What the script of a model works with. */
export interface ScriptedModelSide {
  offers(name: string): boolean;
  call(name: string, given: Record<string, unknown>): Promise<string | undefined>;
  endTurn(): Promise<string>;
}
export interface OfferedTool {
  readonly name: string;
  readonly namespace?: string;
}
export interface Conversation {
  readonly done: Promise<void>;
}
export declare const LAST_WORDS: string;
export declare function createConversation(
  script: (model: ScriptedModelSide) => Promise<void>,
  reach: (name: string, given: Record<string, unknown>, offer: { readonly tools: readonly OfferedTool[] }) => unknown,
): Conversation;
