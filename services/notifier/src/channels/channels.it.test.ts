import { createGuard } from "@sonde/kit/egress/guard";
import { type AppError, invalid } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { openSecrets } from "@sonde/domain/sealed-config";
import { secretContexts } from "@sonde/kit/secrets";
import { silentLog } from "@sonde/kit/service/log";
import { type FakeClock, fakeClock } from "@sonde/kit/time/clock";
import { notificationsContract } from "@sonde/proto/rpc/notifications";
import { faultsOf as issueFaults } from "@sonde/proto/http/reasons/issues";
import { secretMask } from "@sonde/proto/http/secrets";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { z } from "zod";
import type { Context } from "../context.ts";
import { endpoints } from "../endpoints.ts";
import { testBox } from "../testing/delivering.ts";
import { openTables } from "../testing/rows.ts";
import {
  createChannel,
  updateChannel,
  removeChannel,
  presentChannel,
  allChannels,
  listChannels,
  maxChannels,
  type StoredChannel,
} from "./channels.ts";
import { sealOpenSecrets } from "./config.ts";

let db: Database;
let ctx: Context;
let nudges = 0;
beforeAll(async () => {
  db = await openTables();
  ctx = {
    db,
    clock: fakeClock(),
    log: silentLog,
    secrets: testBox,
    guard: createGuard({ denyCidrs: ["10.0.0.0/8"] }),
    publicUrl: null,
    pushServices: [],
    committed: () => {},
    due: () => void (nudges += 1),
  };
});
afterAll(() => db.destroy());

const slack = { webhookUrl: "https://hooks.slack.com/services/T0/B0/canary" };
const webhook = {
  url: "https://example.com/hooks/canary?key=canary",
  headers: [{ name: "X-Token", value: "canary" }],
  secret: "canary-secret",
};
const { methods } = notificationsContract;
const add = async (type: string, config: object, name = "ops") =>
  createChannel(ctx, parsed(methods.createChannel.input, { name, type, enabled: true, config }));
const change = async (id: number, fields: { config?: object; name?: string; enabled?: boolean; type?: string }) =>
  updateChannel(ctx, parsed(methods.updateChannel.input, { id, ...fields }));
function parsed<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(given);
  if (error) throw invalid(issueFaults(error.issues));
  return data;
}
const opened = ({ config }: StoredChannel) => openSecrets({ box: testBox, context: secretContexts.channel }, config);
const faultsOf = (verb: Promise<unknown>) =>
  verb.then(
    () => [],
    ({ details, key }: AppError) => (details.length > 0 ? details.map(({ path, message }) => [path, message]) : [key]),
  );

test("seals the secrets of a channel, and masks them in responses", async () => {
  const channel = await add("webhook", webhook);
  const row = await db("channels").where({ id: channel.id }).first();
  expect(JSON.stringify(row)).not.toContain("canary");
  expect(opened(channel)).toMatchObject(webhook);
  const shown = presentChannel(channel);
  expect(shown.config).toEqual({
    url: secretMask,
    method: "POST",
    headers: [{ name: "X-Token", value: secretMask }],
    secret: secretMask,
  });
  expect(shown).toMatchObject({ type: "webhook", enabled: true, healthy: true });
});

test.each<[string, string, object, string[]]>([
  ["an unknown type", "pigeon", {}, ["type"]],
  ["a missing field", "telegram", { chatId: "1" }, ["config.botToken"]],
  ["an unknown field", "slack", { ...slack, extra: 1 }, ["config.extra"]],
  ["no configuration at all", "slack", [], ["config"]],
  ["a bad address", "webhook", { url: "ftp://example.com" }, ["config.url"]],
  ["a metadata address", "webhook", { url: "http://169.254.169.254/latest" }, ["config.url"]],
  ["a metadata address in disguise", "webhook", { url: "http://0xA9FEA9FE/" }, ["config.url"]],
  ["an address within IPv6", "webhook", { url: "http://[::ffff:169.254.169.254]/" }, ["config.url"]],
  ["an address that the operator denies", "slack", { webhookUrl: "https://10.1.2.3/x" }, ["config.webhookUrl"]],
  [
    "a link-local mail server",
    "smtp",
    { host: "169.254.1.1", from: "a@b.example", to: "a@b.example" },
    ["config.host"],
  ],
  [
    "a link-local mail server as a number",
    "smtp",
    { host: "2852039166", from: "a@b.example", to: "a@b.example" },
    ["config.host"],
  ],
  ["a mask without a stored secret", "slack", { webhookUrl: secretMask }, ["config.webhookUrl"]],
  [
    "a text that cannot be stored",
    "webhook",
    { url: "https://example.com/", bodyTemplate: "a\0b" },
    ["config.bodyTemplate"],
  ],
])("rejects %s with its path", async (_name, type, config, paths) => {
  const faults = await faultsOf(add(type, config));
  expect(faults.map(([path]) => path)).toEqual(paths);
});

