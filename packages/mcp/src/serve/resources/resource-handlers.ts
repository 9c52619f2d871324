import { IkigaiError } from "@ikigai/core";
import type { Server, ServerContext } from "@modelcontextprotocol/server";
import { assertPlainParams } from "../assert-plain-params.ts";
import type { ConnectionScope, Era } from "../connection.ts";
import { inNamedWorkspace } from "../named-workspace.ts";
import { pageOf } from "./pages.ts";
import { answer } from "../protocol-errors.ts";
import type { ResourceCallOptions, Resources } from "./resources.ts";
import type { ServerSettings } from "../server-settings.ts";

/** Resources that one connection may hear of. */
const MAX_SUBSCRIPTIONS = 1_000;

/** Serves `resources/*` of one connection. Dispose it when the connection ends. */
export function handleResources(
  server: Server,
  era: Era,
  resources: Resources,
  scope: ConnectionScope,
  settings: ServerSettings,
): Disposable {
  const { sdk, maxAnswerSize, pageSize, log } = settings;
  const subscribed = new Set<string>();
  let listening: Disposable | undefined;
  const serve = <T>(work: () => Promise<T>): Promise<T> => answer(sdk, maxAnswerSize, log, work);
  const callOptions = (context: ServerContext): ResourceCallOptions => callOptionsOf(context, scope, settings);

  const where = <T>(context: ServerContext, work: (here: Resources) => Promise<T>): Promise<T> =>
    inNamedWorkspace(context, settings.options, (parts) => work(parts.resources ?? resources));

  server.setRequestHandler("resources/list", ({ params }, context) =>
    serve(async () => {
      await scope.settled?.();
      await settings.options.ready?.();
      const { items, nextCursor } = await where(context, (here) => here.list(params?.cursor, callOptions(context)));
      return { resources: items.map((card) => ({ ...card })), ...(nextCursor !== undefined && { nextCursor }) };
    }),
  );
  server.setRequestHandler("resources/templates/list", ({ params }, context) =>
    serve(async () => {
      await settings.options.ready?.();
      const limits = { items: pageSize, size: maxAnswerSize / 2 };
      const list = await where(context, async (here) => (await here.templates?.()) ?? []);
      const { items, nextCursor } = pageOf(list, ({ uriTemplate }) => uriTemplate, params?.cursor, limits);
      return { resourceTemplates: items.map((card) => ({ ...card })), ...(nextCursor !== undefined && { nextCursor }) };
    }),
  );
  server.setRequestHandler("resources/read", ({ params }, context) =>
    serve(async () => {
      assertPlainParams(params, ["uri"]);
      await scope.settled?.();
      const parts = await where(context, (here) => here.read(params.uri, callOptions(context)));
      if (parts === undefined) throw new sdk.ResourceNotFoundError(params.uri);
      return { contents: parts.map((part) => ({ ...part })) };
    }),
  );

  if (resources.onUpdate !== undefined && era === "legacy") {
    server.setRequestHandler("resources/subscribe", ({ params }) =>
      serve(async () => {
        assertPlainParams(params, ["uri"]);
        if (subscribed.size >= MAX_SUBSCRIPTIONS && !subscribed.has(params.uri)) {
          throw new IkigaiError("over_budget", `${MAX_SUBSCRIPTIONS} resources are subscribed to already`, {
            hint: "Unsubscribe from others first.",
          });
        }
        subscribed.add(params.uri);
        listening ??= settings.updates.listen((uri) => {
          if (subscribed.has(uri)) server.sendResourceUpdated({ uri }).catch(() => {});
        });
        return {};
      }),
    );
    server.setRequestHandler("resources/unsubscribe", async ({ params }) => {
      subscribed.delete(params.uri);
      if (subscribed.size === 0) stop();
      return {};
    });
  }

  function stop(): void {
    listening?.[Symbol.dispose]();
    listening = undefined;
  }

  return { [Symbol.dispose]: stop };
}

/** On whose behalf a request that is no tool call runs. */
export function callOptionsOf(
  { mcpReq }: ServerContext,
  scope: ConnectionScope,
  settings: ServerSettings,
): ResourceCallOptions {
  const callId = crypto.randomUUID();
  return {
    actor: { agent: settings.agent, conversation: scope.conversation(), callId, tool: mcpReq.method },
    signal: mcpReq.signal,
  };
}
