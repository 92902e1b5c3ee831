import { outcomesOf, partOf, type TestEntries, type TestPart } from "@sonde/domain/testing/config-part";
import { releaseOwned } from "@sonde/domain/managed/table";
import { fakeClock } from "@sonde/kit/time/clock";
import { monitorSettings } from "@sonde/proto/http/notifications/settings";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createChannel, listChannels, removeChannel, updateChannel } from "../channels/channels.ts";
import type { Context } from "../context.ts";
import { listDrills } from "../on-call/drills/drills.ts";
import { listPolicies } from "../on-call/policies/policies.ts";
import { listSchedules, updateSchedule } from "../on-call/schedules/schedules.ts";
import { getSettings, putSetting, removeSetting } from "../settings/settings.ts";
import { createTemplate, listTemplates, removeTemplate, updateTemplate } from "../templates/templates.ts";
import { openTestContext } from "../testing/context.ts";
import { newWorld, reportContext } from "../testing/reports.ts";
import { applyNotifications } from "./apply.ts";

let ctx: Context;
beforeEach(async () => void (ctx = await openTestContext(fakeClock())));
afterEach(() => ctx.db.destroy());

const { signal } = new AbortController();
const run = async (entries: TestEntries, part: TestPart) =>
  applyNotifications(ctx, await partOf(entries, part), signal, reportContext(ctx, newWorld()));
const plan = async (entries: TestEntries, part: TestPart = {}) => {
  const planned = await run(entries, part);
  return { writes: planned.writes, ...(await outcomesOf(planned)) };
};
const apply = (entries: TestEntries, part: TestPart = {}) => run(entries, { generation: 1, ...part });
const ops = { type: "ntfy", topic: "ops", token: "secret" };
const short = { kind: "down", subject: "{{name}}", content: "{{error}}" };
const document = {
  "channel ops": ops,
  "template short": short,
  "settings monitors": { channels: ["ops"], template: "short" },
  "notify shop": { channels: ["ops"], cooldownMinutes: 5 },
};
const shop = { ids: { monitors: { shop: 7 } } };

test("applies channels, templates and settings that refer to each other, and writes nothing the second time", async () => {
  const planned = await plan(document, { ids: { monitors: { shop: -1 } } });
  expect(planned).toMatchObject({ "channel ops": "create", "template short": "create" });
  expect(planned).toMatchObject({
    "settings monitors": [
      { path: "channels", from: [], to: ["ops"] },
      { path: "template", to: "short" },
    ],
  });
  expect(await listChannels(ctx.db)).toEqual([]);
  await apply(document, shop);
  const [channel] = await listChannels(ctx.db);
  const [template] = await listTemplates(ctx);
  expect(channel).toMatchObject({ name: "ops", config: { topic: "ops", token: "••••••" }, managed: { key: "ops" } });
  const settings = await getSettings(ctx);
  expect(settings.globalMonitor).toMatchObject({ channels: [channel!.id], templateId: template!.id });
  expect(settings.monitors).toEqual({ 7: monitorSettings.parse({ channels: [channel!.id], cooldownMinutes: 5 }) });
  expect(settings.managed).toMatchObject({
    globalMonitor: { source: "git", fields: ["channels", "template"] },
    monitors: { 7: { source: "git", key: "shop", fields: ["channels", "cooldownMinutes"] } },
  });
  expect(await plan(document, shop)).toEqual({
    writes: 0,
    "channel ops": "same",
    "template short": "same",
    "settings monitors": "same",
    "notify shop": "same",
  });
});

test("rules name channels by key, keep their order, and return to none", async () => {
  const rules = [
    { tags: ["critical"], channels: ["phone", "ops"] },
    { tags: ["shop"], channels: ["ops"] },
  ];
  const ruled = { "channel ops": ops, "channel phone": { ...ops, topic: "phone" }, "settings monitors": { rules } };
  expect(await plan(ruled)).toMatchObject({ "settings monitors": [{ path: "rules", to: rules }] });
  await apply(ruled);
  const [first, second] = await listChannels(ctx.db);
  expect((await getSettings(ctx)).globalMonitor.rules).toEqual([
    { tags: ["critical"], channels: [second!.id, first!.id] },
    { tags: ["shop"], channels: [first!.id] },
  ]);
  expect(await plan(ruled)).toMatchObject({ writes: 0, "settings monitors": "same" });
  const turned = { ...ruled, "settings monitors": { rules: rules.toReversed() } };
  expect(await plan(turned)).toMatchObject({ "settings monitors": [{ path: "rules" }] });
  const without = { "channel ops": ops, "channel phone": ruled["channel phone"] };
  await apply({ ...without, "settings monitors": { cooldownMinutes: 5 } });
  expect((await getSettings(ctx)).globalMonitor).toEqual(monitorSettings.parse({ cooldownMinutes: 5 }));
  const unknown = { ...without, "settings agents": { rules: [{ tags: ["a"], channels: ["nowhere"] }] } };
  expect(JSON.stringify(await plan(unknown))).toContain("rules.0.channels.0");
});

