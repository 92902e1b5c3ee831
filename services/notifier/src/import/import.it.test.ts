import { fakeClock } from "@sonde/kit/time/clock";
import { notificationsContract } from "@sonde/proto/rpc/notifications";
import { monitorSettings } from "@sonde/proto/http/notifications/settings";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Context } from "../context.ts";
import { openTestContext } from "../testing/context.ts";
import { importNotifications, undoImport } from "./import.ts";

let ctx: Context;
beforeEach(async () => void (ctx = await openTestContext(fakeClock())));
afterEach(() => ctx.db.destroy());

const channel = (name: string, config: object = { topic: "ops" }) => ({
  name,
  type: "ntfy",
  enabled: true,
  config,
});
const template = { name: "Short", kind: "down", subject: "{{name}}", content: "{{error}}" };
const setting = (scope: string, targetId: number, value: object) => ({ scope, targetId, value });
const run = async (given: object) =>
  importNotifications(ctx, notificationsContract.methods.importNotifications.input.parse(given));

const kept = async () => ({
  channels: await ctx.db("channels").orderBy("id").pluck("name"),
  templates: await ctx.db("templates").pluck("name"),
  settings: await ctx
    .db("settings")
    .whereNull("deleted_at_ms")
    .orderBy(["scope", "target_id"])
    .select("scope", "target_id", "value"),
});
const nothing = { channels: [], templates: [], settings: [] };

test("channels, templates and settings come at once, and settings name what came with them", async () => {
  const { channelIds = [], templateIds = [] } = await run({
    channels: [channel("a"), channel("b")],
    templates: [template],
    settings: [
      setting("global-monitor", 0, { channels: [-2] }),
      setting("monitor", 70, { channels: [-1, -2], templateId: -1, cooldownMinutes: 5 }),
      setting("monitor", 71, { enabled: false }),
    ],
  });
  expect(await kept()).toEqual({
    channels: ["a", "b"],
    templates: ["Short"],
    settings: [
      { scope: "global-monitor", targetId: 0, value: monitorSettings.parse({ channels: [channelIds[1]] }) },
      {
        scope: "monitor",
        targetId: 70,
        value: monitorSettings.parse({ channels: channelIds, templateId: templateIds[0], cooldownMinutes: 5 }),
      },
      { scope: "monitor", targetId: 71, value: monitorSettings.parse({ enabled: false }) },
    ],
  });
  const [row] = await ctx.db("channels").select("config");
  expect(row).toEqual({ config: { serverUrl: "https://ntfy.sh", topic: "ops" } });
});

test.each([
  ["a channel that cannot be", { channels: [channel("a"), channel("b", { topic: "a/b" })] }],
  ["a template that cannot be", { channels: [channel("a")], templates: [{ ...template, subject: "{{nothing}}" }] }],
  [
    "settings that name a channel that is not there",
    { channels: [channel("a")], settings: [setting("monitor", 7, { channels: [999] })] },
  ],
  ["settings that are none", { channels: [channel("a")], settings: [setting("monitor", 7, { cooldownMinutes: -1 })] }],
  [
    "more settings of single monitors than there may be",
    { channels: [channel("a")], settings: Array.from({ length: 1_001 }, (_, id) => setting("monitor", id + 1, {})) },
  ],
])("%s keeps everything out", async (_what, given) => {
  await expect(run(given)).rejects.toMatchObject({ code: expect.stringMatching(/^(?:invalid|impossible)$/) });
  expect(await kept()).toEqual(nothing);
});

test("a dry run names what is wrong, and keeps nothing", async () => {
  const { faults } = await run({
    channels: [channel("a"), channel("b", { topic: "x", serverUrl: "http://169.254.169.254" })],
    templates: [template, { ...template, content: "{{nothing}}" }],
    dryRun: true,
  });
  expect(faults).toMatchObject([
    { channel: 1, message: "Messages may not be sent to this address" },
    { template: 1, message: "There is no variable named {name}", params: { name: "nothing" } },
  ]);
  expect(await kept()).toEqual(nothing);
});

test("what an import wrote is taken back, twice if need be, and nothing else", async () => {
  await run({ channels: [channel("before")] });
  const settings = [setting("global-monitor", 0, { channels: [-1] }), setting("monitor", 70, {})];
  const { channelIds, templateIds } = await run({ channels: [channel("a")], templates: [template], settings });
  const request = notificationsContract.methods.undoImport.input.parse({ channelIds, templateIds, settings });
  await undoImport(ctx, request);
  await undoImport(ctx, request);
  expect(await kept()).toEqual({ ...nothing, channels: ["before"] });
});
