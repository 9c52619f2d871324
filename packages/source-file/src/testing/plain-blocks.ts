import { type Actor, type BlockInfo, type Blocks, type BlockStatus, type DataBlock, IkigaiError } from "@ikigai/core";

interface Loaded {
  readonly uri: string;
  text: string;
  base: string;
  version: string;
}

/** The smallest block service that a test of the tool needs: text per address, no history, no permissions. */
export function plainBlocks(mount: string, source: () => DataBlock<"write" | "remove">): Blocks {
  const loaded = new Map<string, Loaded>();
  const pathOf = (uri: string): string => uri.slice(`${mount}:///`.length);
  const uriOf = (place: string): string =>
    place.startsWith("file:") && !place.includes(":///") ? `${mount}:///${place.slice(14)}` : place;
  const get = (place: string): Loaded => {
    const found = loaded.get(uriOf(place));
    if (found !== undefined) return found;
    throw new IkigaiError("not_found", `No block ${place} is loaded`, { hint: "Load it first." });
  };
  const info = (block: Loaded): BlockInfo => ({
    label: source().label?.(pathOf(block.uri)) ?? block.uri,
    type: "working",
    schema: "text",
    permission: "read_write",
    pinned: false,
    owner: "default",
    chars: block.text.length,
    lines: block.text.split("\n").length,
    version: block.version,
    undo: 0,
    redo: 0,
    origin: { uri: block.uri, version: block.version },
    modified: block.text !== block.base,
  });
  const take = async (place: string, _actor: Actor): Promise<BlockInfo> => {
    const uri = uriOf(place);
    const found = await source().read(pathOf(uri));
    if (found === undefined) throw new IkigaiError("not_found", `There is no ${uri}`);
    const block = { uri, text: found.text, base: found.text, version: found.version };
    loaded.set(uri, block);
    return info(block);
  };
  const statusOf = async (block: Loaded): Promise<BlockStatus> => {
    const now = await source().read(pathOf(block.uri));
    return {
      ...info(block),
      source: now === undefined ? "removed" : now.version === block.version ? "unchanged" : "changed",
    };
  };
  return {
    load: take,
    reload: take,
    async save(place) {
      const block = get(place);
      const { version } = await source().write(pathOf(block.uri), block.text, { expected: block.version });
      Object.assign(block, { version, base: block.text });
      return info(block);
    },
    async create(place, content, actor) {
      if ((await source().read(pathOf(place))) !== undefined) throw new IkigaiError("conflict", `${place} exists`);
      await source().write(pathOf(place), content, { expected: null });
      return take(place, actor);
    },
    remove: (place) => source().remove(pathOf(uriOf(place))),
    async edit(place, edit) {
      const block = get(place);
      if (edit.op === "append") block.text += edit.content;
      else if (edit.op === "replace") block.text = block.text.replace(edit.old, () => edit.new);
      return info(block);
    },
    text: (place) => Promise.resolve(get(place).text),
    async diff(place) {
      const block = get(place);
      const now = await source().read(pathOf(block.uri));
      return now?.text === block.text ? "" : `-${now?.text ?? ""}\n+${block.text}`;
    },
    status: (selector) =>
      Promise.all(("place" in selector ? [get(selector.place)] : [...loaded.values()]).map((block) => statusOf(block))),
    async reconcile(place) {
      const block = get(place);
      const now = await source().read(pathOf(block.uri));
      if (now === undefined) throw new IkigaiError("not_found", `There is no ${block.uri}`);
      const added = block.text.slice(block.base.length);
      Object.assign(block, { text: now.text + added, base: now.text, version: now.version });
      return info(block);
    },
  };
}
