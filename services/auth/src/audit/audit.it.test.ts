import { auditContract } from "@sonde/proto/rpc/audit";
import { client } from "@sonde/kit/bus/rpc";
import { publishFact } from "@sonde/kit/bus/connect";
import { create, toBinary } from "@bufbuild/protobuf";
import { EntrySchema } from "@sonde/proto/gen/audit/v1/audit";
import { streams } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { enter, join, password, startAuth, type TestAuth } from "../testing/service.ts";
import { maintainMonths } from "./months.ts";

let whole: TestAuth;
beforeAll(async () => void (whole = await startAuth()));
afterAll(() => whole.stop());

const audit = () => client(whole.bus, auditContract, { timeoutMs: 30_000 });

test("the audit records actor, address, key and changed fields, but no secret", async () => {
  const { user, actor } = await join(whole, "ada");
  const call = { call: { ...actor.call, address: "192.0.2.7", requestId: "request-1" } };
  const made = await whole.auth.createUser({ username: "ben", password: "canary password", role: "viewer" }, call);
  const byKey = { call: { ...call.call, actor: { ...call.call.actor, keyId: 12 } } };
  await whole.auth.updateUser({ id: made.id, username: "benno", role: "user" }, byKey);
  await whole.auth.changePassword({ id: made.id, newPassword: "another canary" }, call);
  await enter(whole, "ada");
  await whole.auth.deleteUser({ id: made.id }, call);

  const { entries, total } = await audit().listEntries({}, actor);
  expect(entries.map(({ action, target }) => `${action} ${target.type} ${target.name}`)).toEqual([
    "delete user benno",
    "login user ada",
    "password user benno",
    "update user benno",
    "create user ben",
    "register user ada",
  ]);
  expect(total).toBe(6);
  expect(JSON.stringify(entries)).not.toContain("canary");
  expect(JSON.stringify(entries)).not.toContain(password);
  expect(entries[3]).toMatchObject({
    actor: { id: user.id, username: "ada", key: { id: 12 } },
    address: "192.0.2.7",
    requestId: "request-1",
    target: { type: "user", id: String(made.id) },
    changes: [
      { path: "username", from: "ben", to: "benno" },
      { path: "role", from: "viewer", to: "user" },
    ],
    isCut: false,
  });

  const targets = async (query: object) =>
    (await audit().listEntries(query, actor)).entries.map(({ action }) => action);
  expect(await targets({ actor: "key:12" })).toEqual(["update"]);
  expect(await targets({ actor: "ada", action: "login" })).toEqual(["login"]);
  expect(await targets({ target: `user:${made.id}` })).toEqual(["delete", "password", "update", "create"]);
  expect(await targets({ target: "key" })).toEqual([]);
  expect(await targets({ until: entries[5]!.at })).toEqual([]);
});

test("only administrators can read the audit", async () => {
  const { actor } = await join(whole, "vera");
  await expect(audit().listEntries({}, actor)).rejects.toMatchObject({ code: "forbidden" });
  await expect(audit().pageEntries({}, actor)).rejects.toMatchObject({ code: "forbidden" });
});

const entryOf = (username: string, atMs = Date.now()) =>
  create(EntrySchema, {
    id: randomUUID(),
    atMs,
    username,
    action: "update",
    targetType: "monitor",
    targetId: "5",
    targetName: "Shop",
    changes: JSON.stringify([{ path: "name", from: "a", to: "b" }]),
  });

test("the audit stores each entry of other services once, waits for the database, and moves invalid messages aside", async () => {
  const admin = { call: { actor: { id: 1, username: "ada", role: "admin" as const } } };
  const entry = entryOf("carl");
  const subject = subjects.audit("monitors");
  const send = (bytes: Uint8Array) => publishFact(whole.bus, subject, bytes);
  const found = async (actor: string) => (await audit().listEntries({ actor }, admin)).total;
  whole.way.cut();
  await send(toBinary(EntrySchema, entry));
  await send(toBinary(EntrySchema, entry));
  whole.way.restore();
  await expect.poll(() => found("carl").catch(() => -1)).toBe(1);
  const lettersBefore = (await whole.bus.jsm.streams.info(streams.deadLetters.name)).state.messages;
  await send(new Uint8Array([255, 255]));
  await send(toBinary(EntrySchema, entryOf("dora", Date.UTC(1999, 0))));
  await send(toBinary(EntrySchema, entryOf("emil")));
  await expect.poll(() => found("emil")).toBe(1);
  const letters = async () => (await whole.bus.jsm.streams.info(streams.deadLetters.name)).state.messages;
  await expect.poll(letters).toBe(lettersBefore + 2);
});

test("services read who edited a monitor, when and which fields, without values", async () => {
  const at = (ms: number) => new Date(ms).toISOString();
  const nowMs = Date.now();
  const changes = JSON.stringify([{ path: "check.url", from: "canary-1", to: "canary-2" }]);
  const edits = [
    { ...entryOf("gus", nowMs - 1_000), targetId: "9", changes },
    { ...entryOf("gus", nowMs - 2_000), targetId: "9", action: "pause" },
    { ...entryOf("gus", nowMs - 3_000), targetId: "9", action: "rotate" },
    { ...entryOf("gus", nowMs - 9_000), targetId: "9" },
    entryOf("gus", nowMs),
  ];
  for (const entry of edits) await publishFact(whole.bus, subjects.audit("monitors"), toBinary(EntrySchema, entry));
  const found = async () =>
    (await audit().listEdits({ monitorId: 9, since: at(nowMs - 5_000), until: at(nowMs) })).edits;
  await expect.poll(found).toEqual([
    { at: at(nowMs - 1_000), action: "update", by: "gus", fields: ["check.url"] },
    { at: at(nowMs - 2_000), action: "pause", by: "gus", fields: ["name"] },
  ]);
});

test("the audit is paged, and old months are dropped", async () => {
  const admin = { call: { actor: { id: 1, username: "ada", role: "admin" as const } } };
  const nowMs = Date.now();
  const monthBeforeMs = Date.UTC(new Date(nowMs).getUTCFullYear(), new Date(nowMs).getUTCMonth() - 1, 15);
  const all = Array.from({ length: 120 }, (_, index) => entryOf("fred", monthBeforeMs + Math.floor(index / 2)));
  for (const entry of all) await publishFact(whole.bus, subjects.audit("monitors"), toBinary(EntrySchema, entry));
  await expect.poll(async () => (await audit().listEntries({ actor: "fred" }, admin)).total).toBe(120);
  const seen: string[] = [];
  for (let page = await audit().pageEntries({ actor: "fred" }, admin); ;) {
    seen.push(...page.entries.map(({ id }) => id));
    if (!page.more) break;
    page = await audit().pageEntries({ actor: "fred", after: page.entries.at(-1) }, admin);
  }
  expect(seen.toSorted()).toEqual(all.map(({ id }) => id).toSorted());

  await maintainMonths(whole.db, nowMs + 50 * 24 * 3_600_000, 31);
  expect((await audit().listEntries({ actor: "fred" }, admin)).total).toBe(0);
});
