// Defences against processes that stay, that flood, or that were not meant.

/** @type {import("../defence.d.mts").Defence[]} */
export const processes = [
  {
    name: "Every process that is started carries a mark",
    file: "packages/core/src/process/process-mark.ts",
    old: "mark === undefined ? [file, args] :",
    new: "true ? [file, args] :",
    test: "packages/core/src/process/process-mark.test.ts",
  },
  {
    name: "A marked process is ended with its command",
    file: "packages/core/src/process/sweep.ts",
    old: "led || isMarked(pid) ||",
    new: "led ||",
    test: "packages/shell/src/run/survivors.test.ts",
  },
  {
    name: "A hook that complains without end is stopped",
    file: "packages/permission/src/command-hooks.ts",
    old: "if (complained > MAX_PRINTED) tooMuch(MAX_PRINTED);",
    new: "",
    test: "packages/permission/src/command-hooks.test.ts",
  },
  {
    name: "A command runs in the folder that was judged",
    file: "packages/shell/src/bash/bash-tool.ts",
    old: "const folder = await planner.work(input, context);",
    new: 'const folder = folderOrThrow(await judgeFolder(jobs.root, input.cwd ?? "."));',
    test: "packages/shell/src/run/judged-folder.test.ts",
  },
  {
    name: "A slash command runs the plan that was judged",
    file: "packages/memory/src/tools/slash-command.ts",
    old: "const { planned } = await planner.work(call, context);",
    new: "const planned = await parse(commands, call.command).found.plan(parse(commands, call.command).args, context);",
    test: "apps/cli/src/what-was-judged.test.ts",
  },
  {
    name: "An asset is archived in the version that was judged",
    file: "packages/memory/src/commands/asset-commands.ts",
    old: "expected: content.version, fields: { archived",
    new: "fields: { archived",
    test: "packages/memory/src/commands/command-plans.test.ts",
  },
];