test("lists changes by field, with secrets masked; a removed field returns to its default", async () => {
  await apply({ ...document, "channel ops": { ...ops, serverUrl: "https://ntfy.example.com", enabled: false } }, shop);
  const next = {
    ...document,
    "channel ops": { ...ops, token: "another", serverUrl: "https://ntfy.example.com" },
    "settings monitors": { channels: ["ops"] },
    "notify shop": { cooldownMinutes: 6 },
  };
  expect(await plan(next, shop)).toMatchObject({
    "channel ops": [
      { path: "token", from: "••••••", to: "••••••" },
      { path: "enabled", from: false, to: true },
    ],
    "settings monitors": [{ path: "template", from: "short" }],
    "notify shop": [
      { path: "cooldownMinutes", from: 5, to: 6 },
      { path: "channels", from: ["ops"], to: [] },
    ],
  });
  await apply(next, shop);
  expect((await plan(next, shop)).writes).toBe(0);
});

test("removes objects that are no longer in the document, and resets its settings", async () => {
  const mine = await createChannel(ctx, { name: "mine", type: "ntfy", enabled: true, config: { topic: "mine" } });
  await apply(document, shop);
  expect(await plan({ "template short": short }, shop)).toMatchObject({
    "channel ops": "remove",
    "template short": "same",
    "settings monitors": [{ path: "channels" }, { path: "template" }],
    "notify shop": [{ path: "channels" }, { path: "cooldownMinutes" }],
  });
  await apply({ "template short": short }, shop);
  expect((await listChannels(ctx.db)).map(({ id }) => id)).toEqual([mine.id]);
  const settings = await getSettings(ctx);
  expect([settings.globalMonitor.channels, settings.monitors]).toEqual([[], {}]);
});

test("settings follow a monitor that is deleted and created again", async () => {
  await apply(document, shop);
  const again = { ids: { monitors: { shop: 8 } } };
  await apply(document, again);
  expect(Object.keys((await getSettings(ctx)).monitors)).toEqual(["8"]);
  expect((await plan(document, again)).writes).toBe(0);
});

describe("users", () => {
  const conflict = (message: string) => ({ code: "conflict", message });
  test("can change fields that no source owns, and only those", async () => {
    await apply(document, shop);
    const [channel] = await listChannels(ctx.db);
    const [template] = await listTemplates(ctx);
    const { id } = channel!;
    await updateChannel(ctx, { id, name: "The ops", config: { topic: "ops", token: "••••••" } });
    const changes = { id, config: { topic: "others" } };
    await expect(updateChannel(ctx, changes)).rejects.toMatchObject(conflict("topic is managed by git"));
    await expect(removeChannel(ctx, { id })).rejects.toMatchObject(conflict("The ops is managed by git"));
    await updateTemplate(ctx, template!.id, { name: "Brief", subject: short.subject });
    await expect(updateTemplate(ctx, template!.id, { subject: "x" })).rejects.toMatchObject({ code: "conflict" });
    await expect(removeTemplate(ctx, template!.id)).rejects.toMatchObject({ code: "conflict" });
    expect(await listTemplates(ctx)).toHaveLength(1);

    const { globalMonitor, monitors } = await getSettings(ctx);
    const put = (scope: "global-monitor" | "monitor", value: object) =>
      putSetting(ctx, { scope, targetId: scope === "monitor" ? 7 : 0, value: monitorSettings.parse(value) });
    await put("global-monitor", { ...globalMonitor, cooldownMinutes: 99 });
    await put("monitor", { ...monitors[7], enabled: false });
    await expect(put("global-monitor", { ...globalMonitor, channels: [] })).rejects.toMatchObject(
      conflict("channels is managed by git"),
    );
    await expect(put("global-monitor", { ...globalMonitor, templateId: null })).rejects.toMatchObject(
      conflict("template is managed by git"),
    );
    await expect(put("monitor", { ...monitors[7], cooldownMinutes: 1 })).rejects.toMatchObject({ code: "conflict" });
    await expect(removeSetting(ctx, { scope: "monitor", targetId: 7 })).rejects.toMatchObject({ code: "conflict" });
    await put("monitor", { ...monitors[7], enabled: true });
    expect((await plan(document, shop)).writes).toBe(0);
  });
});

