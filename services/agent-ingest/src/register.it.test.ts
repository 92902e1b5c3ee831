import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { collectEvents } from "./testing/facts.ts";
import { eventually } from "./testing/eventually.ts";
import { openTestbed, registration, type Replica, sampleOf, type AgentsTestbed } from "./testing/service.ts";
import { openDatabase } from "@sonde/kit/postgres/database";
import { silentLog } from "@sonde/kit/service/log";
import { migrations } from "../migrations/index.ts";

let bed: AgentsTestbed;
let events: ReturnType<typeof collectEvents>;
let first: Replica;
let second: Replica;
beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"));
  first = await bed.start();
  second = await bed.start();
  events = collectEvents(bed.bus);
});
afterAll(async () => {
  await events.stop();
  await bed.stop();
});

const register = (token: string, more: object = {}) =>
  bed.post("/agent/v1/register", { ...registration(token), ...more });

describe("a registration token", () => {
  test("is exchanged for an agent id and a key, once", async () => {
    const { token, expiresAt } = await bed.agents.createToken({});
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(23.9 * 3_600_000);
    const answer = await register(token, { unheardOf: 1 });
    expect(answer.status).toBe(201);
    const { agentId, key, limits } = answer.body as { agentId: number; key: string; limits: object };
    expect(Buffer.from(key, "base64url")).toHaveLength(32);
    expect(limits).toEqual({
      minIntervalSeconds: 1,
      maxBatchSamples: 500,
      maxBodyBytes: 4 * 2 ** 20,
      maxSampleBytes: 64 * 1024,
      reportsPerMinute: 120,
      reportUnitBytes: 64 * 1024,
      reportUnitSamples: 100,
      maxOpenIncidents: 50,
      incidentsPerMinute: 30,
    });
    const agent = await bed.agents.getAgent({ id: agentId });
    expect(agent).toMatchObject({ name: "web-1", hostname: "web-1", status: "connecting", interval: 10 });
    expect(agent.lastSeen).toBeNull();
    await eventually(() => expect(events.words(agentId)).toEqual(["registered"]));
    const again = await register(token);
    expect([again.status, again.body["code"], again.body["message"]]).toEqual([
      401,
      "unauthenticated",
      "The registration token has already been used",
    ]);
  });

  test("that does not exist is rejected, in the caller's language", async () => {
    const answer = await bed.post("/agent/v1/register", registration("x".repeat(43)), {
      headers: { "accept-language": "zh-CN" },
    });
    expect([answer.status, answer.body["message"]]).toEqual([401, "注册令牌无效"]);
  });

  test("that has expired is rejected", async () => {
    const { token } = await bed.agents.createToken({ expiresInHours: 0.000_000_1 });
    const answer = await register(token);
    expect([answer.status, answer.body["message"]]).toEqual([401, "The registration token has expired"]);
  });

  test("works once under concurrent requests", async () => {
    const { token } = await bed.agents.createToken({});
    const asked = [first, second, first, second, first].map((replica) =>
      bed.post("/agent/v1/register", registration(token), {}, replica),
    );
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.toSorted((left, right) => left - right)).toEqual([201, 401, 401, 401, 401]);
  });

  test("names an agent after its hostname, without deceptive characters", async () => {
    const { token } = await bed.agents.createToken({});
    const answer = await register(token, { hostname: "web\u202E-\u200B9" });
    const agent = await bed.agents.getAgent({ id: answer.body["agentId"] as number });
    expect(agent.name).toBe("web-9");
  });

  test("gives the agent the name that was entered for it", async () => {
    const { token } = await bed.agents.createToken({ name: "The shop" });
    const { agentId } = (await register(token, { name: "mine" })).body as { agentId: number };
    expect((await bed.agents.getAgent({ id: agentId })).name).toBe("The shop");
  });

  test("for an existing agent registers it again and revokes its old key", async () => {
    const { id, key } = await bed.register();
    const { token } = await bed.agents.createToken({ agentId: id });
    const answer = await register(token, { hostname: "web-2" });
    expect(answer.body).toMatchObject({ agentId: id });
    expect((await bed.report(key, { samples: [sampleOf()] }, second)).status).toBe(401);
    await eventually(async () => expect((await bed.report(key, { samples: [sampleOf()] }, first)).status).toBe(401));
    expect((await bed.report(String(answer.body["key"]), { samples: [sampleOf()] })).status).toBe(200);
    expect(await bed.agents.getAgent({ id })).toMatchObject({ name: "web-1", hostname: "web-2" });
  });

  test("for an unknown agent is not created", async () => {
    await expect(bed.agents.createToken({ agentId: 4_000_000 })).rejects.toMatchObject({
      code: "not_found",
      message: "Agent with ID 4000000 not found",
    });
  });

  test("can be guessed thirty times a minute per address, which does not affect others", async () => {
    const from = (address: string, token: string) =>
      bed.post("/agent/v1/register", registration(token), { headers: { "x-forwarded-for": address } }, second);
    const guesses = await Promise.all(Array.from({ length: 40 }, (_, at) => from("203.0.113.9", `guess ${at}`)));
    const later = await from("203.0.113.9", "one more");
    expect(guesses.filter(({ status }) => status === 401).length).toBeGreaterThanOrEqual(30);
    expect([later.status, later.body["code"]]).toEqual([429, "too_many"]);
    expect(Number(later.headers.get("retry-after"))).toBeGreaterThan(0);
    const { token } = await bed.agents.createToken({});
    // An address that the client claims precedes the one that the connecting proxy adds.
    expect((await from("203.0.113.10, 203.0.113.9", token)).status).toBe(429);
    expect((await from("203.0.113.9, 203.0.113.10", token)).status).toBe(201);
  });

  test("is rejected in a body over 64 KiB, or with over fifty addresses", async () => {
    const { token } = await bed.agents.createToken({});
    expect((await register(token, { os: "x".repeat(65_536) })).status).toBe(413);
    const answer = await register(token, { ipAddresses: Array(20_000).fill(0) });
    expect(answer.body["errors"]).toEqual([{ path: "ipAddresses", message: "Too many entries (maximum 50)" }]);
    expect((await register(token)).status).toBe(201);
  });

  test("stays valid if other fields are invalid, which are reported by path", async () => {
    const { token } = await bed.agents.createToken({});
    const answer = await register(token, { hostname: "", interval: 0 });
    expect(answer.status).toBe(400);
    expect((answer.body["errors"] as { path: string }[]).map(({ path }) => path)).toEqual(["hostname", "interval"]);
    const withNul = await register("a\0b", { hostname: "a\0b" });
    expect(withNul.body["errors"]).toEqual(
      ["token", "hostname"].map((path) => ({ path, message: "This value is not valid" })),
    );
    expect((await register(token)).status).toBe(201);
    expect((await bed.post("/agent/v1/register", "{")).status).toBe(400);
  });
});

