import type { Database } from "@sonde/kit/postgres/database";
import { deliveriesQuery } from "@sonde/proto/http/notifications/deliveries";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SendOutcome } from "../channels/channel.ts";
import { type DeliveringBed, delivered, openBed, type SentMessage, testChannel } from "../testing/delivering.ts";
import { openTables } from "../testing/rows.ts";
import { listDeliveries } from "./list.ts";
import { channelTester } from "./test.ts";

let db: Database;
beforeAll(async () => {
  db = await openTables();
});
afterAll(() => db.destroy());

function bed(answer: () => SendOutcome | Promise<SendOutcome>, given: Parameters<typeof testChannel>[1] = {}) {
  const sent: SentMessage[] = [];
  const opened = openBed(
    db,
    testChannel((one) => {
      sent.push(one);
      return answer();
    }, given),
  );
  const tester = channelTester(opened.deps);
  const tryOut = (id: number) => tester({ id, language: "en-US" });
  return { ...opened, sent, tryOut };
}
const list = ({ deps }: Pick<DeliveringBed, "deps">, filter: object = {}) =>
  listDeliveries(deps, deliveriesQuery.parse(filter));

test("a test is one delivery of kind test, with the provider's response", async () => {
  const { addChannel, tryOut, sent } = bed(() => delivered);
  const channelId = await addChannel("tested");
  const delivery = await tryOut(channelId);
  expect(sent.map(({ body }) => body)).toEqual(["test 1"]);
  expect(delivery).toMatchObject({ channelId, kind: "test", status: "delivered" });
  expect(delivery).not.toHaveProperty("incidentId");
  expect(delivery).not.toHaveProperty("target");
  expect(delivery.attempts).toMatchObject([{ statusCode: 200, answer: "ok" }]);
});

test.each<[string, SendOutcome]>([
  ["refused", { outcome: "refused", statusCode: 400, answer: "no such chat" }],
  ["broken", { outcome: "broken", statusCode: 401, answer: "no such chat" }],
  ["temporarily rejected", { outcome: "retry", statusCode: 503, answer: "no such chat" }],
])("a test that is %s fails, and is not retried", async (_name, outcome) => {
  const { addChannel, tryOut, sent, runFor } = bed(() => outcome);
  const delivery = await tryOut(await addChannel("failing"));
  expect(delivery).toMatchObject({ status: "failed", attempts: [{ answer: "no such chat" }] });
  await runFor(600_000, 60_000);
  expect(sent).toHaveLength(1);
});

test("a test is sent to an unhealthy channel, and its success makes the channel healthy", async () => {
  const { addChannel, tryOut } = bed(() => delivered);
  const dead = { isHealthy: false, isDead: true, refusal: "Gone", refusedAtMs: 1, enabled: false };
  const id = await addChannel("dead", dead);
  expect(await tryOut(id)).toMatchObject({ status: "delivered" });
  expect(await db("channels").where({ id }).first()).toMatchObject({ isHealthy: true, isDead: false, refusal: null });
});

test("a test counts towards the budget, and without room reports the delay at once", async () => {
  const budgets = () => [{ key: "tests", requests: 1, perMs: 60_000 }];
  const { addChannel, tryOut, sent } = bed(() => delivered, { budgets });
  const id = await addChannel("budget");
  expect(await tryOut(id)).toMatchObject({ status: "delivered" });
  expect(await tryOut(id)).toMatchObject({
    status: "failed",
    attempts: [{ answer: "Not sent: the provider's rate limit is reached, try again in 61 s" }],
  });
  expect(sent).toHaveLength(1);
});

test("a test fails with the reason if a channel's secrets cannot be opened", async () => {
  const { addChannel, tryOut } = bed(() => delivered);
  const id = await addChannel("sealed elsewhere", {
    config: JSON.stringify({ topic: "t", token: { sealed: "v1.AAAA" } }),
  });
  expect(await tryOut(id)).toMatchObject({ status: "failed" });
});

test("runs up to ten tests at once, and rejects others", async () => {
  const ends: (() => void)[] = [];
  const { addChannel, tryOut } = bed(() => new Promise((resolve) => ends.push(() => resolve(delivered))));
  const id = await addChannel("many");
  const underWay = Array.from({ length: 10 }, () => tryOut(id));
  await expect.poll(() => ends.length).toBe(10);
  await expect(tryOut(id)).rejects.toMatchObject({ code: "too_many", retryAfterSeconds: 5 });
  for (const end of ends) end();
  expect(await Promise.all(underWay)).toHaveLength(10);
});

test("a missing channel is not found", async () => {
  await expect(bed(() => delivered).tryOut(999_999)).rejects.toMatchObject({ code: "not_found" });
});

test("lists deliveries newest first, filtered, with attempts and group sizes", async () => {
  const opened = bed(() => delivered);
  const { addChannel, alert, run, pass } = opened;
  const [one, other] = [await addChannel("listed"), await addChannel("other")];
  const ids = [await alert(one, { monitor: 501 })];
  await run();
  ids.push(await alert(one, { monitor: 502 }), await alert(one, { monitor: 503, reminder: 2 }, "reminder:2"));
  await alert(other, { monitor: 504 });
  const { deliveries: waiting } = await list(opened, { channel: one, status: "pending" });
  expect(waiting.map(({ nextAttemptAt }) => Date.parse(nextAttemptAt ?? ""))).toEqual(
    [1, 2].map(() => opened.clock.now() + 10_000),
  );
  await pass(10_000);
  const { deliveries, total } = await list(opened, { channel: one });
  expect(total).toBe(3);
  for (const field of ["grouped", "nextAttemptAt", "reminder"]) expect(deliveries[2]).not.toHaveProperty(field);
  expect(deliveries).toMatchObject([
    { id: ids[2], grouped: 2, reminder: 2, target: { type: "monitor", id: 503 }, incidentId: "m503" },
    { id: ids[1], grouped: 2, target: { name: "monitor 502" }, attempts: [{ statusCode: 200, answer: "ok" }] },
    { id: ids[0], status: "delivered" },
  ]);
  const listed = async (filter: object) => (await list(opened, filter)).deliveries?.map(({ id }) => id);
  expect(await listed({ target: "monitor:502" })).toEqual([ids[1]]);
  expect(await listed({ channel: one, page: 2, pageSize: 2 })).toEqual([ids[0]]);
  expect(await listed({ target: "agent:9999999999" })).toEqual([]);
  expect(await list(opened, { channel: one, status: "failed" })).toEqual({ deliveries: [], total: 0 });
});

test("a full page of deliveries with long histories fits into one bus message", async () => {
  const opened = bed(() => delivered);
  const channelId = await opened.addChannel("long");
  for (let step = 0; step < 200; step += 1) await opened.alert(channelId, { monitor: 10_000 + step });
  await db.raw(
    `insert into attempts (message_id, number, started_at_ms, ended_at_ms, status_code, answer)
     select messages.id, nth, 1, 2, 500, repeat('界', 200)
     from messages, generate_series(1, 110) as nth where channel_id = ?`,
    [channelId],
  );
  const { deliveries } = await list(opened, { channel: channelId, pageSize: 200 });
  expect(deliveries).toHaveLength(200);
  expect(deliveries[0]?.attempts?.at(-1)).toMatchObject({ statusCode: 500 });
  expect(Buffer.byteLength(JSON.stringify(deliveries))).toBeLessThan(1_000_000);
});
