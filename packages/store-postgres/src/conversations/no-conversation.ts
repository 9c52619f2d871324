import { IkigaiError } from "@ikigai/core";

export function noConversation(id: string): IkigaiError {
  return new IkigaiError("not_found", `No conversation has the id ${JSON.stringify(id)}`, {
    hint: "List the conversations to see their ids.",
  });
}
