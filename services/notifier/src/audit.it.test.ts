import { asUser, takeEntries } from "@sonde/domain/testing/audit";
import { partOf, type TestEntries } from "@sonde/domain/testing/config-part";
import { fakeClock } from "@sonde/kit/time/clock";
import { agentSettings, monitorSettings } from "@sonde/proto/http/notifications/settings";
import { secretMask } from "@sonde/proto/http/secrets";
import { notificationsContract } from "@sonde/proto/rpc/notifications";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createChannel, removeChannel, updateChannel } from "./channels/channels.ts";
import type { Context } from "./context.ts";
import { channelTester } from "./deliveries/test.ts";
import { applyNotifications } from "./apply/apply.ts";
import { putSetting, removeSetting } from "./settings/settings.ts";
import { createReport, removeReport, sendNow, updateReport } from "./reports/reports.ts";
import { createTemplate, removeTemplate, updateTemplate } from "./templates/templates.ts";
import { delivered, openBed, testChannel } from "./testing/delivering.ts";
import { openTestContext } from "./testing/context.ts";
import { newWorld, reportContext, weekly } from "./testing/reports.ts";

let ctx: Context;
beforeEach(async () => void (ctx = await openTestContext(fakeClock())));
afterEach(() => ctx.db.destroy());
const { methods } = notificationsContract;
async function recordedBy(change: () => Promise<unknown>) {
  await asUser(change);
  const entries = await takeEntries(ctx.db);
  expect(JSON.stringify(entries)).not.toContain("canary");
  return entries.map(({ what, changes }) => [what, changes]);
}
const nothingChanged = async (change: () => Promise<unknown>) => {
  await expect(asUser(change)).rejects.toThrow();
  expect(await takeEntries(ctx.db)).toEqual([]);
};

test("records changes of channels", async () => {
  const config = { url: "https://example.com/canary", secret: "canary-1" };
  const input = methods.createChannel.input.parse({ name: "ops", type: "webhook", enabled: true, config });
  const [[what, made]] = (await recordedBy(() => createChannel(ctx, input))) as [[string, unknown[]]];
  expect(made).toContainEqual(expect.objectContaining({ path: "config.secret", to: secretMask }));
  const id = Number(/\d+/.exec(what));
  expect(what).toBe(`create channel:${id} ops`);
  const change = (given: object) => updateChannel(ctx, methods.updateChannel.input.parse({ id, ...given }));
  expect(await recordedBy(() => change({ name: "Ops", config: { secret: "canary-2" } }))).toEqual([
    [
      `update channel:${id} Ops`,
      [
        { path: "name", from: "ops", to: "Ops" },
        { path: "config.secret", from: secretMask, to: secretMask },
      ],
    ],
  ]);
  expect(await recordedBy(() => change({ name: "Ops" }))).toEqual([]);
  await nothingChanged(() => change({ config: { url: "not an address" } }));
  const { deps } = openBed(
    ctx.db,
    testChannel(() => delivered),
  );
  expect(await recordedBy(() => channelTester(deps)({ id, language: "en-US" }))).toEqual([
    [`test channel:${id} Ops`, []],
  ]);
  expect(await recordedBy(() => removeChannel(ctx, { id }))).toMatchObject([[`delete channel:${id} Ops`, {}]]);
  await nothingChanged(() => removeChannel(ctx, { id }));
});

test("records changes of settings", async () => {
  const put = (scope: "global-monitor" | "agent", targetId: number, given: object) =>
    putSetting(ctx, {
      scope,
      targetId,
      value: (scope === "agent" ? agentSettings : monitorSettings).parse(given),
    });
  const cooldown = (from: unknown, to: unknown) => ({ path: "cooldownMinutes", from, to });
  const usual = monitorSettings.parse({}).cooldownMinutes;
  expect(await recordedBy(() => put("global-monitor", 0, { cooldownMinutes: 7 }))).toEqual([
    ["update settings:global-monitor All monitors", [cooldown(usual, 7)]],
  ]);
  const [own] = await recordedBy(() => put("agent", 3, { cooldownMinutes: 7 }));
  expect(own).toMatchObject([
    "update settings:agent-3 Agent 3",
    expect.arrayContaining([{ path: "enabled", to: true }]),
  ]);
  await nothingChanged(() => put("agent", 3, { channels: [4711] }));
  const remove = (scope: "global-monitor" | "agent", targetId: number) =>
    recordedBy(() => removeSetting(ctx, { scope, targetId }));
  expect(await remove("global-monitor", 0)).toEqual([
    ["delete settings:global-monitor All monitors", [cooldown(7, usual)]],
  ]);
  expect(await remove("agent", 3)).toMatchObject([["delete settings:agent-3 Agent 3", {}]]);
  expect(await remove("agent", 3)).toEqual([]);
});

const words = { name: "Short", kind: "down", subject: "{{name}}", content: "{{error}}" } as const;

test("records changes of templates", async () => {
  const [[what]] = (await recordedBy(() => createTemplate(ctx, words))) as [[string]];
  const id = Number(/\d+/.exec(what));
  expect(what).toBe(`create template:${id} Short`);
  expect(await recordedBy(() => updateTemplate(ctx, id, { subject: "!" }))).toEqual([
    [`update template:${id} Short`, [{ path: "subject", from: "{{name}}", to: "!" }]],
  ]);
  expect(await recordedBy(() => removeTemplate(ctx, id))).toMatchObject([[`delete template:${id} Short`, {}]]);
  await nothingChanged(() => removeTemplate(ctx, id));
});

test("records changes of reports, and when they are sent", async () => {
  const reports = reportContext(ctx, newWorld());
  const [[what]] = (await recordedBy(() => createReport(reports, weekly()))) as [[string]];
  const id = Number(/\d+/.exec(what));
  expect(what).toBe(`create report:${id} Shop`);
  expect(await recordedBy(() => updateReport(reports, id, { every: "month" }))).toEqual([
    [`update report:${id} Shop`, [{ path: "every", from: "week", to: "month" }]],
  ]);
  expect(await recordedBy(() => sendNow(reports, { id, period: "2025-05" }))).toEqual([
    [`send report:${id} Shop`, [{ path: "period", to: "2025-05" }]],
  ]);
  expect(await recordedBy(() => removeReport(reports, id))).toMatchObject([[`delete report:${id} Shop`, {}]]);
  await nothingChanged(() => removeReport(reports, id));
});

test("records an entry for each channel, template and setting of a document", async () => {
  const entries = {
    "channel ops": { type: "ntfy", topic: "alerts", token: "canary" },
    "template short": { kind: "down", subject: "{{name}}", content: "{{error}}" },
    "settings monitors": { channels: ["ops"] },
    "notify shop": { enabled: false },
  };
  const apply = async (given: TestEntries, generation: number) =>
    applyNotifications(
      ctx,
      await partOf(given, { generation, ids: { monitors: { shop: 70 } } }),
      new AbortController().signal,
      reportContext(ctx, newWorld()),
    );
  const words = async (run: () => Promise<unknown>) =>
    (await recordedBy(run)).map(([what]) => (what as string).replace(/:\d+/, ""));
  expect(await words(() => apply(entries, 1))).toEqual([
    "create channel ops",
    "create template short",
    "update settings:global-monitor All monitors",
    "update settings:monitor-70 Monitor 70",
  ]);
  expect(await words(() => apply(entries, 2))).toEqual([]);
  expect(await words(() => apply({}, 3))).toEqual([
    "delete channel ops",
    "delete template short",
    "delete settings:monitor-70 Monitor 70",
  ]);
});
