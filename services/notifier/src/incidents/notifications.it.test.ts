import { afterEach, beforeEach, expect, test } from "vitest";
import { type DecidingBed, changeOf, minuteMs, noonMs, openBed } from "../testing/bed.ts";
import { notificationsOf } from "./story.ts";

let bed: DecidingBed;
beforeEach(async () => void (bed = await openBed()));
afterEach(() => bed.db.destroy());

const explain = (incidentId: string) => notificationsOf(bed.db, incidentId);

test("returns each channel's reason for each moment, with its delivery if it was notified", async () => {
  const [chat, off, hook] = [
    await bed.channel({ name: "chat" }),
    await bed.channel({ name: "off", enabled: false }),
    await bed.channel({ name: "hook", type: "webhook" }),
  ];
  const quietHours = { start: "11:00", end: "13:00", timeZone: "UTC" };
  await bed.set("global-monitor", { channels: [chat, off, hook], quietHours, cooldownMinutes: 30 });
  await bed.apply(changeOf("opened"));
  const { decisions, deliveries, reminderDueAtMs } = await explain("m1");
  expect(decisions).toMatchObject([
    {
      moment: "opened",
      channelName: "chat",
      outcome: "held",
      reason: "quiet_hours",
      untilMs: noonMs + 60 * minuteMs,
    },
    { moment: "opened", channelName: "off", outcome: "skipped", reason: "channel_disabled", untilMs: null },
    { moment: "opened", channelName: "hook", outcome: "sent", reason: "sent", atMs: noonMs },
  ]);
  expect(deliveries).toMatchObject([{ channelName: "hook", kind: "down", status: "pending", incidentId: "m1" }]);
  expect(reminderDueAtMs).toBe(noonMs + 30 * minuteMs);
  await bed.pass(30 * minuteMs);
  bed.clock.advance(minuteMs);
  await bed.apply(changeOf("closed"));
  const after = await explain("m1");
  expect(after.decisions?.map(({ moment, channelName, reason }) => `${moment} ${channelName} ${reason}`)).toEqual([
    "opened off channel_disabled",
    "opened hook sent",
    "reminder:1 off channel_disabled",
    "reminder:1 hook sent",
    "opened chat ended_before",
    "closed chat opening_not_told",
    "closed off opening_not_told",
    "closed hook sent",
  ]);
  expect(after.reminderDueAtMs).toBeNull();
});

test("returns the parent of a deferred alert, and a deleted channel's former name", async () => {
  const gone = await bed.channel({ name: "gone" });
  await bed.set("global-monitor", { channels: [gone] });
  await bed.apply(changeOf("opened", { of: "monitor:9" }));
  await bed.apply(changeOf("opened", { facts: { dependsOn: [{ type: "monitor", id: 9 }] } }));
  expect((await explain("m1")).decisions).toMatchObject([
    { outcome: "held", reason: "dependency", parentName: "the monitor:9", untilMs: null },
  ]);
  await bed.db("channels").delete();
  expect((await explain("m9")).decisions).toMatchObject([{ channelId: gone, channelName: "gone" }]);
});

test("returns nothing for an unknown incident, and the reason for one without channels", async () => {
  expect(await explain("m404")).toEqual({
    decisions: [],
    deliveries: [],
    channels: [],
    reminderDueAtMs: null,
    progress: null,
  });
  await bed.apply(changeOf("opened"));
  expect((await explain("m1")).decisions).toMatchObject([{ channelId: null, reason: "no_channels" }]);
});
