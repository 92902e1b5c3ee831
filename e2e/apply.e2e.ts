import { applyAnswer, type ConfigPlan, sourcesAnswer } from "@sonde/proto/http/config/apply";
import type { ConfigDocument } from "@sonde/proto/http/config/document";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Api } from "@sonde/testing/api";
import { useInstallation } from "./support/shared.ts";
import { startTarget, type Target } from "@sonde/testing/target";

const patienceMs = 60_000;

let target: Target;
let api: Api;
beforeAll(async () => {
  target = await startTarget();
  ({ api } = await useInstallation("default"));
});
afterAll(() => target?.stop());

const config = () => ({
  defaults: { monitor: { tags: ["prod"] } },
  channels: { "applied-ops": { type: "ntfy", serverUrl: "http://127.0.0.1:9", topic: "sonde-ops", token: "a secret" } },
  templates: { "applied-short": { kind: "down", subject: "{{name}}", content: "{{error}}" } },
  monitors: {
    "applied-shop": { url: target.url, dependsOn: ["monitor:applied-db"], notify: { channels: ["applied-ops"] } },
    "applied-db": { type: "tcp", host: "db.example.com", port: 5432, paused: true },
  },
  settings: { monitors: { channels: ["applied-ops"], template: "applied-short" } },
  maintenance: {
    "applied-weekly": {
      targets: ["monitor:applied-shop"],
      start: "2026-02-01T01:00:00Z",
      end: "2026-02-01T02:00:00Z",
      rrule: "FREQ=WEEKLY",
    },
  },
  page: {
    title: "Our services",
    monitors: ["applied-shop"],
    groups: [{ name: "Shop", monitors: ["applied-shop"] }],
  },
});
const send = async (body: object, { dryRun = false, to = api } = {}) =>
  applyAnswer.parse(
    await to.send("POST", `/api/apply${dryRun ? "?dryRun=true" : ""}`, { source: "prod-git", ...body }),
  );
const refusal = (request: Promise<unknown>) =>
  request.then(
    () => "done",
    (error: Error) => error.message,
  );
const monitors = async () =>
  (await api.get<{ monitors: Monitor[] }>("/api/monitors?sort=name&search=applied-")).monitors;
const sourceOf = async (source: string) =>
  sourcesAnswer.parse(await api.get("/api/sources")).sources.find(({ name }) => name === source);
const nothing = { create: [], update: [], remove: [], conflicts: [] };
const expectSame = (plan: ConfigPlan) =>
  expect(plan).toEqual({ ...nothing, same: expect.arrayContaining([expect.any(String)]) });

test("a document is planned and applied, and its objects are checked and show their source", async () => {
  const { plan } = await send({ config: config() }, { dryRun: true });
  expect(plan.create.toSorted()).toEqual([
    "channels.applied-ops",
    "maintenance.applied-weekly",
    "monitors.applied-db",
    "monitors.applied-shop",
    "templates.applied-short",
  ]);
  expect(await monitors()).toEqual([]);
  const places = { "monitors.applied-shop": "sonde.yaml:12" };
  const applied = await send({ config: config(), revision: "abc", places });
  expect([applied.message, applied.generation]).toEqual(["Configuration applied", 1]);
  const [db, shop] = await monitors();
  expect(db).toMatchObject({ name: "applied-db", status: "paused", tags: ["prod"] });
  expect(shop!.managed).toEqual({
    source: "prod-git",
    key: "applied-shop",
    place: "sonde.yaml:12",
    fields: ["dependsOn", "tags", "url"],
  });
  await expect.poll(async () => (await monitors())[1]?.status, { timeout: patienceMs }).toBe("up");
  expect(await sourceOf("prod-git")).toMatchObject({
    generation: 1,
    revision: "abc",
    appliedBy: "ada",
    outcome: "applied",
    objects: { monitor: 2, channel: 1 },
  });
  expectSame((await send({ config: config(), places })).plan);
});

test("users own the fields that the document omits, and neither overwrites the other", async () => {
  const [, shop] = await monitors();
  await api.send("POST", `/api/monitors/${shop!.id}/pause`);
  await api.send("PUT", `/api/monitors/${shop!.id}`, { note: "Ask Ada" });
  expect(await refusal(api.send("PUT", `/api/monitors/${shop!.id}`, { url: "https://example.org/" }))).toContain(
    "url is managed by prod-git",
  );
  expect(await refusal(api.send("DELETE", `/api/monitors/${shop!.id}`))).toContain(
    "applied-shop is managed by prod-git",
  );
  const before = await monitors();
  const { plan, message, generation } = await send({
    config: config(),
    places: { "monitors.applied-shop": "sonde.yaml:12" },
  });
  expectSame(plan);
  expect([message, generation]).toEqual(["Nothing to apply", 1]);
  const set = ({ status, note, updatedAt }: Monitor) => [status, note, updatedAt];
  expect((await monitors()).map(set)).toEqual(before.map(set));
  expect(set(before[1]!).slice(0, 2)).toEqual(["paused", "Ask Ada"]);
});

