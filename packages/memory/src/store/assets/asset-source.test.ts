import { createSourceManager } from "@ikigai/core/host";
import { createMemoryStore, memorySource } from "@ikigai/core/testing";
import { expect, test } from "vitest";
import type { Assets } from "../../pins/pins.ts";
import { createAssetSource } from "./asset-source.ts";

/** Assets of two owners in memory, and the owners whose assets were opened. */
async function createAssets(): Promise<{ readonly assets: Pick<Assets, "open">; readonly opened: string[] }> {
  const opened: string[] = [];
  const host = { mount: "ikigai", signal: AbortSignal.any([]), services: {}, warn: () => {} };
  const ana = await memorySource.open({ store: createMemoryStore({ "blocks/a.md": "of ana" }) }, host);
  const others = await memorySource.open({}, host);
  const assets = {
    open(owner: string) {
      opened.push(owner);
      return owner === "ana" ? ana : others;
    },
  };
  return { opened, assets };
}

test("stored assets are those of the owner it was made for, unless its options name another", async () => {
  const { assets, opened } = await createAssets();
  const source = createAssetSource(assets, "ana");
  expect(opened).toEqual([]);
  const sources = createSourceManager();
  await sources.mount({ mount: "ikigai", source });
  await sources.mount({ mount: "theirs", source, options: { owner: "bob" } });
  expect(opened).toEqual(["ana", "bob"]);
  const read = async (address: string): Promise<string | undefined> => {
    const route = sources.route(address);
    return (await route.source.read(route.address.path))?.text;
  };
  expect([await read("ikigai:///blocks/a.md"), await read("theirs:///blocks/a.md")]).toEqual(["of ana", undefined]);
  const unknown = sources.mount({ mount: "other", source, options: { agent: "bob" } });
  await expect(unknown).rejects.toMatchObject({ code: "invalid_input" });
});

test("the prompt says where stored assets are and that pinned ones count", async () => {
  const { assets } = await createAssets();
  const sources = createSourceManager();
  await sources.mount({ mount: "shelf", source: createAssetSource(assets, "ana") });
  expect(sources.status("shelf")[0]?.guidance).toMatch(/live at shelf:\/\/\/ .*Pinned ones.*budget/);
});
