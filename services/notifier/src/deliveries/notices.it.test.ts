import type { Database } from "@sonde/kit/postgres/database";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ChannelMessage } from "../messages/message.ts";
import { addNotice, type Notice } from "../on-call/notices.ts";
import { delivered, openBed, testChannel } from "../testing/delivering.ts";
import { message } from "../testing/messages.ts";
import { openTables } from "../testing/rows.ts";

let db: Database;
beforeAll(async () => void (db = await openTables()));
afterAll(() => db.destroy());

const notice: Notice = { kind: "handoff", userId: 1, scheduleId: 1, startMs: 0 };

/** A person with one contact, and a notice to them. */
async function open(userId: number, noticeOf: () => ChannelMessage | undefined) {
  const sent: string[] = [];
  let isDown = false;
  const channel = testChannel(
    ({ body }) => {
      sent.push(body);
      return isDown ? { outcome: "retry", answer: "down" } : delivered;
    },
    { compose: ({ title, alerts }) => `${title} (${alerts.length} alerts)` },
  );
  const bed = openBed(db, channel, { noticeOf: async () => noticeOf() });
  const channelId = await bed.addChannel(`user-${userId}`, { userId });
  const rules = [{ urgency: "low", after: 0, via: "ntfy", channelId }];
  const value = JSON.stringify({ timeZone: "UTC", night: null, rules });
  await db("contacts").insert({ userId, value, updatedAtMs: 0 });
  const add = () =>
    addNotice(
      db,
      { clock: bed.clock, readerOf: () => "people" },
      {
        key: `notice-${userId}`,
        notice: { ...notice, userId },
        person: undefined,
        ways: ["low"],
      },
    );
  expect(await add()).toBe(true);
  return { ...bed, sent, channelId, add, fail: (value: boolean) => void (isDown = value) };
}
const statusOf = async (channelId: number) =>
  (await db("messages").where({ channelId }).first<{ status: string }>("status")).status;
const channelOf = (id: number) => db("channels").where({ id }).first<{ lastSettledStatus: string | null }>();

test("a notice is written when it is sent, and retried unchanged", async () => {
  let title = "You are on call";
  const { sent, fail, run, pass, channelId, add } = await open(1, () => message({ title, alerts: [] }));
  fail(true);
  await run();
  title = "written again";
  fail(false);
  await pass(60_000);
  expect(sent).toEqual(["You are on call (0 alerts)", "You are on call (0 alerts)"]);
  expect(await statusOf(channelId)).toBe("delivered");
  expect(await channelOf(channelId)).toMatchObject({ lastSettledStatus: "delivered" });
  await add();
  await pass(60_000);
  expect(sent).toHaveLength(2);
});

test("one that no longer applies is not sent, and says nothing about its channel", async () => {
  const { sent, run, channelId } = await open(2, () => undefined);
  await run();
  expect(sent).toEqual([]);
  expect(await statusOf(channelId)).toBe("failed");
  expect(await channelOf(channelId)).toMatchObject({ lastSettledStatus: null, isHealthy: true });
});
