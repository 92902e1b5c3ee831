import { applyAnswer, type ConfigPlan, sourcesAnswer } from "@sonde/proto/http/config/apply";
import type { ConfigDocument } from "@sonde/proto/http/config/document";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Api, apiOf, firstAdmin } from "@sonde/testing/api";
import { type Product, startProduct } from "@sonde/testing/product";
import { startTarget, type Target } from "@sonde/testing/target";

const patienceMs = 60_000;

let product: Product;
let target: Target;
let api: Api;
beforeAll(async () => {
  target = await startTarget();
  product = await startProduct();
  api = (await firstAdmin(product.url)).api;
});
afterAll(async () => {
  await product?.remove();
  await target?.stop();
});

const config = (): object => ({
  defaults: { monitor: { tags: ["prod"] } },
  channels: { ops: { type: "ntfy", topic: "sonde-ops", token: "a secret" } },
  templates: { short: { kind: "down", subject: "{{name}}", content: "{{error}}" } },
  monitors: {
    shop: { url: target.url, dependsOn: ["monitor:db"], notify: { channels: ["ops"] } },
    db: { type: "tcp", host: "db.example.com", port: 5432, paused: true },
  },
  settings: { monitors: { channels: ["ops"], template: "short" } },
  maintenance: {
    weekly: {
      targets: ["monitor:shop"],
      start: "2026-02-01T01:00:00Z",
      end: "2026-02-01T02:00:00Z",
      rrule: "FREQ=WEEKLY",
    },
  },
  page: { title: "Our services", monitors: ["shop"], groups: [{ name: "Shop", monitors: ["shop"] }] },
});
const send = async (body: object, { dryRun = false, to = api } = {}) =>
  applyAnswer.parse(
    await to.send("POST", `/api/apply${dryRun ? "?dryRun=true" : ""}`, { source: "prod-git", ...body }),
  );
const refusal = (asked: Promise<unknown>) =>
  asked.then(
    () => "done",
    (error: Error) => error.message,
  );
const monitors = async () => (await api.get<{ monitors: Monitor[] }>("/api/monitors?sort=name")).monitors;
const nothing = { create: [], update: [], remove: [], conflicts: [] };
const expectSame = (plan: ConfigPlan) =>
  expect(plan).toEqual({ ...nothing, same: expect.arrayContaining([expect.any(String)]) });

test("a document is planned, applied, checked, and shown with who owns what", async () => {
  const { plan } = await send({ config: config() }, { dryRun: true });
  expect(plan.create.toSorted()).toEqual([
    "channels.ops",
    "maintenance.weekly",
    "monitors.db",
    "monitors.shop",
    "templates.short",
  ]);
  expect(await monitors()).toEqual([]);
  const places = { "monitors.shop": "sonde.yaml:12" };
  const applied = await send({ config: config(), revision: "abc", places });
  expect([applied.message, applied.generation]).toEqual(["Configuration applied", 1]);
  const [db, shop] = await monitors();
  expect(db).toMatchObject({ name: "db", status: "paused", tags: ["prod"] });
  expect(shop!.managed).toEqual({
    source: "prod-git",
    key: "shop",
    place: "sonde.yaml:12",
    fields: ["dependsOn", "tags", "url"],
  });
  await expect.poll(async () => (await monitors())[1]?.status, { timeout: patienceMs }).toBe("up");
  const { sources } = sourcesAnswer.parse(await api.get("/api/sources"));
  expect(sources).toMatchObject([
    {
      name: "prod-git",
      generation: 1,
      revision: "abc",
      appliedBy: "ada",
      outcome: "applied",
      objects: { monitor: 2, channel: 1 },
    },
  ]);
  expectSame((await send({ config: config(), places })).plan);
});

test("what the document leaves out is people's, and neither side undoes the other", async () => {
  const [, shop] = await monitors();
  await api.send("POST", `/api/monitors/${shop!.id}/pause`);
  await api.send("PUT", `/api/monitors/${shop!.id}`, { note: "Ask Ada" });
  expect(await refusal(api.send("PUT", `/api/monitors/${shop!.id}`, { url: "https://example.org/" }))).toContain(
    "url is managed by prod-git",
  );
  expect(await refusal(api.send("DELETE", `/api/monitors/${shop!.id}`))).toContain("shop is managed by prod-git");
  const before = await monitors();
  const { plan, message, generation } = await send({ config: config(), places: { "monitors.shop": "sonde.yaml:12" } });
  expectSame(plan);
  expect([message, generation]).toEqual(["Nothing to apply", 1]);
  const set = ({ status, note, updatedAt }: Monitor) => [status, note, updatedAt];
  expect((await monitors()).map(set)).toEqual(before.map(set));
  expect(set(before[1]!).slice(0, 2)).toEqual(["paused", "Ask Ada"]);
});

