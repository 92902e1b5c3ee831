import { AppError, unavailable } from "@sonde/kit/errors";
import { unzipLines, zipLines } from "@sonde/domain/managed/lines";
import { applyAnswer } from "@sonde/proto/http/config/apply";
import type { ApplyPart, ConfigLine, ConfigOutcome } from "@sonde/proto/rpc/apply";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
afterAll(() => app.stop());
beforeEach(() => void (app.fakes.calls.length = 0));
afterEach(() => app.fakes.heal());

const config = {
  defaults: { monitor: { interval: "2m", tags: ["prod"] } },
  channels: { ops: { type: "slack", webhookUrl: "https://hooks.slack.com/services/T/B/x" } },
  monitors: {
    db: { type: "tcp", host: "db", port: 5432 },
    shop: { url: "https://shop.example.com/", interval: 1, dependsOn: ["monitor:db"], notify: { channels: ["ops"] } },
  },
  settings: { monitors: { channels: ["ops"] } },
  maintenance: { weekly: { targets: ["monitor:db"], start: "2026-02-01T01:00:00Z", end: "2026-02-01T02:00:00Z" } },
  page: { title: "Status", monitors: ["shop"] },
};
const send = (body: object, query = "") =>
  app.ask("POST", `/api/apply${query}`, { as: "user", body: { source: "prod-git", ...body } });
const plan = async (body: object) => applyAnswer.parse((await send(body, "?dryRun=true")).body).plan;
const methods = () => app.fakes.calls.map(({ method }) => method);
const parts = async (method: string) =>
  Promise.all(
    app.fakes.calls
      .filter((one) => one.method === method)
      .map(async ({ request }) => {
        const { lines, ...part } = request as ApplyPart;
        return { ...part, lines: (await unzipLines(lines)).map((text) => JSON.parse(text) as ConfigLine) };
      }),
  );
/** The response of monitors to each part. */
async function monitorsAnswer(outcomes: Omit<ConfigOutcome, "kind">[], writes = outcomes.length) {
  const lines = await zipLines(outcomes.map((one) => ({ kind: "monitor", ...one })));
  const { handlers } = app.fakes;
  const before = handlers.monitors.applyMonitors;
  handlers.monitors.applyMonitors = async () => ({ lines, writes });
  return () => void (handlers.monitors.applyMonitors = before);
}

