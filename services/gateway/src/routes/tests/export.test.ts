import { exportAnswer } from "@sonde/proto/http/export";
import { importAnswer } from "@sonde/proto/http/import";
import { secretMask } from "@sonde/proto/http/secrets";
import { unavailable } from "@sonde/kit/errors";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
afterAll(() => app.stop());
afterEach(() => app.fakes.heal());

const read = async () => exportAnswer.parse((await app.ask("GET", "/api/export", { as: "user" })).body);

test("an export contains the users' settings, and no secret", async () => {
  const exported = await read();
  expect(exported).toMatchObject({ version: 1, channels: [{ id: 7, config: { webhookUrl: secretMask } }] });
  expect(exported.monitors.map(({ id, name }) => [id, name])).toEqual([
    [7, "monitor 7"],
    [8, "monitor 8"],
  ]);
  expect(exported.monitors[0]).toMatchObject({ headers: [{ name: "authorization", value: secretMask }] });
  expect(exported.monitors[0]).not.toHaveProperty("status");
  expect(exported.schedules).toMatchObject([{ id: 7, layers: [{ members: ["ada", "ugo"] }] }]);
  expect(exported.policies).toMatchObject([{ name: "Ops", steps: [{ notify: ["channel:7", "user:ada"] }] }]);
  expect(exported.slos).toEqual([
    {
      id: 7,
      name: "Checkout",
      targets: [{ type: "monitor", id: 7 }],
      combine: "worst",
      objective: 99.9,
      window: "month",
      timeZone: "UTC",
      burnAlerts: true,
    },
  ]);
  expect(exported).not.toHaveProperty("contacts");
});

test("an export fails if a service is unavailable, rather than being incomplete", async () => {
  app.fakes.refuse("listMaintenance", unavailable("status-page"));
  expect((await app.ask("GET", "/api/export", { as: "user" })).status).toBe(503);
});

test("an export can be imported: monitors with missing secrets start paused", async () => {
  const exported = await read();
  const answer = await app.ask("POST", "/api/import?dryRun=true", {
    as: "user",
    body: { source: "sonde", export: exported },
  });
  const { will, cannot } = importAnswer.parse(answer.body);
  expect(cannot.filter(({ type }) => type === "monitor")).toEqual([
    { type: "monitor", what: "monitor 7", why: "A monitor with this name and target already exists" },
  ]);
  const left = cannot.filter(({ type }) => ["statusPage", "agent", "announcement", "maintenance"].includes(type));
  expect(left.map(({ type }) => type)).toEqual(expect.arrayContaining(["statusPage", "maintenance", "agent"]));
  expect(will.filter(({ type }) => type === "monitor")).toMatchObject([
    { name: "monitor 8", paused: true, notes: ["Paused: enter the value of authorization again"] },
  ]);
  // Its monitor exists already, and is counted here.
  expect(will.filter(({ type }) => type === "slo")).toEqual([{ type: "slo", name: "Checkout", notes: [] }]);
  expect(will.filter(({ type }) => type === "channel")).toMatchObject([
    { notes: ["Already exists; the existing one is used"] },
  ]);
});
