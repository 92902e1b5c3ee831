import { expect, expectTypeOf, test } from "vitest";
import { type AuditFact, createAuditEntry, type Labelled } from "./audit.ts";

const target = { type: "monitor", id: 5, name: "Shop" } as const;
const by = { id: 1, username: "ada" };
const changes = (before: object | null, after: object | null, secrets?: AuditFact["secrets"]) => {
  const entry = createAuditEntry({ action: "update", target, before, after, secrets, by })!;
  return { changes: JSON.parse(entry.changes ?? "") as { path: string }[], isCut: entry.isCut };
};

test("an entry lists changed fields at any depth, lists as a whole, and no bookkeeping fields", () => {
  const before = {
    id: 5,
    name: "a",
    check: { url: "http://a", headers: [1, 2] },
    note: "n",
    updatedAt: "1",
    same: [{}],
  };
  const after = { id: 5, name: "b", check: { url: "http://a", headers: [1] }, tags: [], updatedAt: "2", same: [{}] };
  expect(changes(before, after).changes).toEqual([
    { path: "name", from: "a", to: "b" },
    { path: "check.headers", from: [1, 2], to: [1] },
    { path: "note", from: "n" },
    { path: "tags", to: [] },
  ]);
  expect(changes(null, { check: { url: "u" }, on: false }).changes).toEqual([
    { path: "check.url", to: "u" },
    { path: "on", to: false },
  ]);
  expect(changes(before, null).changes.map(({ path }) => path)).toEqual([
    "name",
    "check.url",
    "check.headers",
    "note",
    "same",
  ]);
});

test("an entry shows that a secret changed although the masks are equal", () => {
  const config = { config: { token: "••••••" } };
  expect(changes(config, config, ["config.token"]).changes).toEqual([
    { path: "config.token", from: "••••••", to: "••••••" },
  ]);
});

test("an entry is limited in size, and marked if cut", () => {
  const long = changes({ note: "" }, { note: "é".repeat(100_000) });
  expect(long.isCut).toBe(true);
  expect(JSON.stringify(long).length).toBeLessThan(3_000);
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field${index}`, "x".repeat(1_000)]));
  const cut = changes(null, { list: [many], ...many });
  expect(cut.isCut).toBe(true);
  expect(cut.changes.length).toBeGreaterThan(5);
  expect(Buffer.byteLength(JSON.stringify(cut))).toBeLessThan(16 * 1024);
});

test("there is no entry without a user or key", () => {
  expect(createAuditEntry({ action: "delete", target })).toBeNull();
});

test("fields without a label are a type error", () => {
  type Fact<State extends object | null> = Omit<AuditFact, "before" | "after"> & { before: State };
  type Unlabelled<State extends object | null> =
    Labelled<Fact<State>> extends { withoutLabel: infer Field } ? Field : null;
  expectTypeOf<Unlabelled<{ id: number; name: string }>>().toEqualTypeOf<null>();
  expectTypeOf<Unlabelled<{ name: string; colour?: string } | { shape: string } | null>>().toEqualTypeOf<
    "colour" | "shape"
  >();
  expectTypeOf<Unlabelled<object>>().toBeString();
});
