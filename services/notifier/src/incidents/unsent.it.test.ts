import { afterEach, beforeEach, expect, test } from "vitest";
import { type DecidingBed, changeOf, minuteMs, openBed } from "../testing/bed.ts";
import { listUnsent } from "./unsent.ts";

let bed: DecidingBed;
beforeEach(async () => void (bed = await openBed()));
afterEach(() => bed.db.destroy());

const list = (query: { page?: number; pageSize?: number; channel?: number; target?: string } = {}) =>
  listUnsent(bed, { page: 1, pageSize: 50, language: "en-US", ...query });
const texts = async (query = {}) => (await list(query)).unsent.map(({ text }) => text);

test("lists deferred and skipped alerts with reason, target, channel and end, newest first", async () => {
  const chat = await bed.channel({ name: "chat" });
  const pager = await bed.channel({ name: "pager", type: "pagerduty" });
  await bed.set("global-monitor", {
    channels: [chat, pager],
    quietHours: { start: "11:00", end: "20:00", timeZone: "UTC" },
    cooldownMinutes: 0,
  });
  await bed.set("monitor", { channels: [] }, 2);
  await bed.apply(changeOf("opened"));
  bed.clock.advance(minuteMs);
  await bed.apply(changeOf("opened", { of: "monitor:2" }));
  const { unsent, total } = await list();
  expect(total).toBe(2);
  expect(unsent).toEqual([
    {
      id: expect.any(Number) as number,
      at: "2026-05-04T12:01:00.000Z",
      kind: "down",
      target: { type: "monitor", id: 2, name: "the monitor:2" },
      incidentId: "m2",
      reason: "no_channels",
      text: "Not sent: no channel selected",
    },
    {
      id: expect.any(Number) as number,
      at: "2026-05-04T12:00:00.000Z",
      kind: "down",
      target: { type: "monitor", id: 1, name: "the monitor:1" },
      incidentId: "m1",
      channelId: chat,
      channelName: "chat",
      reason: "quiet_hours",
      text: "“Down” to chat is deferred until quiet hours end",
      heldUntil: "2026-05-04T20:00:00.000Z",
    },
  ]);
  expect((await list({ channel: chat })).unsent.map(({ incidentId }) => incidentId)).toEqual(["m1"]);
  expect((await list({ channel: pager })).total).toBe(0);
  expect((await list({ target: "monitor:2" })).unsent.map(({ incidentId }) => incidentId)).toEqual(["m2"]);
  const second = await list({ page: 2, pageSize: 1 });
  expect([second.total, second.unsent.map(({ incidentId }) => incidentId)]).toEqual([2, ["m1"]]);
});

test("a deferred alert that is sent later leaves the list, and one that ended before is a skipped one", async () => {
  const channels = [await bed.channel({ name: "chat" })];
  await bed.set("global-monitor", { channels, cooldownMinutes: 0 });
  await bed.silence("monitor:1", bed.clock.now() + 30 * minuteMs);
  await bed.silence("monitor:2", bed.clock.now() + 30 * minuteMs);
  await bed.apply(changeOf("opened"), changeOf("opened", { of: "monitor:2" }));
  expect(await texts()).toEqual(Array(2).fill("“Down” to chat is deferred until the silence ends"));
  await bed.apply(changeOf("closed", { of: "monitor:2" }));
  await bed.pass(30 * minuteMs);
  expect(await texts({ target: "monitor:1" })).toEqual([]);
  expect((await list({ target: "monitor:2" })).unsent.map(({ reason }) => reason)).toContain("ended_before");
});

test("a deleted channel is named by its id", async () => {
  const channel = await bed.channel({ enabled: false });
  await bed.set("global-monitor", { channels: [channel] });
  await bed.apply(changeOf("opened"));
  await bed.db("channels").delete();
  expect(await texts()).toEqual([`“Down” was not sent to #${channel}: the channel is disabled`]);
});