describe("a plan", () => {
  test("lists what would be created by path, and changes nothing", async () => {
    const { create, update, conflicts } = await plan({ config });
    expect(create).toEqual(["monitors.db", "monitors.shop", "channels.ops", "maintenance.weekly"]);
    // Settings of a new monitor are not listed separately.
    expect(update.map(({ path }) => path)).toEqual(["settings.monitors.x", "page.x"]);
    expect(conflicts).toEqual([]);
    expect(methods()).not.toContain("beginApply");
    for (const method of ["applyMonitors", "applyNotifications", "applyPage"])
      expect((await parts(method)).map(({ generation }) => generation)).toEqual([null]);
  });

  test("resolves members of schedules by username or address", async () => {
    const layer = { every: { n: 1, unit: "day" }, handoff: { time: "09:00" }, from: "2026-02-01" };
    const schedules = { primary: { timeZone: "UTC", layers: [{ ...layer, members: ["ada", "nobody@example.com"] }] } };
    await plan({ config: { schedules } });
    const [{ lines, ids } = { lines: [], ids: null }] = await parts("applyNotifications");
    expect(lines).toEqual([{ kind: "schedule", key: "primary", adopt: false, fields: schedules.primary }]);
    expect(ids).toMatchObject({ users: { ada: 1 } });
  });

  test("sends each service its part, with defaults, places and referenced ids", async () => {
    await plan({ config, places: { "monitors.shop": "sonde.yaml:9" } });
    const [monitors] = await parts("applyMonitors");
    expect(monitors!.lines).toEqual([
      {
        kind: "monitor",
        key: "db",
        adopt: false,
        fields: { interval: 2, tags: ["prod"], type: "tcp", host: "db", port: 5432 },
      },
      {
        kind: "monitor",
        key: "shop",
        adopt: false,
        place: "sonde.yaml:9",
        fields: { interval: 1, tags: ["prod"], url: "https://shop.example.com/", dependsOn: ["monitor:db"] },
      },
    ]);
    const [notifications] = await parts("applyNotifications");
    expect(notifications!.lines.map(({ kind, key }) => [kind, key])).toEqual([
      ["channel", "ops"],
      ["settings", "monitors"],
      ["notify", "shop"],
    ]);
    expect(notifications!.ids.monitors).toEqual({ shop: -2 });
    const [page] = await parts("applyPage");
    expect(page!.ids).toEqual({
      monitors: { shop: -2, db: -1 },
      agents: {},
      channels: {},
      templates: {},
      schedules: {},
      policies: {},
      users: {},
    });
  });

  test("shows conflicts, which an apply rejects with both sources", async () => {
    const conflict: Omit<ConfigOutcome, "kind"> = {
      key: "shop",
      outcome: "conflict",
      place: "b.yaml:2",
      with: { source: "other", place: "a.yaml:1" },
      faults: [{ path: "", message: "{source} already has the key {key}", params: { source: "other", key: "shop" } }],
    };
    const back = await monitorsAnswer([conflict]);
    expect((await plan({ config })).conflicts).toEqual([
      {
        path: "monitors.shop",
        message: "other already has the key shop",
        place: "b.yaml:2",
        with: { source: "other", place: "a.yaml:1" },
      },
    ]);
    const refused = await send({ config });
    back();
    expect([refused.status, refused.body["errors"]]).toEqual([
      409,
      [{ path: "monitors.shop", message: "other already has the key shop" }],
    ]);
    expect(methods()).not.toContain("beginApply");
  });
});

describe("an apply", () => {
  test("reserves ids, and takes one step per service, with its generation", async () => {
    const { status, body } = await send({ config, revision: "abc" });
    expect([status, body["message"], body["generation"]]).toEqual([200, "Configuration applied", 3]);
    expect(methods().slice(-5)).toEqual(["beginApply", "applyNotifications", "applyMonitors", "applyPage", "endApply"]);
    const last = async (method: string) => (await parts(method)).at(-1)!;
    expect((await last("applyNotifications")).ids.monitors).toEqual({ shop: 101 });
    expect(await last("applyMonitors")).toMatchObject({ generation: 3, ids: { monitors: { db: 100, shop: 101 } } });
    expect((await last("applyPage")).ids.monitors).toEqual({ shop: 101, db: 100 });
    expect(app.fakes.calls.at(-1)?.request).toEqual({
      source: "prod-git",
      generation: 3,
      revision: "abc",
      outcome: "applied",
      by: "ugo",
    });
  });

  test("without changes starts no generation", async () => {
    const back = await monitorsAnswer([{ key: "shop", id: 7, outcome: "same" }], 0);
    const { body } = await send({ config: { monitors: { shop: config.monitors.db } } });
    back();
    expect(body).toMatchObject({ message: "Nothing to apply", generation: 2, plan: { same: ["monitors.shop"] } });
    expect(methods()).not.toContain("beginApply");
  });

  test("removes no more than allowed", async () => {
    const back = await monitorsAnswer([
      { key: "a", id: 7, outcome: "remove" },
      { key: "b", id: 8, outcome: "remove" },
    ]);
    const refused = await send({ config: {}, allowDelete: 1 });
    const { status } = await send({ config: {}, allowDelete: 2 });
    back();
    expect([refused.status, refused.body["message"], status]).toEqual([
      422,
      "This would remove 2 objects from this source; the limit is 1",
      200,
    ]);
  });

  test("reports what was applied before a service became unavailable", async () => {
    let times = 0;
    app.fakes.refuse("applyPage", async () => {
      if ((times += 1) > 1) throw unavailable("status-page");
      return undefined as never;
    });
    const { status, body } = await send({ config });
    expect([status, body["message"]]).toEqual([
      503,
      "The status-page service is currently unavailable. Applied so far: channels, templates, schedules, policies, drills, settings, reports, monitors, service levels. Apply the document again",
    ]);
    expect(app.fakes.calls.at(-1)).toMatchObject({ method: "endApply", request: { generation: 3 } });
  });

  test("that was overtaken is 409", async () => {
    const overtaken = new AppError("conflict", "Superseded by generation {generation}", { params: { generation: 4 } });
    let times = 0;
    app.fakes.refuse("applyMonitors", async () => {
      if ((times += 1) > 1) throw overtaken;
      return undefined as never;
    });
    const { status, body } = await send({ config });
    expect([status, body["message"]]).toEqual([409, "Superseded by generation 4"]);
  });
});