test("errors have the paths of the document", async () => {
  expect(
    await plan(
      {
        "channel a": { type: "ntfy", topic: "a/b" },
        "channel b": { type: "ntfy", topic: "x", serverUrl: "http://169.254.169.254" },
        "notify shop": { channels: ["gone"], template: "none" },
        "notify other": { channels: [] },
      },
      shop,
    ),
  ).toMatchObject({
    "channel a": [{ path: "topic" }],
    "channel b": [{ path: "serverUrl", message: "Messages cannot be sent to this address" }],
    "notify shop": [{ path: "channels.0", params: { path: "channels.gone" } }],
    "notify other": [{ path: "", params: { path: "monitors.other" } }],
  });
});

test("an existing object conflicts, is adopted if the entry says so, and is used unchanged without a source", async () => {
  const { id } = await createChannel(ctx, { name: "ops", type: "ntfy", enabled: true, config: { topic: "old" } });
  await createTemplate(ctx, { name: "short", ...short } as never);
  const entries = { "channel ops": ops, "template short": short };
  expect(await plan(entries)).toMatchObject({ "channel ops": [{ params: { name: "ops" } }], "template short": [{}] });
  expect(await plan(entries, { source: null })).toMatchObject({ "channel ops": "same", "template short": "same" });
  await apply({ ...entries, "settings monitors": { channels: ["ops"] } }, { source: null, generation: 0 });
  expect((await getSettings(ctx)).globalMonitor.channels).toEqual([id]);
  const adopting = { "channel ops": { ...ops, adopt: true }, "template short": { ...short, adopt: true } };
  expect(await plan(adopting)).toMatchObject({
    "channel ops": [{ path: "topic" }, { path: "token" }],
    "template short": "same",
  });
  await apply(adopting);
  expect(await listChannels(ctx.db)).toMatchObject([{ id, config: { topic: "ops" }, managed: { source: "git" } }]);
  expect(await listTemplates(ctx)).toMatchObject([{ managed: { source: "git" } }]);
});

test("one invalid entry prevents all changes", async () => {
  await expect(apply({ ...document, "channel b": { type: "ntfy", topic: "a/b" } }, shop)).rejects.toMatchObject({
    code: "invalid",
  });
  expect(await listChannels(ctx.db)).toEqual([]);
});

describe("schedules", () => {
  const layer = { every: { n: 1, unit: "week" }, handoff: { weekday: 1, time: "09:00" }, from: "2026-05-04" };
  const primary = { timeZone: "UTC", layers: [{ ...layer, members: ["ada", "ben@example.com"] }] };
  const users = { ids: { users: { ada: 1, "ben@example.com": 2 } } };
  const list = async () => (await listSchedules(ctx, { page: 1, pageSize: 50 })).schedules;

  test("have members by name or address, and are created, changed and removed", async () => {
    expect(await plan({ "schedule primary": primary }, users)).toMatchObject({ "schedule primary": "create" });
    await apply({ "schedule primary": primary }, users);
    const [made] = await list();
    expect(made).toMatchObject({ name: "primary", layers: [{ members: [1, 2] }], managed: { key: "primary" } });
    expect(await plan({ "schedule primary": primary }, users)).toEqual({ writes: 0, "schedule primary": "same" });
    await expect(updateSchedule(ctx, made!.id, { timeZone: "Asia/Shanghai" })).rejects.toMatchObject({
      code: "conflict",
    });
    await apply({ "schedule primary": { ...primary, timeZone: "Asia/Shanghai" } }, { ...users, generation: 2 });
    expect(await list()).toMatchObject([{ id: made!.id, timeZone: "Asia/Shanghai" }]);
    await apply({}, { ...users, generation: 3 });
    expect(await list()).toEqual([]);
  });

  test("name each member who does not exist", async () => {
    expect(await plan({ "schedule primary": primary }, { ids: { users: { ada: 1 } } })).toMatchObject({
      "schedule primary": [{ path: "layers.0.members.1", message: "There is no user named {name}" }],
    });
  });
});

