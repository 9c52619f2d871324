import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { IkigaiError } from "@ikigai/core";
import { type AddCommand, examples } from "../command-line.ts";
import { type GlobalFlags, resolveSettings, type Settings } from "../settings.ts";
import type { Terminal } from "../terminal/terminal.ts";

const SCHEMA = "https://unpkg.com/ikigai/schema/ikigai.config.schema.json";

export const addInit: AddCommand = (program, _, { openTerminal }) => {
  program
    .command("init")
    .description("write a configuration for this folder by asking a few questions")
    .option("--yes", "ask nothing and write the defaults")
    .action(async ({ yes = false }: { yes?: boolean }) => {
      const settings = resolveSettings(program.opts<GlobalFlags>());
      await init(settings, openTerminal(settings.quiet), yes);
    })
    .addHelpText("after", examples("ikigai init", "ikigai init --yes"));
};

/** Contract: never writes over a file that is there. What was written is trusted, since the user just made it, unless an agent's command runs it. */
async function init(settings: Settings, terminal: Terminal, yes: boolean): Promise<void> {
  const { CONFIG_FILE, configSchema } = await import("@ikigai/host/configuration");
  const { acceptTrust, openProjectTrust } = await import("@ikigai/host/trust");
  if (!yes && !terminal.interactive) {
    throw new IkigaiError("invalid_input", "There is nobody to ask", { hint: "Pass --yes for the defaults." });
  }
  const ask = async (question: string): Promise<string> => (yes ? "" : (await terminal.ask(question)).trim());
  const model = await ask("Which model? provider/model, empty for none: ");
  const served = model === "" ? "" : await ask("Where is it served? a URL, empty for the provider's own: ");
  const kept = await ask("Which paths may never be changed? a glob such as secrets/**, empty for none: ");
  const config = {
    $schema: SCHEMA,
    ...(model !== "" && { model }),
    ...(served !== "" && { base_url: served }),
    rules: kept === "" ? [] : [{ glob: kept, permission: "read_only" }],
    sources: [],
    agents: [],
  };
  const checked = configSchema.safeParse(config);
  if (!checked.success) {
    throw new IkigaiError(
      "invalid_input",
      checked.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "),
      {
        hint: "Nothing was written; run it again.",
      },
    );
  }
  const file = join(settings.root, CONFIG_FILE);
  const bytes = Buffer.from(`${JSON.stringify(config, undefined, 2)}\n`);
  const { actOfAPerson, isPerson } = await import("@ikigai/host/policy");
  const effect = { action: "create", target: file } as const;
  await actOfAPerson(settings, { command: "init", effect, input: config }, async () => {
    try {
      await writeFile(file, bytes, { flag: "wx" });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
      throw new IkigaiError("conflict", `${file} is there already`, { hint: "Edit it, or move it away first.", cause });
    }
    // What was written is trusted, and not what may stand there by now.
    if (isPerson())
      await acceptTrust(settings, await openProjectTrust(settings, { config: checked.data, path: file, bytes }));
  });
  terminal.print(`Wrote ${file}. What it may hold:`);
  const { z } = await import("zod");
  const { properties = {} } = z.toJSONSchema(configSchema) as { properties?: Record<string, { description?: string }> };
  for (const [field, { description }] of Object.entries(properties))
    if (description !== undefined) terminal.print(`  ${field.padEnd(16)} ${description}`);
}