test("of two that race one comes last, and is what is there", async () => {
  const renamed = (name: string) => ({ config: { ...config(), page: { title: name } } });
  const both = await Promise.allSettled([send(renamed("First")), send(renamed("Second"))]);
  const done = both.filter(({ status }) => status === "fulfilled");
  expect(done.length).toBeGreaterThan(0);
  for (const one of both)
    if (one.status === "rejected") expect(String(one.reason)).toMatch(/: 409 .*(Overtaken|meanwhile)/);
  const { config: page } = await api.get<{ config: { title: string } }>("/api/status/config");
  const [first, second] = both.map((one, at) => (one.status === "fulfilled" ? ["First", "Second"][at] : null));
  expect([first, second]).toContain(page.title);
  expectSame((await send(renamed(page.title))).plan);
});

test(
  "a kill at any instant leaves nothing that the same document does not complete",
  { timeout: 400_000 },
  async () => {
    for (const [round, afterMs] of [100, 400, 1_000].entries()) {
      const channels = { [`round-${round}`]: { type: "ntfy", topic: `round-${round}` } };
      const named = (at: number) => ({
        type: "tcp",
        host: "127.0.0.1",
        port: 1_000 + at,
        interval: 60,
        notify: { channels: [`round-${round}`] },
      });
      const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`r${round}-${at}`, named(at)]));
      const document = { source: "killed", config: { channels, monitors: many, page: undefined }, allowDelete: 1_000 };
      const sent = send(document).catch(() => null);
      await sleep(afterMs);
      await product.killAndStart();
      await sent;
      await send(document);
      expectSame((await send(document, { dryRun: true })).plan);
      const { total } = await api.get<{ total: number }>(`/api/monitors?search=r${round}-&pageSize=1`);
      expect(total).toBe(300);
      const settings = await api.get<{ monitors: object }>("/api/notifications/settings");
      // One of the shop.
      expect(Object.keys(settings.monitors)).toHaveLength(301);
    }
    await api.send("DELETE", "/api/sources/killed");
  },
);

test("documents refer to what others hold, and what people took over is no longer the document's", async () => {
  const byHand = { name: "By hand", type: "ntfy", config: { topic: "by-hand" } };
  const { channel } = await api.send<{ channel: { id: number } }>("POST", "/api/notifications/channels", byHand);
  const queue = {
    type: "tcp",
    host: "queue.example.com",
    port: 5672,
    paused: true,
    dependsOn: ["monitor:db"],
    notify: { channels: ["ops", "name:By hand"], template: "short" },
  };
  const team = (given: object) => ({ source: "team", config: { monitors: { queue: { ...queue, ...given } } } });
  for (const dependsOn of ["monitor:gone", "agent:gone"])
    expect(await refusal(send(team({ dependsOn: [dependsOn] })))).toMatch(/monitors\.queue\.dependsOn\.0/);
  await send(team({}));
  const read = async (name: string) => (await monitors()).find((one) => one.name === name)!;
  const [{ id, dependsOn }, db] = [await read("queue"), await read("db")];
  expect(dependsOn).toEqual([{ type: "monitor", id: db.id }]);
  const settings = await api.get<{ monitors: Record<number, { channels: number[] }> }>("/api/notifications/settings");
  expect(settings.monitors[id]!.channels).toHaveLength(2);
  expectSame((await send(team({}), { dryRun: true })).plan);

  const drift = async () =>
    sourcesAnswer.parse(await api.get("/api/sources")).sources.find(({ name }) => name === "team")!.drift;
  await api.send("DELETE", "/api/sources/team/objects/monitor/queue");
  expect(await drift()).toEqual(["monitors.queue"]);
  await api.send("PUT", `/api/monitors/${id}`, { host: "queue-2.example.com" });
  expect(await refusal(send(team({})))).toMatch(/ 409 .*adopt: true takes it over/);
  await send(team({ adopt: true }));
  expect([await drift(), (await read("queue")).id]).toEqual([[], id]);
  expect(await read("queue")).toMatchObject({ host: "queue.example.com" });
  await api.send("DELETE", "/api/sources/team");
  await api.send("DELETE", `/api/notifications/channels/${channel.id}`);
});

test("what an export says is the same, here and on another Sonde", async () => {
  const { config: exported } = await api.get<{ config: ConfigDocument }>("/api/export/document");
  expect(exported.channels!["ops"]).toMatchObject({ token: { env: "OPS_TOKEN" } });
  const resolved = { ...exported, channels: { ops: { ...exported.channels!["ops"], token: "a secret" } } };
  expectSame((await send({ config: resolved }, { dryRun: true })).plan);
  const other = await startProduct();
  try {
    const there = apiOf(other.url, (await firstAdmin(other.url)).token);
    await send({ config: resolved }, { to: there });
    expectSame((await send({ config: resolved }, { to: there, dryRun: true })).plan);
    const copied = await there.get<{ config: ConfigDocument }>("/api/export/document");
    expect(copied.config).toEqual(exported);
  } finally {
    await other.remove();
  }
});

test("what a document holds no more is removed, as much as it may", async () => {
  expect(await refusal(send({ config: {} }))).toContain(
    "This would remove 5 objects of this source, and the limit is 0",
  );
  await send({ config: {}, allowDelete: 5 });
  expect(await monitors()).toEqual([]);
  await api.send("DELETE", "/api/sources/prod-git");
  expect(sourcesAnswer.parse(await api.get("/api/sources")).sources).toEqual([]);
});
