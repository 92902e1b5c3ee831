import type { Database } from "@sonde/kit/postgres/database";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { delivered, openBed, type Provider, type SentMessage, testChannel } from "../testing/delivering.ts";
import { openTables } from "../testing/rows.ts";
import { createSending } from "./sender.ts";

let db: Database;
let sent: SentMessage[] = [];
let answer: Provider = () => delivered;
let monitor = 0;
beforeAll(async () => {
  db = await openTables();
});
afterAll(() => db.destroy());
beforeEach(async () => {
  await db("messages").update({ status: "failed" }).where({ status: "pending" });
  sent = [];
  answer = () => delivered;
  monitor += 100;
});

const bed = (given: Parameters<typeof testChannel>[1] = {}) =>
  openBed(
    db,
    testChannel((one, sending) => {
      sent.push(one);
      return answer(one, sending);
    }, given),
  );
const bodies = () => sent.map(({ body }) => body);
const unreachable = { outcome: "retry", answer: "ntfy.sh refused the connection" } as const;

test("sends an alert once, and stores the provider's response", async () => {
  const { addChannel, alert, run, statusOf, attemptsOf, changed } = bed();
  const channelId = await addChannel("one");
  const id = await alert(channelId, { monitor });
  await run();
  await run();
  expect(bodies()).toEqual([`down ${monitor}`]);
  expect(await statusOf(id)).toBe("delivered");
  expect(await attemptsOf(id)).toMatchObject([{ number: 1, statusCode: 200, answer: "ok", inDoubt: false }]);
  expect(changed).toMatchObject([{ id, channelId, status: "delivered", incidentId: `m${monitor}` }]);
  expect(await db("channels").where({ id: channelId }).first()).toMatchObject({ lastSettledStatus: "delivered" });
});

test("sends the first alert at once, and those of the next ten seconds as one message at their end", async () => {
  const { addChannel, alert, run, pass, clock } = bed();
  const channelId = await addChannel("group");
  await alert(channelId, { monitor });
  await run();
  for (const step of [1, 2, 3]) {
    clock.advance(1_000);
    await alert(channelId, { monitor: monitor + step });
  }
  await pass(6_999);
  expect(bodies()).toEqual([`down ${monitor}`]);
  await pass(1);
  expect(bodies().slice(1)).toEqual([`down ${monitor + 1}, down ${monitor + 2}, down ${monitor + 3}`]);
});

test("retries a failure within ten seconds, then after doubling delays, unchanged and under the same key", async () => {
  answer = () => unreachable;
  const { addChannel, alert, runFor, statusOf, clock } = bed();
  const id = await alert(await addChannel("retry"), { monitor });
  const beganMs = clock.now();
  await runFor(120_000, 500);
  const afterMs = sent.map(({ atMs }) => atMs - beganMs);
  expect(afterMs[0]).toBe(0);
  expect(afterMs[1]).toBeLessThanOrEqual(10_000);
  const waits = afterMs.slice(1).map((atMs, index) => atMs - (afterMs[index] ?? 0));
  for (const [index, waitMs] of waits.entries()) {
    expect(waitMs).toBeGreaterThanOrEqual(4_000 * 2 ** index);
    expect(waitMs).toBeLessThanOrEqual(6_000 * 2 ** index + 500);
  }
  expect(new Set(sent.map(({ key, body }) => `${key} ${body}`)).size).toBe(1);
  expect(await statusOf(id)).toBe("pending");
  answer = () => delivered;
  await runFor(240_000, 5_000);
  expect(await statusOf(id)).toBe("delivered");
});

