import { policyInput } from "@sonde/proto/http/on-call/policies";
import { globalMonitorSettings, monitorSettings } from "@sonde/proto/http/notifications/settings";
import { fakeClock } from "@sonde/kit/time/clock";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Context } from "../../context.ts";
import { putSetting } from "../../settings/settings.ts";
import { policyOf } from "../../settings/store.ts";
import { openTestContext } from "../../testing/context.ts";
import { insertChannel } from "../../testing/rows.ts";
import type { UserAccount } from "../people.ts";
import { createPolicy, getPolicy, listPolicies, removePolicy, updatePolicy } from "./policies.ts";

let ctx: Context & { people: (ids: readonly number[]) => Promise<Map<number, UserAccount | null>> };
let users: Map<number, UserAccount | null>;
let channel: number;
beforeEach(async () => {
  users = new Map([[1, { id: 1, name: "Ada", email: "ada@example.com" }]]);
  ctx = { ...(await openTestContext(fakeClock())), people: async () => users };
  channel = await insertChannel(ctx.db);
});
afterEach(() => ctx.db.destroy());

const english = { language: "en-US" } as const;
const step = (...notify: string[]) => ({ after: 5, notify });
const create = (...steps: ReturnType<typeof step>[]) =>
  createPolicy(ctx, policyInput.parse({ name: "Ops", steps }), english);

test("a policy is created, listed, changed by field, and deleted", async () => {
  const { policy } = await create(step(`channel:${channel}`));
  expect(policy).toMatchObject({ name: "Ops", repeat: 0, steps: [{ after: 5, needs: 1 }] });
  await updatePolicy(ctx, policy.id, { repeat: 3, lowUrgency: { monitors: [], tags: ["batch"] } }, english);
  const changed = await updatePolicy(ctx, policy.id, { name: "Night" }, english);
  expect(changed.policy).toMatchObject({ name: "Night", repeat: 3, lowUrgency: { tags: ["batch"] }, steps: [{}] });
  expect(await listPolicies(ctx, { page: 1, pageSize: 50, search: "NIG" })).toMatchObject({ total: 1 });
  expect(await listPolicies(ctx, { page: 1, pageSize: 50, search: "%" })).toMatchObject({ total: 0 });
  const cleared = await updatePolicy(ctx, policy.id, { lowUrgency: null }, english);
  expect(cleared.policy.lowUrgency).toBeUndefined();
  await removePolicy(ctx, policy.id);
  await expect(getPolicy(ctx, policy.id, english)).rejects.toMatchObject({ code: "not_found" });
});

test("a recipient that does not exist is rejected with its step", async () => {
  users.set(2, null);
  const own = await insertChannel(ctx.db, { userId: 1 });
  const recipients = ["channel:999", `channel:${own}`, "user:2", "schedule:9", "everyone:9"];
  await expect(create(step(`channel:${channel}`), step("user:1", ...recipients))).rejects.toMatchObject({
    code: "impossible",
    details: recipients.map((recipient, at) => ({
      path: `steps.1.notify.${at + 1}`,
      params: { step: 2, recipient },
    })),
  });
});

test("a disabled channel is only rejected if its step reaches nobody else", async () => {
  const off = await insertChannel(ctx.db, { enabled: false });
  await create(step(`channel:${off}`, `channel:${channel}`));
  await expect(create(step(`channel:${off}`))).rejects.toMatchObject({ details: [{ path: "steps.0.notify.0" }] });
});

test("members without contacts are warnings, once each", async () => {
  const steps = [step("user:1"), step("user:1", `channel:${channel}`)];
  const cannot = { step: 1, recipient: "user:1", message: "Ada has no contacts and cannot be notified" };
  const { policy, warnings } = await create(...steps);
  expect(warnings).toEqual([cannot]);
  await insertChannel(ctx.db, { type: "smtp" });
  const mailed = await getPolicy(ctx, policy.id, english);
  expect(mailed.warnings).toMatchObject([{ message: "Ada has no contacts and is only notified by mail" }]);
  const rules = [{ urgency: "high", after: 0, via: "channel", channelId: channel }];
  const value = JSON.stringify({ timeZone: "UTC", night: null, rules });
  await ctx.db("contacts").insert({ userId: 1, value, updatedAtMs: 0 });
  expect((await getPolicy(ctx, policy.id, english)).warnings).toEqual([]);
});

test("settings can only use existing policies, and a policy in use is not deleted", async () => {
  const { policy } = await create(step(`channel:${channel}`));
  const put = (scope: "global-monitor" | "monitor", targetId: number, policyId: number | null) =>
    putSetting(ctx, { scope, targetId, value: monitorSettings.parse({ policyId }) });
  await expect(put("monitor", 7, policy.id + 1)).rejects.toMatchObject({ details: [{ path: "policyId" }] });
  await put("global-monitor", 0, policy.id);
  await put("monitor", 7, policy.id);
  await expect(removePolicy(ctx, policy.id)).rejects.toMatchObject({
    code: "conflict",
    params: { where: "global-monitor, monitor:7" },
  });
  await put("monitor", 7, null);
  const putRule = (policyId: number) =>
    putSetting(ctx, {
      scope: "global-monitor",
      targetId: 0,
      value: globalMonitorSettings.parse({ rules: [{ tags: ["a"], channels: [channel], policyId }] }),
    });
  await expect(putRule(policy.id + 1)).rejects.toMatchObject({ details: [{ path: "rules.0.policyId" }] });
  await putRule(policy.id);
  await expect(removePolicy(ctx, policy.id)).rejects.toMatchObject({ params: { where: "global-monitor" } });
  await removePolicy(ctx, policy.id, true);
  const [{ value }] = await ctx.db("settings").where({ scope: "global-monitor" }).select("value");
  expect(value).toMatchObject({ rules: [{ tags: ["a"], channels: [channel] }] });
  expect(JSON.stringify(value)).not.toContain(`"policyId":${policy.id}`);
});

test("the first rule with a target's tag chooses its policy; without one, the settings' policy counts", () => {
  const rules = [
    { tags: ["critical"], channels: [channel], policyId: 2 },
    { tags: ["batch"], channels: [channel] },
  ];
  const settings = globalMonitorSettings.parse({ policyId: 1, rules });
  const chosen = [["critical", "batch"], ["batch"], ["other"]].map((tags) => policyOf(settings, tags).policyId);
  expect(chosen).toEqual([2, 1, 1]);
  expect(policyOf({ ...settings, policyId: null }, ["batch"]).policyId).toBeUndefined();
});