describe("a document", () => {
  test.each([
    ["an unknown field", { monitors: { shop: { url: "https://a.example.com", urll: 1 } } }, "monitors.shop.urll"],
    [
      "a field of another kind",
      { monitors: { db: { type: "tcp", host: "db", port: 1, url: "x" } } },
      "monitors.db.url",
    ],
    ["a wrong value", { monitors: { shop: { url: "ftp://a" } } }, "monitors.shop.url"],
    ["a wrong key", { monitors: { "Bad Key": { url: "https://a.example.com" } } }, "monitors.Bad Key"],
    [
      "a reference that the reader of the file left",
      { channels: { ops: { type: "slack", webhookUrl: { env: "X" } } } },
      "channels.ops.webhookUrl",
    ],
    ["a wrong default", { defaults: { monitor: { retries: 99 } } }, "defaults.monitor.retries"],
    [
      "a channel that sends no mail",
      { ...config, page: { subscriptions: { enabled: true, channel: "ops" } } },
      "page.subscriptions.channel",
    ],
  ])("with %s is 400 with its path", async (_what, given, path) => {
    const { status, body } = await send({ config: given });
    expect([status, (body["errors"] as { path: string }[]).map((one) => one.path)]).toEqual([400, [path]]);
    expect(app.fakes.calls).toEqual([]);
  });

  test("with a service's problems is 400, or 422 if all are impossible", async () => {
    const fault = (isImpossible: boolean): Omit<ConfigOutcome, "kind"> => ({
      key: "shop",
      outcome: "fault",
      isImpossible,
      faults: [{ path: "locations.0", message: "There is no location named {location}", params: { location: "mars" } }],
    });
    const answers = [];
    for (const outcomes of [[fault(true)], [fault(true), fault(false)]]) {
      const back = await monitorsAnswer(outcomes);
      answers.push(await send({ config }, "?dryRun=true"));
      back();
    }
    expect(answers.map(({ status }) => status)).toEqual([422, 400]);
    expect(answers[0]!.body["errors"]).toEqual([
      { path: "monitors.shop.locations.0", message: "There is no location named mars" },
    ]);
  });

  test("with a dependency cycle is 422 and names its monitors", async () => {
    const monitors = Object.fromEntries(
      ["a", "b", "c", "d"].map((key, at) => [
        key,
        { type: "tcp", host: key, port: 1, dependsOn: [`monitor:${["b", "c", "a", "a"][at]}`] },
      ]),
    );
    const { status, body } = await send({ config: { monitors } });
    expect([status, body["message"]]).toEqual([
      422,
      expect.stringMatching(/^This would create a dependency cycle: (a → b → c → a|b → c → a → b|c → a → b → c)$/),
    ]);
  });

  test("that closes a cycle with existing monitors is 422; a diamond is fine", async () => {
    const monitors = {
      a: { ...config.monitors.db, dependsOn: ["monitor:b", "monitor:c"] },
      b: { ...config.monitors.db, dependsOn: ["monitor:c"] },
      c: config.monitors.db,
    };
    expect((await send({ config: { monitors } }, "?dryRun=true")).status).toBe(200);
    const { agents } = app.fakes.handlers.incidents;
    const before = agents.listDependencies;
    const dependsOn = [{ type: "monitor" as const, id: 9 }];
    agents.listDependencies = async () => ({ dependencies: [{ targetId: 7, dependsOn }], more: false });
    const back = await monitorsAnswer([{ key: "c", id: 9, outcome: "same" }]);
    const { agents: handlers } = app.fakes.handlers;
    const list = handlers.listAgents;
    handlers.listAgents = async (query) => {
      const found = await list(query, undefined as never);
      return { ...found, agents: found.agents.map((agent) => ({ ...agent, id: 7, name: "web-1" })) };
    };
    const { status, body } = await send({
      config: { monitors: { c: { ...config.monitors.db, dependsOn: ["agent:web-1"] } } },
    });
    back();
    agents.listDependencies = before;
    handlers.listAgents = list;
    expect([status, body["message"]]).toEqual([
      422,
      expect.stringMatching(/dependency cycle: (c → web-1 → c|web-1 → c → web-1)$/),
    ]);
  });

  test("over 8 MiB, or with too many objects, is rejected", async () => {
    const text = JSON.stringify({ source: "x", config: {}, revision: "x".repeat(8 * 1024 * 1024) });
    expect((await app.ask("POST", "/api/apply", { as: "admin", body: text })).status).toBe(413);
    const monitors = Object.fromEntries(
      Array.from({ length: 10_001 }, (_, at) => [`m${at}`, { type: "tcp", host: "db", port: 1 }]),
    );
    const { status, body } = await send({ config: { monitors } });
    expect([status, body["message"]]).toEqual([400, "A document can contain at most 10000 objects"]);
  });
});

