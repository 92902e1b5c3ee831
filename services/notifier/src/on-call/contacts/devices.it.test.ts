import { createGuard } from "@sonde/kit/egress/guard";
import { createEgress } from "@sonde/kit/egress/requests";
import { createResolver } from "@sonde/kit/egress/resolver";
import type { Database } from "@sonde/kit/postgres/database";
import { deriveKeys } from "@sonde/kit/secret-keys";
import { secretBox } from "@sonde/kit/secrets";
import { silentLog } from "@sonde/kit/service/log";
import { fakeClock } from "@sonde/kit/time/clock";
import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { pushIdentityReader } from "../../channels/push/vapid.ts";
import { channelOf } from "../../channels/registry.ts";
import { renderMessage } from "../../messages/render.ts";
import { openBed, testBox } from "../../testing/delivering.ts";
import { decryptPush } from "../../testing/push.ts";
import { insertChannel, openTables } from "../../testing/rows.ts";
import { deviceKey, start } from "../../testing/stand-ins/push/web-push.ts";
import type { StandIn } from "../../testing/stand-ins/stand-in.ts";
import { listDevices, renewDevice, saveDevices } from "./devices.ts";
import { removeGoneDevices } from "../gone-devices.ts";
import { writeNotice } from "../handoff-message.ts";
import type { Notice } from "../notices.ts";

let db: Database;
let service: StandIn<"web-push">;
beforeAll(async () => {
  db = await openTables();
  service = await start();
});
afterAll(async () => {
  await service.stop();
  await db.destroy();
});
beforeEach(() => db("channels").delete());

const clock = { now: () => 1_800_000_000_000 };
const guard = createGuard({ denyCidrs: [] });
const ctx = { guard, secrets: testBox, clock, pushServices: ["127.0.0.1"] } as unknown as Parameters<
  typeof saveDevices
>[0];
const ada = { id: 1, name: "Ada" };
const bob = { id: 2, name: "Bob" };

function subscription(name = "Chrome on Android", endpoint?: string) {
  const { endpoint: own, ...keys } = service.config;
  return { endpoint: endpoint ?? own, keys, name };
}
const save = (user: typeof ada, list: Parameters<typeof saveDevices>[3]) =>
  db.transaction((trx) => saveDevices(ctx, trx, user, list));
const list = (user: typeof ada) => listDevices(ctx, db, user.id);

test("a saved device receives its person's alerts, which only it can read", async () => {
  await save(ada, [subscription()]);
  const [device] = await list(ada);
  const { deps, alert, run, statusOf } = openBed(db, channelOf("web-push"), {
    channelOf,
    guard,
    egress: createEgress({ guard, resolver: createResolver() }),
    render: renderMessage,
  });
  const sent = await alert(device!.id);
  await run();
  expect(await statusOf(sent)).toBe("delivered");
  const received = service.accepted.at(-1)!;
  expect(received.text).not.toContain("down");
  const shown = JSON.parse(decryptPush(received.bytes, deviceKey, service.config)) as Record<string, unknown>;
  expect(shown).toMatchObject({ title: expect.stringContaining("is down") as string, badge: 1 });
  const [, key] = /k=([\w-]+)$/.exec(received.headers["authorization"] ?? "") ?? [];
  expect(key).toBe((await deps.pushIdentity()).publicKey);
  expect(await list(ada)).toEqual([{ ...device, lastProvenAt: expect.any(String) as string }]);
});

