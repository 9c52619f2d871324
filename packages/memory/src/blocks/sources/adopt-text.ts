import { type Actor, IkigaiError, type TextContent } from "@ikigai/core";
import type { Route, SourceManager } from "@ikigai/core/host";
import { labelOf, noBlock, tryRoute } from "../block-access.ts";
import type { BlockOperations } from "../block-operations.ts";
import { TEXT_SCHEMA } from "../block-schema.ts";
import type { VisibleBlock } from "../block-store.ts";
import { digestOf, frontiersOf } from "../document/block-document.ts";
import { setText } from "../document/three-way.ts";
import { withOriginStep } from "../undo.ts";
import { readSource } from "./block-with-source.ts";

/** Gives the text of a source a block, or the block that it had. */
export async function adoptText(
  operations: BlockOperations,
  route: Route,
  content: TextContent,
  operation: string,
  actor: Actor,
): Promise<VisibleBlock> {
  const { store } = operations;
  const label = labelOf(route);
  const origin = { uri: route.uri, version: content.version };
  const digest = digestOf(content.text);
  const find = async (): Promise<VisibleBlock | undefined> =>
    (await store.find(actor.agent, label)).find(({ shared }) => shared === undefined);
  let own = await find();
  if (own === undefined) {
    const record = { owner: actor.agent, label, type: "working", schema: TEXT_SCHEMA, permission: "admin" } as const;
    try {
      return await operations.create(record, new Map([["content", content.text]]), operation, origin);
    } catch (error) {
      // Another process may have loaded the same block first.
      own = await find();
      if (own === undefined) throw error;
    }
  }
  return operations.change(own, actor, {
    work(document, record) {
      const before = frontiersOf(document);
      setText(document.doc, "content", content.text);
      document.doc.commit();
      const frontiers = frontiersOf(document);
      const step = frontiers === before ? {} : withOriginStep(record, { before, after: frontiers });
      return { operation, set: { type: "working", origin: { ...origin, frontiers, digest }, ...step } };
    },
  });
}

/** The block of the text at `place`, if there is text, and if a block found by that name is the block of it. */
export async function adoptFrom(
  operations: BlockOperations,
  place: string,
  found: VisibleBlock | undefined,
  actor: Actor,
): Promise<VisibleBlock | undefined> {
  const { sources } = operations;
  const route = found === undefined ? routeOf(sources, place) : tryRoute(place, sources);
  if (route === undefined || (found !== undefined && found.record.label !== labelOf(route))) return undefined;
  const content = await readSource(route, actor);
  return content && adoptText(operations, route, content, "load", actor);
}

function routeOf(sources: SourceManager, place: string): Route {
  try {
    return sources.route(place);
  } catch (error) {
    if (IkigaiError.is(error, "not_found") && !place.includes("://")) throw noBlock(place);
    throw error;
  }
}
