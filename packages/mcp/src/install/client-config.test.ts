import * as fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { addToClientConfig, removeFromClientConfig } from "./client-config.ts";
import { CLIENT_NAMES, type ClientName } from "./clients.ts";

const entry = { command: "npx", args: ["-y", "ikigai", "mcp"], env: { A: "1" } };

const zed = `// my settings
{
    "theme": "One Dark", // nice
    /* servers */
    "context_servers": {
        "other": { "command": "x", "args": [], },
    },
    "vim_mode": true,
}
`;

const codex = `# codex
model = "o9"
prompt = """
[mcp_servers.ikigai]
not a table
"""
list = [
  [1, 2],
  ["[mcp_servers.ikigai]"],
]

[mcp_servers.other] # kept
command = 'x'

# about ikigai
[mcp_servers.ikigai]
command = "old"

[mcp_servers.ikigai.env]
B = "2"

# the tui
[tui]
theme = "dark"
`;

describe.each(CLIENT_NAMES)("%s", (client: ClientName) => {
  test("gets a new file with the server in it, and loses it again", async () => {
    const text = await addToClientConfig(client, "", "ikigai", entry);
    expect(text).toContain("ikigai");
    expect(text).toContain("npx");
    const without = await removeFromClientConfig(client, text, "ikigai");
    expect(without).not.toContain("npx");
  });

  test("is not changed by a removal of what is not there", async () => {
    for (const text of ["", "\n"]) expect(await removeFromClientConfig(client, text, "ikigai")).toBe(text);
  });

  test("is the same after adding twice", async () => {
    const once = await addToClientConfig(client, "", "ikigai", entry);
    expect(await addToClientConfig(client, once, "ikigai", entry)).toBe(once);
  });

  test("refuses a name that could be something else", async () => {
    await expect(addToClientConfig(client, "", "a.b]", entry)).rejects.toMatchObject({ code: "invalid_input" });
    await expect(removeFromClientConfig(client, "", "")).rejects.toMatchObject({ code: "invalid_input" });
  });
});

test("the shape of an entry is the client's", async () => {
  const read = async (client: ClientName): Promise<unknown> =>
    JSON.parse(await addToClientConfig(client, "", "ikigai", { command: "ikigai" }));
  const plain = { command: "ikigai", args: [] };
  expect(await read("claude-code")).toEqual({ mcpServers: { ikigai: { type: "stdio", ...plain } } });
  expect(await read("claude-desktop")).toEqual({ mcpServers: { ikigai: plain } });
  expect(await read("cursor")).toEqual({ mcpServers: { ikigai: plain } });
  expect(await read("vscode")).toEqual({ servers: { ikigai: { type: "stdio", ...plain } } });
  expect(await read("zed")).toEqual({ context_servers: { ikigai: plain } });
  expect(await read("gemini")).toEqual({ mcpServers: { ikigai: plain } });
  expect(await read("opencode")).toEqual({ mcp: { ikigai: { type: "local", command: ["ikigai"], enabled: true } } });
  expect(JSON.parse(await addToClientConfig("opencode", "", "ikigai", entry))).toMatchObject({
    mcp: { ikigai: { command: ["npx", "-y", "ikigai", "mcp"], environment: { A: "1" } } },
  });
  expect(parse(await addToClientConfig("codex", "", "ikigai", { command: "ikigai" }))).toEqual({
    mcp_servers: { ikigai: plain },
  });
});

test("comments, trailing commas and order of a JSON file stay", async () => {
  const text = await addToClientConfig("zed", zed, "ikigai", entry);
  expect(text).toContain('"theme": "One Dark", // nice\n    /* servers */');
  expect(text).toContain('"other": { "command": "x", "args": [], }');
  expect(text).toContain('    "vim_mode": true,\n}\n');
  expect(text.startsWith("// my settings\n")).toBe(true);
  const again = await addToClientConfig("zed", text, "ikigai", { command: "other" });
  expect(again).toContain('"command": "other"');
  expect(again).not.toContain("npx");
});

test("what was added to a JSON file and removed again leaves the rest byte for byte", async () => {
  const crlf = '{\r\n\t"mcpServers": {\r\n\t\t"a": {} // last\r\n\t},\r\n\t"b": 1\r\n}';
  const marked = '\uFEFF{\n  // c\n  "mcpServers": { }\n}\n';
  const oneLine = '{"mcpServers":{"a":{}}}';
  for (const [before, inside, after] of [
    [crlf, '"a": {}, // last', crlf],
    [marked, "// c", marked.replace("{ }", "{\n  }")],
    [oneLine, '{"mcpServers":{"a":{},', oneLine.replace("}}}", "}\n}}")],
  ] as const) {
    const added = await addToClientConfig("cursor", before, "ikigai", entry);
    expect(added).toContain(inside);
    expect(added.startsWith("\uFEFF")).toBe(before.startsWith("\uFEFF"));
    expect(added.includes("\r\n")).toBe(before.includes("\r\n"));
    const removed = await removeFromClientConfig("cursor", added, "ikigai");
    expect(removed).toBe(after);
  }
});

test("a JSON file that cannot be understood is not touched", async () => {
  for (const text of ['{ "a": ', "[]", '{ "mcpServers": [] }', "null"]) {
    await expect(addToClientConfig("cursor", text, "ikigai", entry)).rejects.toMatchObject({ code: "invalid_input" });
  }
});