describe("policies", () => {
  const layer = { every: { n: 1, unit: "week" }, handoff: { time: "09:00" }, from: "2026-05-04", members: ["ada"] };
  const night = {
    steps: [
      { after: 5, notify: ["channel:ops", "schedule:primary"] },
      { after: 10, notify: ["everyone:primary", "user:ada"], needs: 2 },
    ],
    repeat: 1,
  };
  const whole = {
    "channel ops": ops,
    "schedule primary": { timeZone: "UTC", layers: [layer] },
    "policy night": night,
    "settings monitors": { channels: ["ops"], policy: "night" },
  };
  const users = { ids: { users: { ada: 1 } } };
  const list = async () => (await listPolicies(ctx, { page: 1, pageSize: 50 })).policies;

  test("name recipients by key, are used by settings, and are created, changed and removed", async () => {
    expect(await plan(whole, users)).toMatchObject({ "policy night": "create" });
    await apply(whole, users);
    const [made] = await list();
    const [channel] = await listChannels(ctx.db);
    const [schedule] = (await listSchedules(ctx, { page: 1, pageSize: 50 })).schedules;
    expect(made).toMatchObject({
      name: "night",
      repeat: 1,
      managed: { key: "night" },
      steps: [
        {
          after: 5,
          notify: [`channel:${channel!.id}`, `schedule:${schedule!.id}`],
          needs: 1,
        },
        {
          after: 10,
          notify: [`everyone:${schedule!.id}`, "user:1"],
          needs: 2,
        },
      ],
    });
    expect((await getSettings(ctx)).globalMonitor).toMatchObject({ policyId: made!.id });
    expect((await plan(whole, users)).writes).toBe(0);
    const { globalMonitor } = await getSettings(ctx);
    const without = { scope: "global-monitor", targetId: 0, value: { ...globalMonitor, policyId: null } } as const;
    await expect(putSetting(ctx, without)).rejects.toMatchObject({ code: "conflict" });
    const rules = [{ tags: ["batch"], channels: ["ops"], policy: "night" }];
    const ruled = { ...whole, "settings monitors": { channels: ["ops"], policy: "night", rules } };
    expect(await plan(ruled, users)).toMatchObject({ "settings monitors": [{ path: "rules", to: rules }] });
    await apply(ruled, users);
    expect((await getSettings(ctx)).globalMonitor.rules).toMatchObject([{ policyId: made!.id }]);
    expect((await plan(ruled, users)).writes).toBe(0);
    await apply(whole, users);
    const changed = { ...whole, "policy night": { ...night, repeat: 3 } };
    expect(await plan(changed, users)).toMatchObject({ "policy night": [{ path: "repeat", from: 1, to: 3 }] });
    await apply(changed, { ...users, generation: 2 });
    expect(await list()).toMatchObject([{ id: made!.id, repeat: 3 }]);
    await apply({ "channel ops": ops }, { ...users, generation: 3 });
    expect(await list()).toEqual([]);
    expect((await getSettings(ctx)).globalMonitor.policyId).toBeUndefined();
  });

  test.each([
    ["channel:gone", "{path} is not defined in this or any other document"],
    ["schedule:gone", "{path} is not defined in this or any other document"],
    ["user:gone", "There is no user named {name}"],
  ])("a recipient that does not exist is named: %s", async (recipient, message) => {
    const unknown = { "policy night": { steps: [{ after: 5, notify: [recipient] }] } };
    expect(await plan(unknown, users)).toMatchObject({ "policy night": [{ path: "steps.0.notify.0", message }] });
  });
});

