import type { AddCommand } from "../command-line.ts";

/** Commands of one module: what help says of them, and how they are loaded. */
export interface CommandGroup {
  /** How each is used, beginning with its name, and what it is for: word for word as its own definition says. */
  readonly commands: readonly (readonly [usage: string, description: string])[];
  load(): Promise<AddCommand>;
}

/** Every command, in the order in which help lists them. Help loads none of them, a command only its own. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  {
    commands: [["tool [options] <name> [arguments]", "call one tool and print its envelope as one JSON line"]],
    load: async () => (await import("./tool.ts")).addTool,
  },
  {
    commands: [["tools [options]", "list the tools"]],
    load: async () => (await import("./tools.ts")).addTools,
  },
  {
    commands: [
      ["sources", "list the mounted sources and the parts that were added, what they can do and how they are"],
    ],
    load: async () => (await import("./sources.ts")).addSources,
  },
  {
    commands: [
      ["run [options] [task...]", "let the agent do one task and print its answer; standard input is context"],
    ],
    load: async () => (await import("./run.ts")).addRun,
  },
  {
    commands: [["conversations [options]", "list the conversations of this folder, to go on with by --resume"]],
    load: async () => (await import("./memory/conversations.ts")).addConversations,
  },
  {
    commands: [
      ["pin [arguments...]", "Keeps an asset or a block in your context from now on."],
      ["unpin [arguments...]", "Takes an asset or a block out of your context and frees its tokens. It stays stored."],
      ["pinned [arguments...]", "Lists what is pinned and what each costs."],
      ["budget [arguments...]", "Shows how much of the budget is used, or sets it."],
      [
        "assets [arguments...]",
        "Lists the stored assets, edits one or deletes it. The journal keeps what was there before.",
      ],
      ["blocks [arguments...]", "Lists the stored blocks and the blocks that are loaded."],
      [
        "remember [arguments...]",
        "Adds a sentence to what is remembered across projects, as it stands; quotes are not needed.",
      ],
      ["forget [arguments...]", "Unpins an asset and archives it. Nothing is erased."],
      [
        "history [arguments...]",
        "Shows who changed a text, when, with which tool and why; also what its source itself remembers.",
      ],
      ["diff [arguments...]", "Shows what a change did; the latest unless an id is given."],
      [
        "undo [arguments...]",
        "Takes a change back, if nothing changed since; the latest that is not undone unless an id is given. A call that changed several texts is taken back as a whole.",
      ],
      [
        "compact [arguments...]",
        "Shortens an asset with the help of the model, after showing before and after. Undo brings it back.",
      ],
    ],
    load: async () => (await import("./memory/slash.ts")).addSlashCommands,
  },
  {
    commands: [["store", "look at the store, move it and shorten its history"]],
    load: async () => (await import("./memory/store.ts")).addStore,
  },
  {
    commands: [["audit [options]", "show which calls were made, what was decided on them and why"]],
    load: async () => (await import("./memory/audit.ts")).addAudit,
  },
  {
    commands: [["permission", "explain, list and revoke what may be done, and answer what is asked"]],
    load: async () => (await import("./permission.ts")).addPermission,
  },
  {
    commands: [["trust [options]", "look at what this folder brings, and trust it or take that back"]],
    load: async () => (await import("./trust.ts")).addTrust,
  },
  {
    commands: [["mcp [options]", "serve the tools to MCP clients, over standard input and output or HTTP"]],
    load: async () => (await import("./mcp.ts")).addMcp,
  },
  {
    commands: [
      ["notes", "look after notes"],
      ["refs <address>", "list what a text refers to, and what refers to it"],
    ],
    load: async () => (await import("./memory/notes.ts")).addNotes,
  },
  {
    commands: [["recall", "search the archive and look after it"]],
    load: async () => (await import("./memory/recall.ts")).addRecall,
  },
  {
    commands: [["plugin", "add, remove, list and check plugins: sources and parts"]],
    load: async () => (await import("./plugin.ts")).addPlugin,
  },
  {
    commands: [["login <provider>", "keep a provider's key in a file that only you can read"]],
    load: async () => (await import("./login.ts")).addLogin,
  },
  {
    commands: [["init [options]", "write a configuration for this folder by asking a few questions"]],
    load: async () => (await import("./init.ts")).addInit,
  },
  {
    commands: [
      ["doctor [options]", "check node, store, configuration, model, sources and terminal, and say what to do"],
    ],
    load: async () => (await import("./doctor.ts")).addDoctor,
  },
  {
    commands: [["demo", "watch a scripted model run into the budget and make room; needs no key"]],
    load: async () => (await import("./demo.ts")).addDemo,
  },
  {
    commands: [["help [command]", "say what a command does and how it is used"]],
    load: async () => (await import("./help.ts")).addHelp,
  },
];

/** Every command, loaded. */
export async function loadCommands(): Promise<AddCommand[]> {
  return Promise.all(COMMAND_GROUPS.map(({ load }) => load()));
}
