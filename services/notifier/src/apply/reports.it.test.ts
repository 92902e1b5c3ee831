import { outcomesOf, partOf, type TestEntries, type TestPart } from "@sonde/domain/testing/config-part";
import { fakeClock } from "@sonde/kit/time/clock";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Context } from "../context.ts";
import { listReports } from "../reports/reports.ts";
import { openTestContext } from "../testing/context.ts";
import { addMailChannel, newWorld, reportContext } from "../testing/reports.ts";
import { applyNotifications } from "./apply.ts";

let ctx: Context;
const world = newWorld({ users: ["ada@example.com"] });
beforeEach(async () => {
  ctx = await openTestContext(fakeClock());
  await addMailChannel(ctx);
});
afterEach(() => ctx.db.destroy());

const { signal } = new AbortController();
const run = async (entries: TestEntries, part: TestPart) =>
  applyNotifications(ctx, await partOf(entries, part), signal, reportContext(ctx, world));
const plan = async (entries: TestEntries, part: TestPart) => {
  const planned = await run(entries, part);
  return { writes: planned.writes, ...(await outcomesOf(planned)) };
};
const apply = (entries: TestEntries, part: TestPart = {}) => run(entries, { generation: 1, ...part });
const ops = { type: "ntfy", topic: "ops", token: "secret" };
const weekly = {
  targets: ["monitor:shop", "agent:web-1"],
  every: "week",
  channel: "ops",
  recipients: ["ada@example.com"],
};
const ids = { ids: { monitors: { shop: 1 }, agents: { "web-1": 5 } } };
const whole = { "channel ops": ops, "report shop": weekly };
const list = async () => (await listReports(reportContext(ctx, world), { page: 1, pageSize: 50 })).reports;

test("reports name targets and channels by key, and are created, changed and removed", async () => {
  expect(await plan(whole, ids)).toMatchObject({ "report shop": "create" });
  await apply(whole, ids);
  const [made] = await list();
  expect(made).toMatchObject({
    name: "shop",
    targets: [{ name: "Checkout" }, { name: "web-1" }],
    timeZone: "UTC",
    recipients: [{ address: "ada@example.com", isConfirmed: true }],
    managed: { key: "shop" },
  });
  expect(await plan(whole, ids)).toMatchObject({ writes: 0, "report shop": "same" });
  const changed = { ...whole, "report shop": { tag: "shop", every: "month", recipients: ["bob@example.com"] } };
  expect(await plan(changed, ids)).toMatchObject({
    "report shop": expect.arrayContaining([
      { path: "tag", from: undefined, to: "shop" },
      { path: "every", from: "week", to: "month" },
      { path: "channelId", from: made!.channelId, to: undefined },
    ]) as unknown,
  });
  await apply(changed, { ...ids, generation: 2 });
  const [after] = await list();
  expect(after).toMatchObject({ id: made!.id, tag: "shop", recipients: [{ isConfirmed: false }] });
  expect([after!.targets, after!.channelId]).toEqual([undefined, undefined]);
  await apply({ "channel ops": ops }, { generation: 3 });
  expect(await list()).toEqual([]);
});

test.each([
  [{ targets: ["monitor:gone"] }, "targets.0"],
  [{ channel: "gone" }, "channel"],
])("%j is refused with its path", async (given, path) => {
  const planned = await plan({ ...whole, "report shop": { ...weekly, ...given } }, ids);
  expect(planned).toMatchObject({ "report shop": [{ path }] });
});