test("neither a token nor a key is stored in the database", async () => {
  const { token } = await bed.agents.createToken({});
  const { key } = (await register(token)).body as { key: string };
  const db = await openDatabase({
    url: inject("databaseUrl"),
    schema: bed.schema,
    migrations,
    log: silentLog,
  });
  for (const table of ["tokens", "keys", "agents", "events", "outbox"]) {
    const text = JSON.stringify(await db(table));
    expect(text).not.toContain(token);
    expect(text).not.toContain(key);
  }
  await db.destroy();
});

test("a page of agents that exceeds a message is returned in parts, in order", async () => {
  const made = [await bed.register(), await bed.register(), await bed.register(), await bed.register()];
  const ids = made.map(({ id }) => id);
  const db = await openDatabase({ url: inject("databaseUrl"), schema: bed.schema, migrations, log: silentLog });
  const weigh = (addresses: string) =>
    db("agents")
      .whereRaw("id = any(?)", [ids])
      .update({ ip_addresses: db.raw(addresses) });
  await weigh("array[repeat('x', 300000)]");
  const [first, second, third, fourth] = ids;
  const page = await bed.agents.listAgents({ sort: "-createdAt", pageSize: 4 });
  expect(page.agents.map(({ id }) => id)).toEqual([fourth]);
  expect(page.restIds).toEqual([third, second, first]);
  const rest = await bed.agents.listAgents({ ids: page.restIds, pageSize: 3 });
  expect([rest.agents.map(({ id }) => id), rest.restIds]).toEqual([[third], [second, first]]);
  await weigh("array['192.0.2.1']");
  const light = await bed.agents.listAgents({ ids: page.restIds, pageSize: 3 });
  expect([light.agents.map(({ id }) => id), light.restIds]).toEqual([[third, second, first], []]);
  await db.destroy();
});