test("of two concurrent applies, the last one wins as a whole", async () => {
  const renamed = (name: string) => ({ config: { ...config(), page: { title: name } } });
  const both = await Promise.allSettled([send(renamed("First")), send(renamed("Second"))]);
  const done = both.filter(({ status }) => status === "fulfilled");
  expect(done.length).toBeGreaterThan(0);
  for (const one of both)
    if (one.status === "rejected") expect(String(one.reason)).toMatch(/: 409 .*(Superseded|in the meantime)/);
  const { config: page } = await api.get<{ config: { title: string } }>("/api/status/config");
  const [first, second] = both.map((one, at) => (one.status === "fulfilled" ? ["First", "Second"][at] : null));
  expect([first, second]).toContain(page.title);
  expectSame((await send(renamed(page.title))).plan);
});

test("documents refer to objects of others, and released objects are no longer theirs", async () => {
  const byHand = {
    name: "Applied by hand",
    type: "ntfy",
    config: { serverUrl: "http://127.0.0.1:9", topic: "by-hand" },
  };
  const { channel } = await api.send<{ channel: { id: number } }>("POST", "/api/notifications/channels", byHand);
  const queue = {
    type: "tcp",
    host: "queue.example.com",
    port: 5672,
    paused: true,
    dependsOn: ["monitor:applied-db"],
    notify: { channels: ["applied-ops", "name:Applied by hand"], template: "applied-short" },
  };
  const team = (overrides: object) => ({
    source: "team",
    config: { monitors: { "applied-queue": { ...queue, ...overrides } } },
  });
  for (const dependsOn of ["monitor:gone", "agent:gone"])
    expect(await refusal(send(team({ dependsOn: [dependsOn] })))).toMatch(/monitors\.applied-queue\.dependsOn\.0/);
  await send(team({}));
  const read = async (name: string) => (await monitors()).find((one) => one.name === name)!;
  const [{ id, dependsOn }, db] = [await read("applied-queue"), await read("applied-db")];
  expect(dependsOn).toEqual([{ type: "monitor", id: db.id }]);
  const settings = await api.get<{ monitors: Record<number, { channels: number[] }> }>("/api/notifications/settings");
  expect(settings.monitors[id]!.channels).toHaveLength(2);
  expectSame((await send(team({}), { dryRun: true })).plan);

  const drift = async () => (await sourceOf("team"))!.drift;
  await api.send("DELETE", "/api/sources/team/objects/monitor/applied-queue");
  expect(await drift()).toEqual(["monitors.applied-queue"]);
  await api.send("PUT", `/api/monitors/${id}`, { host: "queue-2.example.com" });
  expect(await refusal(send(team({})))).toMatch(/ 409 .*adopt: true to take it over/);
  await send(team({ adopt: true }));
  expect([await drift(), (await read("applied-queue")).id]).toEqual([[], id]);
  expect(await read("applied-queue")).toMatchObject({ host: "queue.example.com" });
  await api.send("DELETE", "/api/sources/team");
  await api.send("DELETE", `/api/notifications/channels/${channel.id}`);
});

test("applying an export changes nothing, here or on another installation", async () => {
  /** The objects of this file in an export, with the secret that exports omit. */
  const exportOf = async (from: Api) => {
    const { config: all } = await from.get<{ config: ConfigDocument }>("/api/export/document");
    const { templates, monitors: exported, maintenance } = config();
    const own = <Value>(values: Record<string, Value> = {}, made: object) =>
      Object.fromEntries(Object.entries(values).filter(([key]) => key in made));
    expect(all.channels!["applied-ops"]).toMatchObject({ token: { env: "APPLIED_OPS_TOKEN" } });
    return {
      channels: { "applied-ops": { ...all.channels!["applied-ops"], token: "a secret" } },
      templates: own(all.templates, templates),
      monitors: own(all.monitors, exported),
      maintenance: own(all.maintenance, maintenance),
    };
  };
  await send({ config: config() });
  const exported = await exportOf(api);
  const { settings, page } = config();
  expectSame((await send({ config: { ...exported, settings, page } }, { dryRun: true })).plan);
  const { api: there } = await useInstallation("signIn");
  await send({ config: exported }, { to: there });
  expectSame((await send({ config: exported }, { to: there, dryRun: true })).plan);
  expect(await exportOf(there)).toEqual(exported);
  await there.send("DELETE", "/api/sources/prod-git");
});

test("objects that a document no longer contains are removed, up to its limit", async () => {
  expect(await refusal(send({ config: {} }))).toContain("This would remove 5 objects from this source; the limit is 0");
  await send({ config: {}, allowDelete: 5 });
  expect(await monitors()).toEqual([]);
  await api.send("DELETE", "/api/sources/prod-git");
  expect(await sourceOf("prod-git")).toBeUndefined();
});