test("an update leaves absent fields unchanged, and null clears a field", async () => {
  const { id } = await add("webhook", webhook);
  const changed = await change(id, { name: "night shift", config: { method: "PUT" } });
  expect(opened(changed)).toMatchObject({ ...webhook, method: "PUT" });
  expect(changed.name).toBe("night shift");
  const cleared = await change(id, { config: { secret: null } });
  expect(opened(cleared)).not.toHaveProperty("secret");
});

test("a mask keeps a stored secret, unless the address changes", async () => {
  const { id } = await add("webhook", webhook);
  const masked = { headers: [{ name: "X-Token", value: secretMask }], secret: secretMask };
  expect(opened(await change(id, { config: { ...masked, url: "https://example.com/other" } }))).toMatchObject({
    ...webhook,
    url: "https://example.com/other",
  });
  const anew = "The address has changed: enter this secret value again";
  expect(await faultsOf(change(id, { config: { url: "https://evil.example/" } }))).toEqual([
    ["config.secret", anew],
    ["config.headers.0.value", anew],
  ]);
});

test("the mask of a webhook's address keeps the stored one", async () => {
  const { id } = await add("webhook", webhook);
  const kept = await change(id, { config: { url: secretMask, method: "PUT" } });
  expect(opened(kept)).toMatchObject({ ...webhook, method: "PUT" });
});

/** Adds a webhook as the previous version stored it, with its address as plain text. */
async function addInTheClear() {
  const { id } = await add("webhook", webhook);
  const find = async () => (await allChannels(db)).find((channel) => channel.id === id)!;
  const { config } = await find();
  await db("channels")
    .where({ id })
    .update({ config: JSON.stringify({ ...config, url: webhook.url }) });
  return { id, find };
}

test("masks a webhook address that is not sealed yet, and its mask keeps it", async () => {
  const { id, find } = await addInTheClear();
  expect(presentChannel(await find()).config).toMatchObject({ url: secretMask });
  const kept = await change(id, { config: { url: secretMask, method: "PUT" } });
  expect(JSON.stringify(kept.config)).not.toContain("canary");
  expect(opened(kept)).toMatchObject({ ...webhook, method: "PUT" });
});

test("seals a webhook address that was stored as plain text once", async () => {
  const { find } = await addInTheClear();
  expect([await sealOpenSecrets(db, testBox), await sealOpenSecrets(db, testBox)]).toEqual([1, 0]);
  const after = await find();
  expect(JSON.stringify(after.config)).not.toContain("canary");
  expect(opened(after)).toMatchObject(webhook);
});

test("the type of a channel cannot change", async () => {
  const { id } = await add("slack", slack);
  expect(await faultsOf(change(id, { type: "webhook" }))).toEqual([["type", "A channel's type cannot be changed"]]);
  expect((await change(id, { type: "slack", name: "same" })).name).toBe("same");
});

test("a changed configuration resets a refused channel's health, a changed name does not", async () => {
  const { id } = await add("slack", slack);
  await db("channels").where({ id }).update({ isHealthy: false, isDead: true, refusal: "Gone", refusedAtMs: 1 });
  expect(await change(id, { name: "renamed" })).toMatchObject({ isHealthy: false, isDead: true, refusal: "Gone" });
  const edited = await change(id, { config: { webhookUrl: "https://hooks.slack.com/services/T0/B0/other" } });
  expect(edited).toMatchObject({ isHealthy: true, isDead: false, refusal: null, refusedAtMs: null });
});

test("a channel works only after a delivery with its current configuration, and fails while a message is retried", async () => {
  const { id } = await add("slack", slack);
  const state = async () => {
    const shown = (await listChannels(db)).find((channel) => channel.id === id);
    expect(shown?.healthy).toBe(shown?.state !== "failing");
    return [shown?.state, shown?.waiting];
  };
  const settle = (status: string, atMs: number) =>
    db("channels").where({ id }).update({ lastSettledStatus: status, lastSettledAtMs: atMs });
  const nowMs = ctx.clock.now();
  expect(await state()).toEqual(["untried", undefined]);
  const waits = {
    targets: [],
    language: "en-US",
    status: "pending",
    createdAtMs: 0,
    dueAtMs: nowMs,
    givesUpAtMs: nowMs,
  };
  const messages = await db("messages")
    .insert([1, 2].map((at) => ({ ...waits, key: `state ${at}`, channelId: id })))
    .returning<{ id: number }[]>("id");
  expect(await state()).toEqual(["untried", { messages: 2, failure: undefined }]);
  const attempt = { messageId: messages[0]!.id, startedAtMs: 0, answer: "503 busy" };
  await db("attempts").insert([
    { ...attempt, number: 1, endedAtMs: nowMs - 10, answer: "earlier" },
    { ...attempt, number: 2, endedAtMs: nowMs },
    { ...attempt, number: 3 },
  ]);
  const failure = { at: new Date(nowMs).toISOString(), answer: "503 busy" };
  expect(await state()).toEqual(["failing", { messages: 2, failure }]);
  await settle("delivered", nowMs + 1);
  expect(await state()).toMatchObject(["works", { messages: 2 }]);
  await settle("failed", nowMs + 2);
  await db("messages").where({ channelId: id }).delete();
  expect(await state()).toEqual(["failing", undefined]);
  await settle("delivered", nowMs + 3);
  expect(await state()).toEqual(["works", undefined]);
  (ctx.clock as FakeClock).advance(10);
  await change(id, { name: "renamed" });
  expect(await state()).toEqual(["works", undefined]);
  await change(id, { config: slack });
  expect(await state()).toEqual(["untried", undefined]);
});

