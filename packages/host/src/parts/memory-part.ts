import { formatAddress } from "@ikigai/core";
import { type Commands, definePart, type Part } from "@ikigai/core/host";
import {
  type AskReconcile,
  createBlocks,
  createBlockTools,
  createFileTools,
  createHistoryTools,
  createSlashCommandTool,
  storeCommands,
} from "@ikigai/memory";
import { z } from "zod";
import { createLogKeeper } from "./log-keeper.ts";
import { createOwnedTexts } from "./owned-texts.ts";
import { ASSETS } from "../policy/host-policy.ts";
import type { HostStore } from "../store/host-store.ts";

type CommandContext = Parameters<typeof storeCommands>[0];

export interface MemoryPartOptions {
  readonly store: HostStore;
  /** Commands that the tool `slash_command` runs. */
  readonly commands: Commands;
  readonly ownerOf: CommandContext["ownerOf"];
  readonly assist: Pick<CommandContext, "compact" | "confirm" | "pinsMean">;
  /** Whether a block whose text changed in its source is merged when it is used. */
  readonly mergesStale: boolean;
  readonly reconcile?: AskReconcile;
  /** Called with the address of an asset that a command changed. */
  readonly changed: (address: string) => void;
}

/** Texts of any source, blocks over them, pins, history and undo: tools, commands, and what blocks say to the policy. */
export function createMemoryPart(given: MemoryPartOptions): Part<object> {
  const { store, commands: all, ownerOf, assist, mergesStale, reconcile, changed } = given;
  return definePart({
    name: "memory",
    options: z.strictObject({}),
    async open(_, { sources, seen, shorten, warn }) {
      const blocks = createBlocks({
        sources,
        store: store.blocks,
        guard: store.guard,
        warn,
        ...(mergesStale && { whenStale: "merge" }),
        ...(reconcile !== undefined && { ask: reconcile }),
      });
      const assets: HostStore["assets"] = {
        ...store.assets,
        async change(path, ...rest) {
          await store.assets.change(path, ...rest);
          changed(formatAddress({ mount: ASSETS, path }));
        },
      };
      const { pins, journal } = store;
      const context = { sources, blocks, assetMount: ASSETS, pins, assets, journal, ownerOf, ...assist };
      const tools = [
        ...createFileTools({ sources, seen }),
        ...createBlockTools({ blocks, sources }),
        ...createHistoryTools(context),
        createSlashCommandTool(all),
      ];
      return {
        services: {
          blocks,
          blockService: blocks,
          store,
          logs: createLogKeeper(blocks),
          ownedTexts: createOwnedTexts({
            assets,
            blockStore: store.blocks,
            blocks,
            conversations: store.conversations,
          }),
          ...(store.indexStore !== undefined && { indexStore: store.indexStore }),
          ...(store.tables !== undefined && { storeTables: store.tables }),
        },
        layers: [{ name: "block", judge: (...effect) => blocks.policyLayer.judge(...effect) }],
        commands: storeCommands(context),
        tools: tools.map(shorten),
      };
    },
  });
}
