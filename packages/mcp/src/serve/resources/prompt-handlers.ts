import { IkigaiError } from "@ikigai/core";
import type { ContentBlock, Server } from "@modelcontextprotocol/server";
import { assertPlainParams } from "../assert-plain-params.ts";
import { clientOf, type ConnectionScope } from "../connection.ts";
import { inNamedWorkspace } from "../named-workspace.ts";
import { pageOf } from "./pages.ts";
import type { Complete, PromptMessage, Prompts } from "./prompts.ts";
import { answer } from "../protocol-errors.ts";
import { callOptionsOf } from "./resource-handlers.ts";
import type { ServerSettings } from "../server-settings.ts";
import { joinWords, offeredArguments } from "../tools/split-words.ts";

const MAX_COMPLETIONS = 100;

/** Serves `prompts/*` of one connection. */
export function handlePrompts(
  server: Server,
  prompts: Prompts,
  scope: ConnectionScope,
  settings: ServerSettings,
): void {
  const { sdk, maxAnswerSize, pageSize, log } = settings;
  server.setRequestHandler("prompts/list", ({ params }, context) =>
    answer(sdk, maxAnswerSize, log, async () => {
      await settings.options.ready?.();
      const list = await inNamedWorkspace(context, settings.options, (parts) =>
        (parts.prompts ?? prompts).list(callOptionsOf(context, scope, settings)),
      );
      const limits = { items: pageSize, size: maxAnswerSize / 2 };
      const { items, nextCursor } = pageOf(list, ({ name }) => name, params?.cursor, limits);
      const shown = items.map(({ arguments: values, ...card }) => ({
        ...card,
        ...(values !== undefined && { arguments: offeredArguments(values, clientOf(server, context)) }),
      }));
      return { prompts: shown, ...(nextCursor !== undefined && { nextCursor }) };
    }),
  );
  server.setRequestHandler("prompts/get", ({ params }, context) =>
    answer(sdk, maxAnswerSize, log, async () => {
      assertPlainParams(params, ["name"]);
      const text = await inNamedWorkspace(context, settings.options, (parts) =>
        (parts.prompts ?? prompts).get(
          params.name,
          joinWords(params.arguments ?? {}),
          callOptionsOf(context, scope, settings),
        ),
      );
      if (text === undefined) {
        throw new IkigaiError("not_found", `No prompt is named ${JSON.stringify(params.name.slice(0, 80))}`, {
          hint: "List them with prompts/list.",
        });
      }
      const { description, messages } = text;
      return {
        ...(description !== undefined && { description }),
        messages: messages.map((message) => ({ role: message.role, content: contentOf(message) })),
      };
    }),
  );
}

/** Serves `completion/complete` of one connection. */
export function handleCompletion(
  server: Server,
  complete: Complete,
  scope: ConnectionScope,
  settings: ServerSettings,
): void {
  const { sdk, maxAnswerSize, log } = settings;
  server.setRequestHandler("completion/complete", ({ params }, context) =>
    answer(sdk, maxAnswerSize, log, async () => {
      assertPlainParams(params, ["ref.name", "ref.uri", "argument.name", "argument.value"]);
      const { ref, argument } = params;
      const of = ref.type === "ref/prompt" ? { prompt: ref.name } : { template: ref.uri };
      const known = params.context?.arguments ?? {};
      const found = await complete({ of, ...argument, known }, callOptionsOf(context, scope, settings));
      const values = found.slice(0, MAX_COMPLETIONS);
      return { completion: { values, total: found.length, hasMore: found.length > values.length } };
    }),
  );
}

function contentOf(message: PromptMessage): ContentBlock {
  if ("text" in message) return { type: "text", text: message.text };
  if ("image" in message) return { type: "image", ...message.image };
  if ("audio" in message) return { type: "audio", ...message.audio };
  return { type: "resource", resource: { ...message.resource } };
}