test("gives up after 24 hours", async () => {
  answer = () => unreachable;
  const { addChannel, alert, runFor, statusOf, attemptsOf, sending, clock } = bed();
  const id = await alert(await addChannel("give up"), { monitor });
  await runFor(24 * 3_600_000 - 60_000, 60_000);
  await sending.giveUp();
  expect(await statusOf(id)).toBe("pending");
  expect(sent.length).toBeGreaterThan(90);
  clock.advance(60_000);
  const attempts = sent.length;
  await sending.giveUp();
  expect(await statusOf(id)).toBe("failed");
  expect((await attemptsOf(id)).at(-1)).toMatchObject({ answer: "Gave up: the message could not be sent in time" });
  await runFor(3_600_000, 600_000);
  expect(sent).toHaveLength(attempts);
});

test("after throttling, waits as long as the provider asks, for all channels that share the limit", async () => {
  const budgets = () => [{ key: "account", requests: 100, perMs: 1_000 }];
  const { addChannel, alert, run, pass, statusOf } = bed({ budgets });
  const first = await alert(await addChannel("throttled"), { monitor });
  answer = () => ({ outcome: "retry", statusCode: 429, answer: "slow down", afterMs: 30_000, throttled: true });
  await run();
  answer = () => delivered;
  const second = await alert(await addChannel("of the same account"), { monitor: monitor + 1 });
  await pass(29_999);
  expect(sent).toHaveLength(1);
  await pass(6_000);
  expect(await Promise.all([first, second].map(statusOf))).toEqual(["delivered", "delivered"]);
});

test("a refused message fails, without effect on the channel or other messages", async () => {
  answer = ({ body }) =>
    body === `down ${monitor}` ? { outcome: "refused", statusCode: 400, answer: "bad card" } : delivered;
  const { addChannel, alert, run, runFor, statusOf, attemptsOf } = bed({ reader: "machine" });
  const channelId = await addChannel("refused");
  const [bad, good] = [await alert(channelId, { monitor }), await alert(channelId, { monitor: monitor + 1 })];
  await run();
  await runFor(3_600_000, 600_000);
  expect(await Promise.all([bad, good].map(statusOf))).toEqual(["failed", "delivered"]);
  expect(await attemptsOf(bad)).toMatchObject([{ statusCode: 400, answer: "bad card" }]);
  expect(sent).toHaveLength(2);
  expect(await db("channels").where({ id: channelId }).first()).toMatchObject({ isHealthy: true, refusal: null });
});

test("a refused channel reports the reason and is tried with one alert an hour, while other channels continue", async () => {
  answer = ({ topic }) =>
    topic === "broken" ? { outcome: "broken", statusCode: 401, answer: "key canary-token is not valid" } : delivered;
  const { addChannel, alert, run, pass, statusOf, attemptsOf, clock } = bed({ reader: "machine" });
  const [broken, good] = [await addChannel("broken"), await addChannel("good")];
  const alertBoth = async (step: number) => [
    await alert(broken, { monitor: monitor + step }),
    await alert(good, { monitor: monitor + step, incidentId: `m${monitor + step}` }, `opened again`),
  ];
  const [first = 0, beside = 0] = await alertBoth(0);
  await run();
  expect(await Promise.all([first, beside].map(statusOf))).toEqual(["failed", "delivered"]);
  expect(await db("channels").where({ id: broken }).first()).toMatchObject({
    isHealthy: false,
    refusal: "key •••••• is not valid",
  });
  const [second = 0] = await alertBoth(1);
  await pass(60_000);
  expect(await statusOf(second)).toBe("failed");
  expect(await attemptsOf(second)).toMatchObject([
    { answer: "Not sent: the provider rejected this channel earlier (key •••••• is not valid)", statusCode: null },
  ]);
  const asked = () => sent.filter(({ topic }) => topic === "broken").length;
  expect(asked()).toBe(1);
  clock.advance(3_600_000);
  const [third = 0] = await alertBoth(2);
  const [fourth = 0] = await alertBoth(3);
  await run();
  expect(asked()).toBe(2);
  expect(await Promise.all([third, fourth].map(statusOf))).toEqual(["failed", "failed"]);
});

