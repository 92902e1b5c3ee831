import { silentLog } from "@sonde/kit/service/log";
import { agentSettings, globalMonitorSettings } from "@sonde/proto/http/notifications/settings";
import { afterEach, beforeEach, expect, test } from "vitest";
import { deleteChannel } from "../channels/channels.ts";
import { endpoints } from "../endpoints.ts";
import { type DecidingBed, changeOf, minuteMs, openBed } from "../testing/bed.ts";

let bed: DecidingBed;
let chat: number;
let phone: number;
beforeEach(async () => {
  bed = await openBed();
  chat = await bed.channel({ name: "chat" });
  phone = await bed.channel({ name: "phone" });
});
afterEach(() => bed.db.destroy());

const verbs = () =>
  endpoints({ ...bed, log: silentLog, committed: () => {} } as never, {} as never, {} as never, {} as never);
const call = {} as never;
const audience = async (target: string, tags: string[] = []) => {
  const [type, id] = target.split(":");
  return (await verbs().readAudience({ type: type as "monitor", id: Number(id), tags }, call)).audience;
};
const reach = async () => (await verbs().readReach({}, call)).reach;
const critical = () => ({ tags: ["critical", "prod"], channels: [phone] });
const opened = (of: string, tags: string[]) => changeOf("opened", { of, facts: { tags } });

test("an alert goes to the channels of the first rule that has a tag of its target, otherwise to the default ones", async () => {
  const rules = [critical(), { tags: ["shop"], channels: [chat, phone] }];
  await bed.set("global-monitor", { channels: [chat], rules });
  await bed.apply(opened("monitor:1", ["shop", "prod"]), opened("monitor:2", ["shop"]), opened("monitor:3", ["Prod"]));
  expect((await bed.notifications()).toSorted()).toEqual([
    `m1 opened to ${phone}`,
    `m2 opened to ${chat}`,
    `m2 opened to ${phone}`,
    `m3 opened to ${chat}`,
  ]);
});

test("rules also apply to agents; an override has none", async () => {
  await bed.set("global-agent", { channels: [chat], rules: [critical()] });
  await bed.set("agent", { channels: [chat] }, 2);
  await bed.apply(opened("agent:1", ["critical"]), opened("agent:2", ["critical"]));
  expect((await bed.notifications()).toSorted()).toEqual([`a1 opened to ${phone}`, `a2 opened to ${chat}`]);
});

test("reminders follow the current rules, and the recovery goes to all that were notified", async () => {
  await bed.set("global-monitor", { channels: [chat], rules: [critical()], cooldownMinutes: 30 });
  await bed.apply(opened("monitor:1", ["critical"]));
  await bed.set("global-monitor", { channels: [chat], cooldownMinutes: 30 });
  await bed.pass(30 * minuteMs);
  await bed.apply(changeOf("closed", { facts: { tags: ["critical"] } }));
  expect(await bed.notifications()).toEqual([
    `m1 opened to ${phone}`,
    `m1 reminder:1 to ${chat}`,
    `m1 closed to ${chat}`,
    `m1 closed to ${phone}`,
  ]);
});

test("the incident of a silent location follows no rule, because it concerns all monitors", async () => {
  await bed.set("global-monitor", { channels: [chat], rules: [critical()] });
  await bed.apply(changeOf("opened", { facts: { tags: ["critical"] }, incident: { kind: "stale", metric: "eu1" } }));
  expect(await bed.notifications()).toEqual([`m1 opened to ${chat}`]);
});

test("a deleted channel disappears from the rules, and so does a rule without channels", async () => {
  const rules = [critical(), { tags: ["a"], channels: [chat, phone] }, { tags: ["b"], channels: [chat] }];
  await bed.set("global-monitor", { channels: [chat], rules });
  await bed.set("global-agent", { channels: [phone] });
  await deleteChannel(bed.db, phone);
  const { globalMonitor, globalAgent } = await verbs().getSettings({}, call);
  expect(globalMonitor.rules).toEqual([
    { tags: ["a"], channels: [chat] },
    { tags: ["b"], channels: [chat] },
  ]);
  expect(globalAgent).toEqual(agentSettings.parse({}));
});

test("a missing channel of a rule is reported with its path", async () => {
  const settings = globalMonitorSettings.parse({ rules: [critical(), { tags: ["a"], channels: [phone, 999] }] });
  await expect(verbs().putMonitorSettings({ settings }, call)).rejects.toMatchObject({
    code: "impossible",
    details: [{ path: "rules.1.channels.1" }],
  });
});

test("the audience names the channels and where they come from", async () => {
  expect(await audience("monitor:1")).toEqual({ from: "global", enabled: true, channels: [], nobody: true });
  await bed.set("global-monitor", { channels: [chat], rules: [critical()] });
  await bed.set("monitor", { channels: [chat], enabled: false }, 2);
  const [chatChannel, phoneChannel] = [
    { id: chat, name: "chat", type: "ntfy", enabled: true },
    { id: phone, name: "phone", type: "ntfy", enabled: true },
  ];
  const all = { enabled: true, nobody: false };
  expect(await audience("monitor:1", ["x"])).toEqual({ from: "global", ...all, channels: [chatChannel] });
  expect(await audience("monitor:1", ["x", "prod"])).toEqual({
    from: "rule",
    rule: { index: 0, tags: ["critical", "prod"] },
    ...all,
    channels: [phoneChannel],
  });
  expect(await audience("monitor:2", ["prod"])).toEqual({
    from: "override",
    enabled: false,
    channels: [chatChannel],
    nobody: true,
  });
});

test("nobody is notified if all channels are disabled", async () => {
  await bed.set("global-monitor", { channels: [chat] });
  await bed.db("channels").where({ id: chat }).update({ enabled: false });
  expect(await audience("monitor:1")).toMatchObject({ channels: [{ enabled: false }], nobody: true });
  expect(await reach()).toMatchObject({ monitors: false });
});

test("the settings reach somebody through default channels or rules, and count tested channels", async () => {
  expect(await reach()).toEqual({ monitors: false, agents: false, channels: 2, tested: 0 });
  await bed.set("global-monitor", { channels: [], rules: [critical()] });
  await bed.set("global-agent", { channels: [chat], enabled: false });
  await bed.db("channels").where({ id: chat }).update({ lastSettledStatus: "delivered" });
  await bed.db("channels").where({ id: phone }).update({ lastSettledStatus: "failed" });
  expect(await reach()).toEqual({ monitors: true, agents: false, channels: 2, tested: 1 });
});

test("settings with an escalation policy reach somebody without a channel", async () => {
  await bed.set("global-monitor", { channels: [] });
  expect([await reach(), await audience("monitor:1")]).toMatchObject([{ monitors: false }, { nobody: true }]);
  const policyId = await bed.policy({ name: "Ops", steps: [{ after: 0, notify: [`channel:${chat}`] }] });
  await bed.set("global-monitor", { channels: [], policyId });
  expect([await reach(), await audience("monitor:1")]).toMatchObject([{ monitors: true }, { nobody: false }]);
});