describe("drills", () => {
  const weekly = { target: "policy:night", schedule: "weekly" };
  const night = { steps: [{ after: 5, notify: ["channel:ops"] }] };
  const whole = { "channel ops": ops, "policy night": night, "drill night": weekly };
  const users = { ids: { users: { "ada@example.com": 1 } } };
  const list = async () => (await listDrills(ctx, { page: 1, pageSize: 50, sort: "nextAt" })).drills;

  test("target by key, start a week after they are applied, and are created, changed and removed", async () => {
    expect(await plan(whole)).toMatchObject({ "drill night": "create" });
    await apply(whole);
    const [made] = await list();
    const [policy] = (await listPolicies(ctx, { page: 1, pageSize: 50 })).policies;
    expect(made).toMatchObject({
      target: `policy:${policy!.id}`,
      targetName: "night",
      managed: { key: "night" },
      runs: [],
    });
    expect(Date.parse(made!.nextAt!) - Date.parse(made!.createdAt)).toBe(7 * 86_400_000);
    expect(await plan(whole)).toMatchObject({ writes: 0, "drill night": "same" });
    const changed = { ...whole, "drill night": { target: "user:ada@example.com", schedule: "monthly" } };
    expect(await plan(changed, users)).toMatchObject({
      "drill night": [
        { path: "target", to: "user:1" },
        { path: "schedule", from: "weekly", to: "monthly" },
      ],
    });
    await apply(changed, { ...users, generation: 2 });
    expect(await list()).toMatchObject([{ id: made!.id, targetName: "ada@example.com", schedule: "monthly" }]);
    await apply({ "channel ops": ops }, { generation: 3 });
    expect(await list()).toEqual([]);
  });

  test("that exist are taken over by target only if the entry says so", async () => {
    await apply({ ...whole, "drill night": { ...weekly, schedule: "monthly" } }, { source: "first" });
    const [made] = await list();
    await releaseOwned(ctx.db, "notifier", { source: "first" });
    const rest = { "channel ops": { ...ops, adopt: true }, "policy night": { ...night, adopt: true } };
    expect(await plan({ ...rest, "drill night": weekly })).toMatchObject({
      "drill night": [{ params: { name: "night" } }],
    });
    await apply({ ...rest, "drill night": { ...weekly, adopt: true } });
    expect(await list()).toMatchObject([{ id: made!.id, schedule: "weekly", managed: { source: "git" } }]);
  });

  test("a target that does not exist is named", async () => {
    expect(await plan({ "drill night": weekly })).toMatchObject({
      "drill night": [{ path: "target", params: { path: "policies.night" } }],
    });
  });
});

test("an import leaves out users who do not exist here, and what would then notify nobody", async () => {
  const layer = { every: { n: 1, unit: "week" }, handoff: { time: "09:00" }, from: "2026-05-04" };
  const importing = { source: null, ids: { users: { ada: 1 } } };
  const imported = {
    "channel ops": ops,
    "schedule both": { timeZone: "UTC", layers: [{ ...layer, members: ["ada", "gone"] }] },
    "schedule gone": { timeZone: "UTC", layers: [{ ...layer, members: ["gone"] }] },
    "policy some": {
      steps: [
        { after: 5, notify: ["schedule:gone", "user:gone"] },
        { after: 5, notify: ["channel:ops", "schedule:both", "schedule:gone"] },
      ],
    },
    "policy none": { steps: [{ after: 5, notify: ["schedule:gone"] }] },
    "drill some": { target: "policy:some", schedule: "weekly" },
    "drill none": { target: "policy:none", schedule: "weekly" },
    "settings monitors": { channels: ["ops"], policy: "none" },
  };
  const planned: Record<string, unknown> = await plan(imported, importing);
  for (const name of ["schedule both", "policy some", "drill some"]) expect(planned[name]).toBe("create");
  for (const name of ["schedule gone", "policy none", "drill none"])
    expect(planned[name]).toMatchObject([{ path: expect.any(String) }]);
  await apply(imported, importing);
  const query = { page: 1, pageSize: 50 };
  const { schedules } = await listSchedules(ctx, query);
  const { policies } = await listPolicies(ctx, query);
  expect(schedules).toMatchObject([{ name: "both", layers: [{ members: [1] }] }]);
  expect(policies).toMatchObject([
    { name: "some", steps: [{ notify: [expect.any(String), `schedule:${schedules[0]!.id}`] }] },
  ]);
  expect((await listDrills(ctx, query)).drills).toMatchObject([{ targetName: "some", schedule: "weekly" }]);
  expect((await getSettings(ctx)).globalMonitor.policyId ?? null).toBeNull();
});
