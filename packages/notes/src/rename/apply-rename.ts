import { IkigaiError, type SourceCallOptions, type WriteOptions } from "@ikigai/core";
import { requireCapability, type SourceManager } from "@ikigai/core/host";
import type { IntentFile, IntentStore, LinkChange, RenameIntent } from "./intent-store.ts";
import { rewriteLinks } from "./rewrite-links.ts";

const MAX_TRIES = 5;

/**
 * Does what an intent says, each step only if it is not done yet, so that it may be run again after a crash.
 *
 * Contract: a note edited meanwhile keeps its edit and gets its links changed all the same.
 */
export async function rollForward(
  sources: SourceManager,
  intent: RenameIntent,
  call: SourceCallOptions,
): Promise<void> {
  await createTarget(sources, intent, call);
  for (const file of intent.files) await rewriteFile(sources, file, file.after, file.links, call);
  await removeOrigin(sources, intent, call);
}

/** Undoes what was done of an intent. Contract: as {@link rollForward}, the other way round. */
export async function rollBack(sources: SourceManager, intent: RenameIntent, call: SourceCallOptions): Promise<void> {
  const origin = await read(sources, intent.from.uri, call);
  if (origin === undefined) {
    await write(sources, intent.from.uri, intent.from.text, { ...call, expected: null });
  }
  for (const file of intent.files.toReversed()) {
    const back = file.links.map(({ kind, raw, wanted }) => ({ kind, raw: wanted, wanted: raw }));
    const current = await read(sources, file.uri, call);
    if (current !== undefined && current.text !== file.before) {
      await rewriteFile(sources, { ...file, before: file.after }, file.before, back, call);
    }
  }
  const target = await read(sources, intent.to.uri, call);
  if (target?.text === intent.to.text) await remove(sources, intent.to.uri, { ...call, expected: target.version });
}

/**
 * Carries a rename out, all or nothing.
 *
 * Contract: the intent is kept before the first write and dropped after the last. A write that fails is undone with
 * all others and its error is thrown; when undoing fails too, the intent stays for {@link recoverRenames}.
 */
export async function applyRename(
  sources: SourceManager,
  intents: IntentStore,
  intent: RenameIntent,
  call: SourceCallOptions,
): Promise<void> {
  await intents.save(intent);
  try {
    await rollForward(sources, intent, call);
  } catch (error) {
    // Undoing must not stop because the caller gave up; what cannot be undone now stays for the recovery.
    const { signal: _, ...rest } = call;
    await rollBack(sources, intent, rest).then(
      () => intents.remove(intent.id),
      () => undefined,
    );
    throw error;
  }
  await intents.remove(intent.id);
}

async function createTarget(
  sources: SourceManager,
  { from, to }: RenameIntent,
  call: SourceCallOptions,
): Promise<void> {
  const present = await read(sources, to.uri, call);
  if (present === undefined) {
    const [origin, target] = [sources.route(from.uri).address, sources.route(to.uri).address];
    const attributes = origin.mount === target.mount ? { attributesOf: origin.path } : {};
    await write(sources, to.uri, to.text, { ...call, ...attributes, expected: null });
    return;
  }
  if (present.text === to.text || (await read(sources, from.uri, call)) === undefined) return;
  throw new IkigaiError("conflict", `${to.uri} exists already`, { hint: "Choose another name." });
}

async function rewriteFile(
  sources: SourceManager,
  file: IntentFile,
  after: string,
  links: readonly LinkChange[],
  call: SourceCallOptions,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const current = await read(sources, file.uri, call);
    if (current === undefined || current.text === after) return;
    const wanted = current.text === file.before ? after : rewriteLinks(current.text, links);
    if (wanted === current.text) return;
    try {
      await write(sources, file.uri, wanted, { ...call, expected: current.version });
      return;
    } catch (error) {
      if (!IkigaiError.is(error, "conflict") || tries >= MAX_TRIES) throw error;
    }
  }
}

/** Removes the old note. An edit made to it meanwhile is carried over first. */
async function removeOrigin(
  sources: SourceManager,
  { from, to }: RenameIntent,
  call: SourceCallOptions,
): Promise<void> {
  let copied = from.text;
  for (let tries = 1; ; tries += 1) {
    const origin = await read(sources, from.uri, call);
    if (origin === undefined) return;
    if (origin.text !== copied) {
      const target = await read(sources, to.uri, call);
      await write(sources, to.uri, rewriteLinks(origin.text, to.links), { ...call, expected: target?.version ?? null });
      copied = origin.text;
    }
    try {
      await remove(sources, from.uri, { ...call, expected: origin.version });
      return;
    } catch (error) {
      if (IkigaiError.is(error, "not_found")) return;
      if (!IkigaiError.is(error, "conflict") || tries >= MAX_TRIES) throw error;
    }
  }
}

async function read(
  sources: SourceManager,
  uri: string,
  call: SourceCallOptions,
): Promise<{ readonly text: string; readonly version: string } | undefined> {
  const { address, source } = sources.route(uri);
  return source.read(address.path, call);
}

async function write(sources: SourceManager, uri: string, text: string, options: WriteOptions): Promise<void> {
  const route = sources.route(uri);
  await requireCapability(route, "write").write(route.address.path, text, options);
}

async function remove(
  sources: SourceManager,
  uri: string,
  options: SourceCallOptions & { readonly expected: string },
): Promise<void> {
  const route = sources.route(uri);
  await requireCapability(route, "remove").remove(route.address.path, options);
}