test("a device whose browser removed the subscription is removed, and its person is told once", async () => {
  await save(ada, [subscription("Phone"), subscription("Laptop", "https://fcm.googleapis.com/fcm/send/2")]);
  const [phone] = await list(ada);
  const through = await insertChannel(db, { type: "smtp" });
  const mail = await insertChannel(db, { type: "smtp", userId: 1, throughId: through });
  const rules = [
    { urgency: "high", after: 0, via: "push" },
    { urgency: "high", after: 5, via: "mail", channelId: mail },
  ];
  const value = JSON.stringify({ timeZone: "UTC", night: null, rules, language: "en-US" });
  await db("contacts").insert({ userId: 1, value, updatedAtMs: 0 });
  const noticing = {
    db,
    clock: fakeClock(),
    log: silentLog,
    people: async () => new Map(),
    readerOf: () => "people" as const,
  };
  const { alert, run, pass, statusOf } = openBed(db, channelOf("web-push"), {
    channelOf,
    guard,
    egress: createEgress({ guard, resolver: createResolver() }),
    render: renderMessage,
    removeGoneDevices: () => removeGoneDevices(noticing),
  });
  service.answerNext("gone");
  const [refused, later] = [await alert(phone!.id, { monitor: 3 }), await alert(phone!.id, { monitor: 4 })];
  await run();
  await pass(60_000);
  expect([await statusOf(refused), await statusOf(later)]).toEqual(["failed", "failed"]);
  expect(service.requests).toHaveLength(service.accepted.length + 1);
  expect((await list(ada)).map(({ name }) => name)).toEqual(["Laptop"]);
  await Promise.all([removeGoneDevices(noticing), removeGoneDevices(noticing)]);
  const told = await db("messages").whereNotNull("notice").select("key", "channel_id", "notice");
  expect(told).toMatchObject([
    // The other device is the first contact that works.
    { notice: { kind: "device-removed", userId: 1, device: "Phone" } },
  ]);
  const notices = { ...noticing, publicUrl: "https://sonde.example.com", quiet: async () => [] };
  const { key, notice } = told[0] as { key: string; notice: Notice };
  expect(await writeNotice(notices, notice, key)).toMatchObject({
    title: "No more notifications to Phone",
    text: expect.stringContaining("press Enable on this device") as string,
    links: [{ label: "Your devices", url: "https://sonde.example.com/profile/on-call?lang=en-US" }],
  });
  await db("channels").where({ name: "Ada · Laptop" }).update({ isDead: true });
  await removeGoneDevices(noticing);
  expect((await db("messages").whereNotNull("notice").orderBy("id"))[1]).toMatchObject({ channelId: mail });
  expect(await list(ada)).toEqual([]);
});

test("alerts to a person's own contacts are in the language the person chose", async () => {
  await save(ada, [subscription()]);
  const [device] = await list(ada);
  const { alert, pass } = openBed(db, channelOf("web-push"), {
    channelOf,
    guard,
    egress: createEgress({ guard, resolver: createResolver() }),
    render: renderMessage,
  });
  const titleOf = async (language: object) => {
    const value = JSON.stringify({ timeZone: "UTC", night: null, rules: [], ...language });
    await db("contacts").insert({ userId: 1, value, updatedAtMs: 0 }).onConflict("user_id").merge();
    await alert(device!.id, { monitor: service.accepted.length + 20 });
    await pass(20_000);
    const { bytes } = service.accepted.at(-1)!;
    return (JSON.parse(decryptPush(bytes, deviceKey, service.config)) as { title: string }).title;
  };
  expect(await titleOf({ language: "zh-CN" })).toMatch(/[\u4e00-\u9fff]/);
  expect(await titleOf({})).toContain("is down");
});

test("a list keeps, adds and removes devices; a browser replaces itself", async () => {
  await save(ada, [subscription("Phone"), subscription("Laptop", "https://fcm.googleapis.com/fcm/send/2")]);
  const [phone, laptop] = await list(ada);
  expect([phone?.name, laptop?.name]).toEqual(["Phone", "Laptop"]);
  expect(await db("channels").orderBy("id").pluck<string[]>("name")).toEqual(["Ada · Phone", "Ada · Laptop"]);
  expect(laptop?.digest).toBe(createHash("sha256").update("https://fcm.googleapis.com/fcm/send/2").digest("base64url"));
  await save(ada, [{ id: phone!.id }, subscription("Tablet", "https://web.push.apple.com/x")]);
  expect((await list(ada)).map(({ name }) => name)).toEqual(["Phone", "Tablet"]);
  await save(ada, [{ id: phone!.id }, subscription("Phone again")]);
  expect((await list(ada)).map(({ name }) => name)).toEqual(["Phone again"]);
  await save(ada, []);
  expect(await list(ada)).toEqual([]);
});