test("the document's schema is public, and has an ETag", async () => {
  const { status, headers, text } = await app.ask("GET", "/api/config.schema.json");
  expect([status, headers.get("content-type")]).toEqual([200, "application/schema+json; charset=utf-8"]);
  expect(JSON.parse(text)).toMatchObject({ $schema: "https://json-schema.org/draft/2020-12/schema" });
  const again = await app.ask("GET", "/api/config.schema.json", { headers: { "if-none-match": headers.get("etag")! } });
  expect(again.status).toBe(304);
});

describe("sources", () => {
  test("are listed with the objects that they manage", async () => {
    const { body } = await app.ask("GET", "/api/sources", { as: "viewer" });
    expect(body["sources"]).toMatchObject([
      { name: "prod-git", generation: 2, appliedBy: "ugo", objects: { monitor: 2, channel: 1 } },
    ]);
  });

  test("are released, or removed by an empty document", async () => {
    await app.ask("DELETE", "/api/sources/prod-git?keep=true", { as: "admin" });
    expect(methods()).toEqual(["listSources", "release", "release", "release"]);
    const back = await monitorsAnswer([{ key: "shop", id: 7, outcome: "remove" }]);
    app.fakes.calls.length = 0;
    const { body } = await app.ask("DELETE", "/api/sources/prod-git", { as: "admin" });
    back();
    expect(body["message"]).toBe("Source removed");
    expect(methods()).toContain("beginApply");
    expect((await app.ask("DELETE", "/api/sources/other", { as: "admin" })).status).toBe(404);
    expect((await app.ask("DELETE", "/api/sources/%ff", { as: "admin" })).status).toBe(404);
  });

  test("release one object, a monitor with its settings", async () => {
    await app.ask("DELETE", "/api/sources/kubernetes%2Fmain/objects/monitor/shop", { as: "user" });
    expect(app.fakes.calls.map(({ request }) => request)).toEqual([
      { source: "kubernetes/main", kind: "monitor", key: "shop" },
      { source: "kubernetes/main", kind: "notify", key: "shop" },
    ]);
  });
});
