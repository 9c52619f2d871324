import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { expect, test } from "vitest";
import { manifestOf, PACKAGES } from "./pack.mjs";
import {
  billOfMaterials,
  type Component,
  findProblems,
  foreignComponents,
  installScriptsOf,
  isAllowed,
  OPTIONAL_PEERS,
  runtimeTree,
} from "./sbom.mjs";

const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);

test.each([...PACKAGES.keys()])(
  "the bill of materials of %s holds to CycloneDX 1.6, and names what it needs",
  async (name) => {
    const bill = billOfMaterials(name);
    expect(await validator.validate(JSON.stringify(bill))).toBeNull();
    const refs = new Set([runtimeTree(name).own, ...bill.components.map(({ purl }) => purl)]);
    expect(
      bill.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]).filter((ref) => !refs.has(ref)),
    ).toEqual([]);
    const { dependencies = {} } = manifestOf(PACKAGES.get(name) ?? "") as { dependencies?: Record<string, string> };
    const named = new Set(runtimeTree(name).components.map(({ manifest }) => manifest.name));
    expect(Object.keys(dependencies).filter((need) => !named.has(need))).toEqual([]);
    expect(billOfMaterials(name)).toEqual(bill);
  },
);

test("every foreign package in a bill has the hash that the lockfile holds it to", () => {
  const without = [...PACKAGES.keys()].flatMap((name) =>
    billOfMaterials(name).components.filter(({ hashes, purl }) => hashes === undefined && !purl.includes("ikigai")),
  );
  expect(without).toEqual([]);
});

test("a validator from outside refuses a bill that is none", async () => {
  expect(
    await validator.validate(JSON.stringify({ ...billOfMaterials("@ikigai/core"), components: [{ type: "x" }] })),
  ).not.toBeNull();
});

test("every package that is installed with ours has an allowed licence and runs no script when it is installed", () => {
  const components = foreignComponents();
  expect(components.length).toBeGreaterThan(20);
  expect(findProblems(components)).toEqual([]);
});

test("a foreign licence, a missing one and every way to run a script at installation are found", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ikigai-sbom-"));
  await writeFile(join(folder, "binding.gyp"), "{}");
  const component = (rest: object, where?: string): Component => ({
    ref: "pkg:npm/x@1.0.0",
    scope: "required",
    manifest: { name: "x", version: "1.0.0", license: "MIT", ...rest },
    folder: where ?? tmpdir(),
  });
  for (const script of ["preinstall", "install", "postinstall"]) {
    expect(installScriptsOf(component({ scripts: { [script]: "node x.js", test: "x" } }))).toEqual([script]);
    expect(findProblems([component({ scripts: { [script]: "node x.js" } })])).toHaveLength(1);
  }
  expect(installScriptsOf(component({}, folder))).toEqual(["binding.gyp"]);
  expect(findProblems([component({ license: "GPL-3.0-only" })])[0]).toContain("GPL-3.0-only");
  expect(findProblems([component({ license: undefined })])[0]).toContain("(none)");
  expect(findProblems([component({})])).toEqual([]);
  await rm(folder, { recursive: true });
});

test.each([
  ["MIT", true],
  ["(AFL-2.1 OR BSD-3-Clause)", true],
  ["MIT AND GPL-2.0-only", false],
  ["MIT AND ISC", true],
  ["GPL-3.0-only OR AGPL-3.0-only", false],
])("the licence %s is allowed: %s", (expression, allowed) => {
  expect(isAllowed(expression)).toBe(allowed);
});

test("the page of dependencies names every foreign package and every peer that may be added", async () => {
  const page = await readFile(new URL("../docs/dependencies.md", import.meta.url), "utf8");
  const peers = [...PACKAGES.values()].flatMap((folder) =>
    Object.keys((manifestOf(folder) as { peerDependencies?: object }).peerDependencies ?? {}),
  );
  expect(peers.filter((name) => !PACKAGES.has(name)).toSorted()).toEqual([...OPTIONAL_PEERS.keys()].toSorted());
  const names = [...foreignComponents().map(({ manifest }) => manifest.name), ...OPTIONAL_PEERS.keys()];
  expect(names.filter((name) => !page.includes(`| ${name} `))).toEqual([]);
});
