import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type { Idempotency } from "../bus/rpc.ts";
import { AppError } from "../errors.ts";
import { silentLog } from "../service/log.ts";
import { fakeClock } from "../time/clock.ts";
import { type Database, openDatabase } from "./database.ts";
import { createIdempotency, idempotencyMigration } from "./idempotency.ts";

const hourMs = 3_600_000;
const migrations = {
  "001-idempotency": idempotencyMigration,
  "002-things": { up: (trx: Database) => trx.raw("create table things (id serial primary key, name text)") },
};
const clock = fakeClock(1_790_000_000_000);
let db: Database;
/** For two processes. */
type Idempotent = ReturnType<typeof createIdempotency>;
let one: Idempotent;
let other: Idempotent;

beforeAll(async () => {
  const schema = `idempotency_${randomUUID().replace(/[^a-f]/g, "")}`;
  db = await openDatabase({ url: inject("databaseUrl"), schema, migrations, log: silentLog });
  [one, other] = [createIdempotency({ db, clock }), createIdempotency({ db, clock })];
});
afterAll(() => db.destroy());

let users = 0;
const newUser = () => (users += 1);
const newKey = (): Idempotency => ({
  id: randomUUID(),
  request: "a",
  sealKey: randomBytes(32).toString("base64url"),
});
const callOf = (idempotency: Idempotency | undefined, userId: number) => ({
  idempotency,
  actor: { id: userId, username: "bob", role: "user" as const },
  signal: new AbortController().signal,
});

const hooks: string[] = [];
/** Creates a row in its own transaction, like a verb. */
const make = (idempotent: Idempotent, call: ReturnType<typeof callOf>, name: string, fault?: Error) =>
  idempotent(call, async (own, afterwards) => {
    const hook = afterwards((made: string) => void hooks.push(made));
    const [row] = await own.transaction((trx) => trx("things").insert({ name }).returning<{ id: number }[]>("id"));
    hook(name);
    if (fault !== undefined) throw fault;
    return { id: row!.id, username: name };
  });
const made = async (name: string) => (await db("things").where({ name })).length;

test("the same key and request get the first response from every process, and nothing is created twice", async () => {
  const call = callOf(newKey(), newUser());
  const first = await make(one, call, "repeated");
  const again = [await make(one, call, "repeated"), await make(other, call, "repeated")];
  expect(again).toEqual([first, first]);
  expect([await made("repeated"), hooks.filter((name) => name === "repeated")]).toEqual([1, ["repeated"]]);
});

test("concurrent requests are carried out once", async () => {
  const call = callOf(newKey(), newUser());
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, at) => make(at % 2 === 0 ? one : other, call, "twin")),
  );
  expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
  expect([await made("twin"), hooks.filter((name) => name === "twin")]).toEqual([1, ["twin"]]);
});

test("another request with the same key is rejected", async () => {
  const call = callOf(newKey(), newUser());
  await make(one, call, "first");
  const changed = callOf({ ...call.idempotency!, request: "b" }, call.actor.id);
  await expect(make(one, changed, "second")).rejects.toMatchObject({ code: "impossible" });
  expect(await made("second")).toBe(0);
});

test("a failed request leaves nothing behind, and can be retried with its key", async () => {
  const call = callOf(newKey(), newUser());
  await expect(make(one, call, "failed", new AppError("conflict", "Username already exists"))).rejects.toMatchObject({
    code: "conflict",
  });
  expect([await made("failed"), hooks.filter((name) => name === "failed")]).toEqual([0, []]);
  await make(one, call, "failed");
  expect(await made("failed")).toBe(1);
});

test("without a key each request is carried out", async () => {
  const call = callOf(undefined, newUser());
  await make(one, call, "plain");
  await make(one, call, "plain");
  expect(await made("plain")).toBe(2);
});

test("neither response nor key can be read from the stored row", async () => {
  const call = callOf(newKey(), newUser());
  await make(one, call, "sonde-secret-token");
  const row = await db("idempotent_requests").where({ id: call.idempotency!.id }).first<{ answer: Buffer }>();
  const text = JSON.stringify({ ...row, answer: row.answer.toString("latin1") });
  expect(text).not.toContain("sonde-secret-token");
  expect(text).not.toContain(call.idempotency!.sealKey);
});

test("after 24 hours a key can be reused, and its response is deleted", async () => {
  const call = callOf(newKey(), newUser());
  await make(one, call, "aged");
  clock.advance(24 * hourMs - 1);
  await make(one, call, "aged");
  expect(await made("aged")).toBe(1);
  clock.advance(1);
  await make(one, call, "aged");
  expect(await made("aged")).toBe(2);
  const [kept] = await db("idempotent_requests").count<{ count: number }[]>("* as count");
  expect(kept?.count).toBe(1);
});

test.each([
  ["a thousand requests", 1_000, 1],
  ["16 MiB of answers", 16, 2 ** 20],
])("a user may store %s, independently of others", async (_what, count, bytes) => {
  const full = newUser();
  await db.raw(
    "insert into idempotent_requests select gen_random_uuid(), ?, 'a', convert_to(repeat('x', ?), 'UTF8'), ? from generate_series(1, ?)",
    [full, bytes, clock.now(), count],
  );
  await expect(make(one, callOf(newKey(), full), "beyond")).rejects.toMatchObject({
    code: "too_many",
    retryAfterSeconds: 24 * 3600,
  });
  await make(one, callOf(newKey(), newUser()), "beyond");
  expect(await made("beyond")).toBeGreaterThan(0);
});