describe("an agent", () => {
  test("can be renamed, found and counted", async () => {
    const { id } = await bed.register({ hostname: "needle" });
    expect(await bed.agents.updateAgent({ id, name: "Haystack" })).toMatchObject({ id, name: "Haystack" });
    const found = await bed.agents.listAgents({ search: "needle" });
    expect([found.total, found.agents[0]?.name]).toEqual([1, "Haystack"]);
    const all = await bed.agents.listAgents({ pageSize: 2, sort: "-createdAt" });
    expect([all.agents.length, all.agents[0]?.id]).toEqual([2, id]);
    expect(await bed.agents.agentsSummary({})).toMatchObject({ total: all.total });
    await eventually(() => expect(events.words(id)).toEqual(["registered", "renamed"]));
    await expect(bed.agents.updateAgent({ id: 99_999, name: "x" })).rejects.toMatchObject({ code: "not_found" });
  });

  test("depends on the given targets, which is published, but never on itself", async () => {
    const { id } = await bed.register();
    const values = [{ type: "monitor" as const, id }];
    const changed = await bed.agents.updateAgent({ id, dependsOn: values });
    expect([changed.name, changed.dependsOn]).toMatchObject(["web-1", values]);
    expect((await bed.agents.updateAgent({ id, name: "Router" })).dependsOn).toMatchObject(values);
    await bed.agents.updateAgent({ id, name: "Router", dependsOn: values });
    await eventually(() => expect(events.words(id)).toEqual(["registered", "updated", "renamed"]));
    const { dependencies } = await bed.incidents.listDependencies({ afterId: id - 1 });
    expect(dependencies).toMatchObject([{ targetId: id, dependsOn: values }]);
    const listed = await bed.agents.listAgents({ ids: [id] });
    expect(listed.agents[0]?.dependsOn).toMatchObject(values);
    await expect(bed.agents.updateAgent({ id, dependsOn: [{ type: "agent", id }] })).rejects.toMatchObject({
      code: "invalid",
      details: [{ path: "dependsOn.0" }],
    });
    expect((await bed.agents.updateAgent({ id, dependsOn: [] })).dependsOn).toEqual([]);
  });

  test("can be found by its tags", async () => {
    const [{ id }, other] = [await bed.register(), await bed.register()];
    expect((await bed.agents.updateAgent({ id, tags: ["rack 1", "tagged"] })).tags).toEqual(["rack 1", "tagged"]);
    await bed.agents.updateAgent({ id: other.id, tags: ["tagged"] });
    await bed.agents.updateAgent({ id, name: "Tagged" });
    const idsOf = async (tag: string) =>
      (await bed.agents.listAgents({ tag, sort: "createdAt" })).agents.map((each) => each.id);
    expect([await idsOf("tagged"), await idsOf("rack 1"), await idsOf("rack")]).toEqual([[id, other.id], [id], []]);
    const { tags } = await bed.agents.listAgentTags({});
    expect(tags.filter(({ name }) => ["tagged", "rack 1"].includes(name))).toEqual([
      { name: "tagged", agents: 2 },
      { name: "rack 1", agents: 1 },
    ]);
    await bed.agents.deleteAgent({ id });
    expect((await bed.agents.listAgentTags({})).tags).not.toContainEqual({ name: "rack 1", agents: 1 });
  });

  test("that is deleted is rejected at once by every replica, and its incidents close", async () => {
    const { id, key } = await bed.register();
    const hot = (usage: number) => ({ samples: [sampleOf({ cpu: { usage } })] });
    await bed.report(key, hot(99));
    await bed.report(key, hot(99));
    await eventually(() => expect(events.words(id)).toContain("opened cpu"));
    await bed.agents.deleteAgent({ id });
    for (const replica of [first, second]) {
      await eventually(async () => expect((await bed.report(key, hot(1), replica)).status).toBe(401));
    }
    await expect(bed.agents.getAgent({ id })).rejects.toMatchObject({ code: "not_found" });
    const { incidents } = await bed.incidents.listIncidents({ filter: { targetId: id } });
    expect(incidents).toMatchObject([{ incident: { metric: "cpu", resolution: "deleted" } }]);
    const words = ["registered", "online", "opened cpu", "closed cpu (quiet)", "deleted"];
    await eventually(() => expect(events.words(id)).toEqual(words));
  });
});