test("a refused channel that accepts an alert again is healthy, and waiting alerts are sent", async () => {
  answer = () => ({ outcome: "broken", answer: "revoked" });
  const { addChannel, alert, run, pass, statusOf, clock } = bed({ reader: "machine" });
  const channelId = await addChannel("mended");
  await alert(channelId, { monitor });
  await run();
  clock.advance(3_600_000);
  const ids = await Promise.all([1, 2, 3].map((step) => alert(channelId, { monitor: monitor + step })));
  answer = () => delivered;
  await pass(0);
  expect(await Promise.all(ids.map(statusOf))).toEqual(["delivered", "delivered", "delivered"]);
  expect(await db("channels").where({ id: channelId }).first()).toMatchObject({ isHealthy: true, refusal: null });
});

test("the alert that tries a refused channel is retried until it is settled", async () => {
  answer = () => ({ outcome: "broken", answer: "revoked" });
  const { addChannel, alert, run, runFor, statusOf, clock } = bed({ reader: "machine" });
  const channelId = await addChannel("trial");
  await alert(channelId, { monitor });
  await run();
  clock.advance(3_600_000);
  answer = () => unreachable;
  const trial = await alert(channelId, { monitor: monitor + 1 });
  await runFor(30_000, 1_000);
  expect(await statusOf(trial)).toBe("pending");
  answer = () => delivered;
  await runFor(60_000, 1_000);
  expect(await statusOf(trial)).toBe("delivered");
});

test("a dead channel is never tried", async () => {
  answer = () => ({ outcome: "broken", dead: true, statusCode: 410, answer: "Gone" });
  const { addChannel, alert, run, statusOf, clock } = bed({ reader: "machine" });
  const channelId = await addChannel("dead");
  await alert(channelId, { monitor });
  await run();
  clock.advance(12 * 3_600_000);
  const later = await alert(channelId, { monitor: monitor + 1 });
  await run();
  expect(await statusOf(later)).toBe("failed");
  expect(sent).toHaveLength(1);
});

test("waiting messages of a deleted or disabled channel fail with the reason", async () => {
  const { addChannel, alert, run, statusOf, attemptsOf } = bed();
  const [gone, off] = [await addChannel("gone"), await addChannel("off")];
  const ids = [await alert(gone, { monitor }), await alert(off, { monitor: monitor + 1 })];
  await db("channels").where({ id: gone }).delete();
  await db("channels").where({ id: off }).update({ enabled: false });
  await run();
  expect(await Promise.all(ids.map(statusOf))).toEqual(["failed", "failed"]);
  expect((await Promise.all(ids.map(attemptsOf))).map(([one]) => one?.["answer"])).toEqual([
    "Not sent: the channel was deleted",
    "Not sent: the channel is disabled",
  ]);
  expect(sent).toEqual([]);
});

test("sends messages of one target in order: a recovery never overtakes its down", async () => {
  answer = ({ body }) => (body.startsWith("down") ? unreachable : delivered);
  const { addChannel, alert, run, runFor } = bed({ reader: "machine" });
  const channelId = await addChannel("order");
  await alert(channelId, { monitor });
  await alert(channelId, { monitor, kind: "recovery" }, "closed");
  await alert(channelId, { monitor: monitor + 1 });
  answer = ({ body }) => (body === `down ${monitor}` ? unreachable : delivered);
  await run();
  expect(bodies().sort()).toEqual([`down ${monitor}`, `down ${monitor + 1}`]);
  answer = () => delivered;
  await runFor(15_000, 1_000);
  expect(bodies().slice(2)).toEqual([`down ${monitor}`, `recovery ${monitor}`]);
});

test("a recovery replies to the message about its down", async () => {
  answer = ({ body }) => ({ ...delivered, reference: `<${body}>` });
  const { addChannel, alert, run } = bed({ reader: "machine" });
  const channelId = await addChannel("reply");
  await alert(channelId, { monitor });
  await run();
  await alert(channelId, { monitor, reminder: 1 }, "reminder:1");
  await run();
  await alert(channelId, { monitor, kind: "recovery" }, "closed");
  await run();
  expect(bodies().at(-1)).toBe(`recovery ${monitor} (to <down ${monitor}>)`);
});