test("a browser that replaced its subscription goes on receiving, and no longer is dead", async () => {
  const old = "https://fcm.googleapis.com/fcm/send/old";
  await save(ada, [subscription("Phone", old)]);
  const [phone] = await list(ada);
  await db("channels").update({ isHealthy: false, isDead: true, refusal: "gone" });
  const { name: _, ...renewed } = subscription();
  await renewDevice({ ...ctx, db }, { old, ...renewed });
  const [after] = await list(ada);
  expect([after?.id, after?.name, after?.problem]).toEqual([phone?.id, "Phone", undefined]);
  expect(after?.digest).toBe(createHash("sha256").update(renewed.endpoint).digest("base64url"));
  await expect(renewDevice({ ...ctx, db }, { old, ...renewed })).rejects.toMatchObject({ code: "not_found" });
});

test("a person's devices are theirs alone", async () => {
  await save(ada, [subscription()]);
  const [device] = await list(ada);
  expect(await list(bob)).toEqual([]);
  await expect(save(bob, [{ id: device!.id }])).rejects.toMatchObject({
    code: "impossible",
    details: [{ path: "subscriptions.0.id", message: "This device was removed" }],
  });
  await save(bob, []);
  expect(await list(ada)).toHaveLength(1);
});

test.each([
  ["https://push.example/1", "endpoint", "This is not a known push service"],
  ["http://fcm.googleapis.com/1", "endpoint", "This is not a known push service"],
  ["https://fcm.googleapis.com.evil.example/1", "endpoint", "This is not a known push service"],
])("refuses %s", async (endpoint, field, message) => {
  await expect(save(ada, [subscription("x", endpoint)])).rejects.toMatchObject({
    code: "invalid",
    details: [{ path: `subscriptions.0.${field}`, message }],
  });
});

test("refuses keys of the wrong size, and addresses that Sonde may not call", async () => {
  const wrong = { ...subscription(), keys: { p256dh: "AAAA", auth: "AAAA" } };
  await expect(save(ada, [wrong])).rejects.toMatchObject({
    details: [{ path: "subscriptions.0.keys.p256dh" }, { path: "subscriptions.0.keys.auth" }],
  });
  const guarded = { ...ctx, guard: createGuard({ denyCidrs: ["127.0.0.0/8"] }) };
  await expect(db.transaction((trx) => saveDevices(guarded, trx, ada, [subscription()]))).rejects.toMatchObject({
    details: [{ path: "subscriptions.0.endpoint" }],
  });
});

test("the installation has one key pair, sealed; one that no key opens is replaced if no device uses it", async () => {
  const base = { db, secrets: testBox, publicUrl: "https://sonde.example.com" };
  const identities = await Promise.all([1, 2, 3].map(() => pushIdentityReader(base)()));
  expect(new Set(identities.map(({ publicKey }) => publicKey)).size).toBe(1);
  expect(identities[0]?.subject).toBe("https://sonde.example.com");
  const { config } = await db("push_key").first<{ config: { privateKey: { sealed: string } } }>();
  expect(config.privateKey.sealed).toMatch(/^v2\./);
  const other = secretBox(deriveKeys(Buffer.alloc(32, 8).toString("base64")));
  await save(ada, [subscription()]);
  await expect(pushIdentityReader({ ...base, secrets: other })()).rejects.toThrow();
  await save(ada, []);
  const replaced = await pushIdentityReader({ ...base, secrets: other })();
  expect(replaced.publicKey).not.toBe(identities[0]?.publicKey);
  expect((await pushIdentityReader({ ...base, secrets: other })()).publicKey).toBe(replaced.publicKey);
});
