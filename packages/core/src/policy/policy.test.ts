import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  stricterOpinion,
  type Action,
  type ApprovalMode,
  createPolicy,
  decidingReason,
  type Effect,
  type Grant,
  type Opinion,
  type PolicyLayer,
  type Verdict,
} from "./policy.ts";

const FACTS = { tool: "t", agent: "a", conversation: "c" };
const ACTIONS: readonly Action[] = ["read", "create", "append", "update", "delete", "execute", "network", "admin"];
const MODES: readonly ApprovalMode[] = ["ask", "edits", "all", "none"];

function layer(name: string, opinion: Opinion | undefined): PolicyLayer {
  return { name, judge: () => opinion };
}

function judge(action: Action, options: Parameters<typeof createPolicy>[0]): Promise<Verdict> {
  return createPolicy(options).judge({ action, target: "file:///a" }, FACTS);
}

const ask: Opinion = { decision: "ask", reason: "rule" };
const grant: Grant = { name: "granted by hand", covers: () => true, namesTarget: true };

test.each([
  ["ask", "allow ask ask ask ask ask ask ask"],
  ["edits", "allow allow allow allow ask ask ask ask"],
  ["all", "allow allow allow allow allow allow allow allow"],
  ["none", "allow deny deny deny deny deny deny deny"],
] as const)("mode %s alone answers every action", async (mode, decisions) => {
  const verdicts = await Promise.all(ACTIONS.map((action) => judge(action, { mode: () => mode })));
  expect(verdicts.map(({ decision }) => decision).join(" ")).toBe(decisions);
});

test("a policy without options allows reads and asks for everything else", async () => {
  const policy = createPolicy();
  expect(await policy.judge({ action: "read", target: "x" }, FACTS)).toMatchObject({ decision: "allow" });
  expect(await policy.judge({ action: "update", target: "x" }, FACTS)).toMatchObject({
    decision: "ask",
    needs: "mode",
  });
});

test("approval mode edits covers only the editable mounts", async () => {
  const options = { mode: () => "edits" as const, editable: ({ target }: Effect) => target.startsWith("file:") };
  expect(await judge("update", options)).toMatchObject({ decision: "allow" });
  const elsewhere = await createPolicy(options).judge({ action: "update", target: "host:///x" }, FACTS);
  expect(elsewhere.decision).toBe("ask");
});

test("an ask of a layer is answered by mode all and by no other", async () => {
  for (const mode of MODES) {
    const { decision } = await judge("create", { layers: [layer("l", ask)], mode: () => mode });
    expect([mode, decision]).toEqual([mode, { all: "allow", ask: "ask", edits: "ask", none: "deny" }[mode]]);
  }
});

test("an ask that needs a person is answered by no mode and no grant", async () => {
  const layers = [layer("protected", { ...ask, needs: "person", person: "partner" })];
  for (const mode of ["ask", "edits", "all"] as const) {
    const verdict = await judge("update", { layers, mode: () => mode, grants: () => [grant] });
    expect(verdict).toMatchObject({ decision: "ask", needs: "person", person: "partner" });
  }
});

test("an ask that needs a grant takes only one that names the target", async () => {
  const layers = [layer("host", { ...ask, needs: "grant" })];
  const broad = { ...grant, namesTarget: false };
  expect(await judge("read", { layers, mode: () => "all", grants: () => [broad] })).toMatchObject({ decision: "ask" });
  expect(await judge("read", { layers, grants: () => [broad, grant] })).toMatchObject({ decision: "allow" });
});

test("read-only mode denies a change even where a layer would ask a person", async () => {
  for (const needs of ["grant", "person"] as const) {
    const layers = [layer("protected", { ...ask, needs })];
    expect(await judge("update", { layers, mode: () => "none", grants: () => [grant] })).toMatchObject({
      decision: "deny",
    });
    expect(await judge("read", { layers, mode: () => "none" })).toMatchObject({ decision: "ask", needs });
  }
});

test("layers that are given by a function are asked for at each call, so that they may come and go", async () => {
  const layers: PolicyLayer[] = [];
  const policy = createPolicy({ layers: () => layers, mode: () => "all" });
  const change = { action: "update", target: "file:///a" } as const;
  expect((await policy.judge(change, FACTS)).decision).toBe("allow");
  layers.push(layer("late", { decision: "deny", reason: "closed" }));
  expect((await policy.judge(change, FACTS)).decision).toBe("deny");
  layers.pop();
  expect((await policy.judge(change, FACTS)).decision).toBe("allow");
});