test("does not send a recovery if its down failed permanently, and records the reason", async () => {
  answer = () => ({ outcome: "refused", answer: "no" });
  const { addChannel, alert, run, statusOf, attemptsOf } = bed({ reader: "machine" });
  const channelId = await addChannel("failed down");
  await alert(channelId, { monitor });
  await run();
  answer = () => delivered;
  const id = await alert(channelId, { monitor, kind: "recovery" }, "closed");
  await run();
  expect(sent).toHaveLength(1);
  expect(await statusOf(id)).toBe("failed");
  expect(await attemptsOf(id)).toMatchObject([
    { answer: "Not sent: the first alert of this incident could not be delivered to this channel" },
  ]);
});

test("of several recoveries in one message, only that of a failed down is left out", async () => {
  answer = ({ body }) => (body === `down ${monitor}` ? { outcome: "refused", answer: "no" } : delivered);
  const { addChannel, alert, run, pass, statusOf } = bed();
  const channelId = await addChannel("partly failed down");
  const first = { monitor, kind: "recovery" } as const;
  await alert(channelId, { monitor });
  await run();
  await alert(channelId, { monitor: monitor + 1 });
  await pass(10_000);
  await alert(channelId, { monitor: monitor + 2 });
  await pass(0);
  const failedDown = await alert(channelId, first, "closed");
  const deliveredDown = await alert(channelId, { monitor: monitor + 1, kind: "recovery" }, "closed");
  await pass(10_000);
  expect(bodies().at(-1)).toBe(`recovery ${monitor + 1}`);
  expect(await Promise.all([failedDown, deliveredDown].map(statusOf))).toEqual(["failed", "delivered"]);
});

test("sends a recovery if its down may have arrived", async () => {
  const { addChannel, alert, run, statusOf } = bed({ reader: "machine" });
  const channelId = await addChannel("in doubt");
  const down = await alert(channelId, { monitor });
  answer = () => unreachable;
  await run();
  await db("attempts")
    .update({ inDoubt: true })
    .whereIn("message_id", db("deliveries").where({ id: down }).select("message_id"));
  await db("messages")
    .update({ status: "failed" })
    .whereIn("id", db("deliveries").where({ id: down }).select("message_id"));
  answer = () => delivered;
  const id = await alert(channelId, { monitor, kind: "recovery" }, "closed");
  await run();
  expect(await statusOf(id)).toBe("delivered");
});

test("a hundred alerts in a second with a limit of 20 a minute: none lost, none duplicated, the limit kept", async () => {
  const budgets = () => [{ key: `robot ${monitor}`, requests: 20, perMs: 60_000 }];
  const { addChannel, alert, runFor, clock } = bed({ reader: "machine", budgets });
  const channelId = await addChannel("storm");
  for (let step = 0; step < 100; step += 1) {
    if (step % 10 === 0) clock.advance(100);
    await alert(channelId, { monitor: monitor + step * 1_000 });
  }
  await runFor(6 * 60_000, 7_000);
  expect(new Set(bodies()).size).toBe(100);
  expect(sent).toHaveLength(100);
  for (const [index, { atMs }] of sent.entries()) {
    const later = sent[index + 20];
    if (later !== undefined) expect(later.atMs - atMs).toBeGreaterThan(60_000);
  }
});

test("a thousand alerts in a second to people make three messages that list each once", async () => {
  const budgets = () => [{ key: `chat ${monitor}`, requests: 20, perMs: 60_000 }];
  const { addChannel, alert, runFor } = bed({ budgets });
  const channelId = await addChannel("grouped storm");
  for (let step = 0; step < 1_000; step += 1) await alert(channelId, { monitor: monitor + step * 1_000 });
  await runFor(20_000, 1_000);
  expect(sent).toHaveLength(3);
  expect(new Set(bodies().flatMap((body) => body.split(", "))).size).toBe(1_000);
});