test("a TOML table is replaced where it stands, and the rest stays byte for byte", async () => {
  const [head, rest] = codex.split("[mcp_servers.ikigai]\ncommand") as [string, string];
  const tail = rest.slice(rest.indexOf("# the tui"));
  const text = await addToClientConfig("codex", codex, "ikigai", entry);
  expect(text.startsWith(head)).toBe(true);
  expect(text.endsWith(`\n${tail}`)).toBe(true);
  const ikigai = { ...entry, env: { A: "1", B: "2" } };
  expect(parse(text)["mcp_servers"]).toEqual({ other: { command: "x" }, ikigai });
  const removed = await removeFromClientConfig("codex", text, "ikigai");
  expect(removed.startsWith(head)).toBe(true);
  expect(removed.endsWith(tail)).toBe(true);
});

test("a TOML table is appended behind a blank line", async () => {
  const before = 'model = "o9"';
  const text = await addToClientConfig("codex", before, "ikigai", entry);
  expect(text.startsWith('model = "o9"\n\n[mcp_servers.ikigai]\n')).toBe(true);
  expect((await addToClientConfig("codex", "a = 1\r\n", "ikigai", entry)).startsWith("a = 1\r\n\r\n[")).toBe(true);
});

test("a TOML file that says it in another way is left to the user", async () => {
  for (const text of ['mcp_servers = { ikigai = { command = "x" } }', '[mcp_servers]\nikigai.command = "x"\n']) {
    await expect(removeFromClientConfig("codex", text, "ikigai")).rejects.toMatchObject({ code: "unsupported" });
    await expect(addToClientConfig("codex", text, "ikigai", entry)).rejects.toMatchObject({
      code: expect.stringMatching("unsupported|invalid_input") as string,
    });
  }
  await expect(addToClientConfig("codex", "a = ", "ikigai", entry)).rejects.toMatchObject({ code: "invalid_input" });
});

test("quoted names of TOML tables are understood", async () => {
  const text = `["mcp_servers"."ikigai"]\ncommand = "x"\n['mcp_servers'.other]\ncommand = "y"\n["bad\\q"]\n`;
  await expect(removeFromClientConfig("codex", text, "ikigai")).rejects.toMatchObject({ code: "invalid_input" });
  const good = text.replace('["bad\\q"]\n', "");
  expect(parse(await removeFromClientConfig("codex", good, "ikigai"))).toEqual({
    mcp_servers: { other: { command: "y" } },
  });
});

test("an entry is removed from wherever it stands, with its comma", async () => {
  for (const [before, after] of [
    ['{"mcpServers":{"ikigai":{},"b":1}}', '{"mcpServers":{"b":1}}'],
    ['{"mcpServers":{"a":1,"ikigai":{}}}', '{"mcpServers":{"a":1}}'],
    ['{"mcpServers":{"a":1, /* x */ "ikigai":{} /* y */}}', '{"mcpServers":{"a":1 /* x */  /* y */}}'],
    [
      '{\n  "mcpServers": {\n    "ikigai": {}, // mine\n    "b": 1\n  }\n}',
      '{\n  "mcpServers": {\n     // mine\n    "b": 1\n  }\n}',
    ],
    ['{\n  "mcpServers": {\n    "a": 1,\n    "ikigai": {},\n  }\n}', '{\n  "mcpServers": {\n    "a": 1,\n  }\n}'],
  ] as const) {
    expect(await removeFromClientConfig("cursor", before, "ikigai")).toBe(after);
  }
});

test("an entry with comments in it is replaced, and a file that has it twice is left alone", async () => {
  const commented = '{"mcpServers":{"ikigai":{"command":"npx" /* old */}}}';
  const text = await addToClientConfig("cursor", commented, "ikigai", { command: "npx" });
  expect(JSON.parse(text)).toEqual({ mcpServers: { ikigai: { command: "npx", args: [] } } });
  const twice = '{"mcpServers":{"ikigai":1},"mcpServers":{"ikigai":2}}';
  await expect(addToClientConfig("cursor", twice, "ikigai", entry)).rejects.toThrow("twice");
});

test("any JSON file says the same after our entry came and went", async () => {
  const value = fc.jsonValue({ maxDepth: 2 });
  const file = fc.record({ mcpServers: fc.dictionary(fc.string(), value), other: value }, { requiredKeys: [] });
  const indent = fc.constantFrom(undefined, 2, "\t");
  await fc.assert(
    fc.asyncProperty(file, indent, async (root, space) => {
      const { ikigai: _, ...servers } = root.mcpServers ?? {};
      const before = { ...root, ...(root.mcpServers !== undefined && { mcpServers: servers }) };
      const added = await addToClientConfig("cursor", JSON.stringify(before, undefined, space), "ikigai", entry);
      expect(JSON.parse(added)).toEqual(
        JSON.parse(JSON.stringify({ ...before, mcpServers: { ...servers, ikigai: entry } })),
      );
      const removed = await removeFromClientConfig("cursor", added, "ikigai");
      expect(JSON.parse(removed)).toEqual(JSON.parse(JSON.stringify({ ...before, mcpServers: servers })));
    }),
    { numRuns: 60 },
  );
});