test("a layer that throws counts as deny", async () => {
  const broken: PolicyLayer = {
    name: "hook",
    judge: () => {
      throw new Error("no such file");
    },
  };
  const verdict = await judge("read", { layers: [broken], mode: () => "all" });
  expect(verdict).toMatchObject({
    decision: "deny",
    trace: [{ layer: "hook", reason: "it could not be decided: no such file" }],
  });
});

test("the trace tells in order who said what, also what did not decide", async () => {
  const layers = [layer("a", { decision: "allow", reason: "open" }), layer("silent", undefined), layer("b", ask)];
  const { trace } = await judge("update", { layers, grants: () => [grant] });
  expect(trace.map(({ layer, decision }) => `${layer}:${decision}`)).toEqual([
    "a:allow",
    "b:ask",
    "mode:ask",
    "grant:allow",
  ]);
});

test("the stricter of two asks counts, in either order", async () => {
  const person: Opinion = { ...ask, needs: "person" };
  for (const opinions of [
    [ask, person],
    [person, ask],
    [person, { ...ask, needs: "grant" as const }],
  ]) {
    const layers = opinions.map((opinion, at) => layer(String(at), opinion));
    expect(await judge("update", { layers })).toMatchObject({ decision: "ask", needs: "person" });
  }
});

const opinions = fc.option(
  fc.record({
    decision: fc.constantFrom("allow" as const, "ask" as const, "deny" as const),
    reason: fc.constant("r"),
    needs: fc.constantFrom("mode" as const, "grant" as const, "person" as const),
  }),
  { nil: undefined },
);
const settings = fc.record({
  layers: fc.array(opinions, { maxLength: 4 }),
  mode: fc.constantFrom(...MODES),
  grants: fc.array(fc.record({ covers: fc.boolean(), namesTarget: fc.boolean() }), { maxLength: 2 }),
  editable: fc.boolean(),
  action: fc.constantFrom(...ACTIONS),
});

function decide(
  { mode, grants, editable, action }: Parameters<Parameters<typeof settings.map>[0]>[0],
  layers: readonly (Opinion | undefined)[],
  withGrants = true,
): Promise<Verdict> {
  return judge(action, {
    layers: layers.map((opinion, at) => layer(String(at), opinion)),
    mode: () => mode,
    editable: () => editable,
    grants: () =>
      withGrants ? grants.map(({ covers, namesTarget }) => ({ name: "g", covers: () => covers, namesTarget })) : [],
  });
}

function strictness({ decision, needs }: Verdict): number {
  return { allow: 0, ask: 1 + { mode: 0, grant: 1, person: 2 }[needs], deny: 4 }[decision];
}

test("adding a layer to a policy never loosens a verdict", async () => {
  await fc.assert(
    fc.asyncProperty(settings, opinions, fc.nat(4), async (given, added, at) => {
      const before = await decide(given, given.layers);
      const after = await decide(given, given.layers.toSpliced(at, 0, added));
      expect(strictness(after)).toBeGreaterThanOrEqual(strictness(before));
    }),
    { numRuns: 2_000 },
  );
});

test("a grant never turns a deny into anything else, nor answers what needs a person", async () => {
  await fc.assert(
    fc.asyncProperty(settings, async (given) => {
      const without = await decide(given, given.layers, false);
      const granted = await decide(given, given.layers);
      fc.pre(without.decision === "deny" || without.needs === "person");
      expect(granted.decision).toBe(without.decision);
    }),
    { numRuns: 1_000 },
  );
});

test("the reason of a verdict is that of the step that decided", async () => {
  const asks: PolicyLayer = { name: "source", judge: () => ({ decision: "ask", reason: "it is read_write" }) };
  const person: PolicyLayer = { name: "p", judge: () => ({ decision: "ask", needs: "person", reason: "protected" }) };
  const allows: PolicyLayer = { name: "later", judge: () => ({ decision: "allow", reason: "fine" }) };
  const reasonOf = async (layers: readonly PolicyLayer[]): Promise<string> =>
    decidingReason(
      await createPolicy({ layers, mode: () => "edits" }).judge({ action: "delete", target: "file:///a" }, FACTS),
    );
  expect(await reasonOf([asks, allows])).toBe('approval mode "edits" asks before delete');
  expect(await reasonOf([asks, person, allows])).toBe("protected");
  expect(decidingReason({ decision: "deny", needs: "mode", trace: [] })).toBe("no rule allows it");
});