test("waiting messages of a channel that is disabled or deleted are due at once", async () => {
  const [off, gone] = [await add("slack", slack), await add("slack", slack)];
  for (const { id } of [off, gone]) {
    await db("messages").insert({
      key: `waits ${id}`,
      channelId: id,
      targets: [],
      language: "en-US",
      status: "pending",
      createdAtMs: 0,
      dueAtMs: ctx.clock.now() + 600_000,
      givesUpAtMs: ctx.clock.now() + 6e7,
    });
  }
  const before = nudges;
  await change(off.id, { enabled: false });
  await removeChannel(ctx, gone);
  const due = await db("messages").whereIn("channel_id", [off.id, gone.id]).pluck("due_at_ms");
  expect(due).toEqual([ctx.clock.now(), ctx.clock.now()]);
  expect(nudges).toBe(before + 2);
});

test("deleting a channel removes it from all settings", async () => {
  const [gone, stays] = [await add("slack", slack), await add("slack", slack)];
  const value = { enabled: true, channels: [stays.id, gone.id] };
  await db("settings").insert([
    { scope: "global-monitor", value: JSON.stringify(value), revision: 1 },
    { scope: "monitor", targetId: 3, value: JSON.stringify({ ...value, channels: [gone.id] }), revision: 2 },
    { scope: "agent", targetId: 4, value: JSON.stringify({ ...value, channels: [stays.id] }), revision: 3 },
  ]);
  await removeChannel(ctx, gone);
  const settings = await db("settings").orderBy("revision").pluck("value");
  expect(settings.map(({ channels }: { channels: number[] }) => channels)).toEqual([[stays.id], [], [stays.id]]);
  expect((await allChannels(db)).map(({ id }) => id)).not.toContain(gone.id);
  expect(await faultsOf(removeChannel(ctx, gone))).toEqual(["Notification channel does not exist"]);
  expect(await faultsOf(change(gone.id, { name: "x" }))).toEqual(["Notification channel does not exist"]);
  expect(await faultsOf(change(4_000_000_000, { name: "x" }))).toEqual(["Notification channel does not exist"]);
});

test("all configurations together fit into one bus message", async () => {
  const text = (length: number) => ({ url: "https://example.com/", bodyTemplate: "界".repeat(length) });
  const ids: number[] = [];
  const faults: unknown[] = [];
  for (let step = 0; step < 20 && faults.length === 0; step += 1) {
    faults.push(...(await faultsOf(add("webhook", text(16_000)).then(({ id }) => ids.push(id)))));
  }
  const tooLarge = "The combined settings of all channels are too large (maximum {limit})";
  expect(faults).toEqual([tooLarge]);
  const small = await add("webhook", text(1));
  expect(await faultsOf(change(small.id, { config: text(16_000) }))).toEqual([tooLarge]);
  const shown = (await allChannels(db)).map((channel) => presentChannel(channel));
  expect(Buffer.byteLength(JSON.stringify(shown))).toBeLessThan(1024 * 1024);
  await db("channels").whereIn("id", ids).delete();
});

test("limits channels to 200, also for concurrent requests", async () => {
  const { length } = await allChannels(db);
  const row = { name: "x", type: "slack", enabled: true, config: "{}", createdAtMs: 0, updatedAtMs: 0 };
  await db("channels").insert(Array.from({ length: maxChannels - length - 1 }, () => row));
  const faults = await Promise.all(Array.from({ length: 4 }, () => faultsOf(add("slack", slack))));
  expect(faults.flat()).toEqual(
    Array.from({ length: 3 }, () => "The limit of {max} channels has been reached: delete one first"),
  );
  expect(await allChannels(db)).toHaveLength(maxChannels);
});

test("creates a channel once per Idempotency-Key", async () => {
  await db("channels").delete();
  const idempotency = { id: "key", request: "a", sealKey: "k".repeat(43) };
  const call = { requestId: "r", timeoutMs: 1000, signal: new AbortController().signal, idempotency };
  const actor = { id: 1, username: "bob", role: "user" as const };
  const request = { type: "slack", name: "once", enabled: true, config: slack } as const;
  const { createChannel: made } = endpoints(ctx, {} as never, {} as never, {} as never);
  const [first, again] = [await made(request, { ...call, actor }), await made(request, { ...call, actor })];
  expect(again.id).toBe(first.id);
  expect((await allChannels(db)).filter(({ name }) => name === "once")).toHaveLength(1);
});