test("a hanging provider only takes its own four slots", async () => {
  const hanging: (() => void)[] = [];
  answer = ({ topic }) =>
    topic === "hanging" ? new Promise((resolve) => hanging.push(() => resolve(unreachable))) : delivered;
  const { addChannel, alert, sending, statusOf } = bed({ reader: "machine" });
  const [hangs, good] = [await addChannel("hanging"), await addChannel("good")];
  for (let step = 0; step < 10; step += 1) await alert(hangs, { monitor: monitor + step });
  await sending.checkQueues();
  const id = await alert(good, { monitor: monitor + 50 });
  await sending.checkQueues();
  await expect.poll(() => statusOf(id)).toBe("delivered");
  expect(hanging).toHaveLength(4);
  for (const end of hanging) end();
  await sending.idle();
});

test("does not start a message in flight again while others of its channel are sent", async () => {
  let end = () => {};
  const slow = `down ${monitor}`;
  answer = ({ body }) => (body === slow ? new Promise((resolve) => (end = () => resolve(delivered))) : delivered);
  const { addChannel, alert, sending, statusOf, deps } = bed({ reader: "machine" });
  const other = createSending(deps, () => {});
  const channelId = await addChannel("slow");
  await alert(channelId, { monitor });
  await sending.checkQueues();
  await expect.poll(bodies).toEqual([slow]);
  for (const step of [1, 2]) {
    const id = await alert(channelId, { monitor: monitor + step });
    await Promise.all([sending.checkQueues(), other.checkQueues()]);
    await expect.poll(() => statusOf(id)).toBe("delivered");
  }
  expect(bodies().filter((body) => body === slow)).toHaveLength(1);
  end();
  await sending.idle();
});

test("an error in Sonde's code is retried, and reveals nothing", async () => {
  let faults = 1;
  const { addChannel, alert, run, pass, statusOf, attemptsOf } = bed({
    compose: () => {
      if (faults-- > 0) throw new Error("canary");
      return "composed";
    },
  });
  const id = await alert(await addChannel("fault"), { monitor });
  await run();
  expect(await attemptsOf(id)).toMatchObject([{ answer: "Sonde could not compose this message" }]);
  await pass(10_000);
  expect(await statusOf(id)).toBe("delivered");
});

test("two concurrent senders send each message once", async () => {
  const { addChannel, alert, deps, sending } = bed({ reader: "machine" });
  const other = createSending(deps, () => {});
  const channels = await Promise.all([1, 2, 3].map((step) => addChannel(`both ${step}`)));
  for (let step = 0; step < 30; step += 1) await alert(channels[step % 3] ?? 0, { monitor: monitor + step });
  for (let round = 0; round < 20; round += 1) {
    await Promise.all([sending.checkQueues(), other.checkQueues()]);
    await Promise.all([sending.idle(), other.idle()]);
  }
  expect(bodies().sort()).toEqual(Array.from({ length: 30 }, (_, step) => `down ${monitor + step}`).sort());
});

test("two concurrent senders share one budget", async () => {
  const budgets = () => [{ key: `shared ${monitor}`, requests: 3, perMs: 60_000 }];
  const { addChannel, alert, deps, sending } = bed({ reader: "machine", budgets });
  const other = createSending(deps, () => {});
  for (let step = 0; step < 10; step += 1) await alert(await addChannel(`shared ${step}`), { monitor: monitor + step });
  for (let round = 0; round < 5; round += 1) {
    await Promise.all([sending.checkQueues(), other.checkQueues()]);
    await Promise.all([sending.idle(), other.idle()]);
  }
  expect(sent).toHaveLength(3);
});