const FINAL = "file:///final";
const led = (target: string) => ({ action: "update", target }) as const;
const closes = (closed: string): PolicyLayer => ({
  name: "closes",
  judge: ({ target }) => (target === closed ? { decision: "deny", reason: "closed" } : undefined),
});

test("every layer judges the place where an effect ends, and its other names", async () => {
  for (const closed of ["file:///asked", FINAL, "docs:///other"]) {
    const policy = createPolicy({
      layers: [closes(closed)],
      mode: () => "all",
      follow: () => ({ final: led(FINAL), others: [led("docs:///other")] }),
    });
    expect(await policy.judge(led("file:///asked"), FACTS)).toMatchObject({ decision: "deny" });
    expect(await policy.judge(led("file:///asked"), FACTS)).toMatchObject({ effect: { target: "file:///asked" } });
  }
});

test("a reason for another place than the one that was asked for names it", async () => {
  const policy = createPolicy({ layers: [closes(FINAL)], follow: () => ({ final: led(FINAL) }) });
  const verdict = await policy.judge(led("file:///asked"), FACTS);
  expect(decidingReason(verdict)).toBe(`it leads to ${FINAL}: closed`);
});

test("a grant and mode edits must cover the place where an effect ends too", async () => {
  const follow = () => ({ final: led(FINAL) });
  const covers = ({ target }: Effect): boolean => target === "file:///asked";
  const granted = createPolicy({ follow, grants: () => [{ ...grant, covers }] });
  expect(await granted.judge(led("file:///asked"), FACTS)).toMatchObject({ decision: "ask" });
  const editing = createPolicy({ follow, mode: () => "edits", editable: covers });
  expect(await editing.judge(led("file:///asked"), FACTS)).toMatchObject({ decision: "ask" });
});

test("an effect whose final place cannot be told is denied, and an opinion on the way counts", async () => {
  const lost = createPolicy({
    mode: () => "all",
    follow: () => {
      throw new Error("a circle");
    },
  });
  expect(decidingReason(await lost.judge(led("file:///asked"), FACTS))).toBe("nobody can say where it leads: a circle");
  const place = { path: "final" };
  const unsure = createPolicy({
    mode: () => "all",
    follow: () => ({ final: led(FINAL), opinion: { ...ask, needs: "person" }, place }),
  });
  expect(await unsure.judge(led("file:///asked"), FACTS)).toMatchObject({ decision: "ask", needs: "person", place });
});

test("layers hear the path on this machine of the place that was asked for when it is final", async () => {
  const heard: Effect[] = [];
  const listens: PolicyLayer = { name: "listens", judge: (effect) => void heard.push(effect) };
  const follow = (effect: Effect) => ({ final: { ...effect, local: "/workspace/a" } });
  await createPolicy({ layers: [listens], follow }).judge(led("file:///a"), FACTS);
  expect(heard).toEqual([{ ...led("file:///a"), local: "/workspace/a" }]);
});

test("the stricter of two opinions counts: by decision, then by who can answer, and the first where they are equal", () => {
  const allow = { decision: "allow", reason: "a" } as const;
  const ask = { decision: "ask", reason: "b" } as const;
  const person = { decision: "ask", needs: "person", reason: "c" } as const;
  const deny = { decision: "deny", reason: "d" } as const;
  const order: readonly Opinion[] = [allow, ask, { ...ask, needs: "grant" }, person, deny];
  for (const [at, one] of order.entries()) {
    for (const [index, other] of order.entries()) {
      expect(stricterOpinion(one, other)).toBe(order[Math.max(at, index)]);
    }
  }
  expect(stricterOpinion(ask, { ...ask, reason: "z" })).toBe(ask);
  expect([stricterOpinion<Opinion>(undefined, ask), stricterOpinion<Opinion>(ask, undefined)]).toEqual([ask, ask]);
});
