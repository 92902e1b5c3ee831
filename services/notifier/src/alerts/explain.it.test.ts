import { afterEach, beforeEach, expect, test } from "vitest";
import { type DecidingBed, changeOf, minuteMs, noonMs, openBed } from "../testing/bed.ts";
import { explainIncident } from "./explain.ts";

let bed: DecidingBed;
beforeEach(async () => void (bed = await openBed()));
afterEach(() => bed.db.destroy());

const iso = (ms: number) => new Date(ms).toISOString();
const explain = (incidentId: string) => explainIncident(bed, { incidentId });

test("each channel has its reason for each moment, with its delivery where it was told", async () => {
  const [chat, off, hook] = [
    await bed.channel({ name: "chat" }),
    await bed.channel({ name: "off", enabled: false }),
    await bed.channel({ name: "hook", type: "webhook" }),
  ];
  const quietHours = { start: "11:00", end: "13:00", timeZone: "UTC" };
  await bed.set("global-monitor", { channels: [chat, off, hook], quietHours, cooldownMinutes: 30 });
  await bed.apply(changeOf("opened"));
  const { decisions, deliveries, nextReminderAt } = await explain("m1");
  expect(decisions).toMatchObject([
    {
      moment: "opened",
      channelName: "chat",
      outcome: "held",
      reason: "quiet_hours",
      until: iso(noonMs + 60 * minuteMs),
    },
    { moment: "opened", channelName: "off", outcome: "skipped", reason: "channel_disabled", until: undefined },
    { moment: "opened", channelName: "hook", outcome: "sent", reason: "sent", at: iso(noonMs) },
  ]);
  expect(deliveries).toMatchObject([{ channelName: "hook", kind: "down", status: "pending", incidentId: "m1" }]);
  expect(decisions.map(({ deliveryId }) => deliveryId)).toEqual([undefined, undefined, deliveries[0]?.id]);
  expect(nextReminderAt).toBe(iso(noonMs + 30 * minuteMs));
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
  expect(after.nextReminderAt).toBeUndefined();
});

test("what is held for another incident names it; a channel that is gone keeps the name it was told under", async () => {
  const gone = await bed.channel({ name: "gone" });
  await bed.set("global-monitor", { channels: [gone] });
  await bed.apply(changeOf("opened", { of: "monitor:9" }));
  await bed.apply(changeOf("opened", { facts: { dependsOn: [{ type: "monitor", id: 9 }] } }));
  expect((await explain("m1")).decisions).toMatchObject([
    { outcome: "held", reason: "dependency", parentIncidentId: "m9", parentName: "the monitor:9", until: undefined },
  ]);
  await bed.db("channels").delete();
  expect((await explain("m9")).decisions).toMatchObject([{ channelId: gone, channelName: "gone" }]);
});

test("of an incident that is not known there is nothing, and of one without channels the reason", async () => {
  expect(await explain("m404")).toEqual({ decisions: [], deliveries: [], nextReminderAt: undefined });
  await bed.apply(changeOf("opened"));
  expect((await explain("m1")).decisions).toMatchObject([{ channelId: undefined, reason: "no_channels" }]);
});
