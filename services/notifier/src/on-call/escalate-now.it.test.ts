import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AlertFacts } from "../alerts/incident.ts";
import { notificationsOf } from "../incidents/story.ts";
import { alertFields } from "../messages/values.ts";
import { changeOf, type DecidingBed, minuteMs, noonMs, openBed } from "../testing/bed.ts";
import { escalateNow } from "./escalate-now.ts";
import { presentProgress } from "./progress.ts";

const hourMs = 60 * minuteMs;
let bed: DecidingBed;
let lead: number;
beforeEach(async () => {
  bed = await openBed();
  lead = await bed.channel({ name: "lead" });
  await bed.set("global-monitor", { channels: [], cooldownMinutes: 0 });
});
afterEach(() => bed.db.destroy());

const step = (notify: string[], given: object = {}) => ({ after: 5, notify, ...given });
const toLead = (given: object = {}) => step([`channel:${lead}`], given);
const acknowledged = (by: string[], revision = 1) =>
  changeOf("acknowledged", { hasFacts: false, incident: { acknowledgedBy: by, revision } });
const steps = async () => (await bed.notifications()).filter((text) => text.includes(" step:"));

test("messages of a step name the policy and the step", async () => {
  await bed.policy({ name: "Ops", steps: [toLead({ after: 0 })] });
  await bed.apply(changeOf("opened"));
  await bed.pass(0);
  const { facts } = await bed.db("alerts").where({ moment: "step:0.0" }).first<{ facts: AlertFacts }>("facts");
  expect(alertFields({ ...facts, step: { ...facts.step!, by: "Ada", note: "Hurry" } }, "en-US")).toEqual(
    expect.arrayContaining([
      { label: "Escalation", value: "Ops · step 1" },
      { label: "Escalated by", value: "Ada: Hurry" },
    ]),
  );
});

describe("escalating now", () => {
  const escalate = (note?: string) => escalateNow({ ...bed, committed: () => {} }, { id: "m1", by: "Ada", note });

  test("takes the next step at once, also if the policy is deferred or stopped", async () => {
    await bed.policy({ name: "Ops", steps: [toLead(), toLead({ after: 30 })] });
    await bed.silence("monitor:1", noonMs + hourMs);
    await bed.apply(changeOf("opened"));
    const { escalation } = await escalate("Hurry");
    expect(escalation).toMatchObject({
      policy: { name: "Ops" },
      steps: [
        { step: 1, state: "done", notified: ["lead"] },
        { step: 2, state: "next", at: new Date(noonMs + 30 * minuteMs).toISOString() },
      ],
    });
    await bed.apply(acknowledged(["ada"]));
    expect((await escalate()).escalation.steps[1]).toMatchObject({ state: "done" });
    // After the last step, it begins again.
    await escalate();
    await bed.pass(2 * hourMs);
    expect(await steps()).toEqual(["0.0", "0.1", "1.0"].map((at) => `m1 step:${at} to ${lead}`));
  });

  test("starts the policy of the settings if none was running", async () => {
    await bed.apply(changeOf("opened"));
    await expect(escalate()).rejects.toMatchObject({ code: "impossible" });
    await bed.policy({ name: "Ops", steps: [toLead(), toLead()] });
    await escalate();
    await bed.pass(5 * minuteMs);
    expect(await steps()).toHaveLength(2);
  });

  test("is impossible for incidents that are closed or unknown", async () => {
    await bed.policy({ name: "Ops", steps: [toLead()] });
    await expect(escalate()).rejects.toMatchObject({ code: "not_found" });
    await bed.apply(changeOf("opened"));
    await bed.apply(changeOf("closed"));
    await expect(escalate()).rejects.toMatchObject({ code: "impossible" });
  });

  test("is in the story, with its note", async () => {
    await bed.policy({ name: "Ops", steps: [toLead()] });
    await bed.apply(changeOf("opened"));
    await escalate("Hurry");
    const { decisions } = await notificationsOf(bed.db, "m1");
    expect(decisions.find(({ moment }) => moment === "step:0.0")?.request).toMatchObject({ by: "Ada", note: "Hurry" });
  });
});

test("progress shows what was notified, what waits, and what is deferred", async () => {
  const channels = [
    await bed.channel({ name: "Ada · mail", userId: 1 }),
    await bed.channel({ name: "Ada · voice", userId: 1 }),
  ];
  const rules = channels.map((channelId, at) => ({ urgency: "high", after: at * 10, via: "ntfy", channelId }));
  const value = JSON.stringify({ timeZone: "UTC", night: null, rules });
  await bed.db("contacts").insert({ userId: 1, value, updatedAtMs: 0 });
  bed.person(1, { name: "Ada" });
  await bed.policy({ name: "Ops", steps: [step(["user:1"]), step(["channel:999"], { needs: 2 }), toLead(), toLead()] });
  await bed.apply(changeOf("opened"));
  await bed.pass(5 * minuteMs);
  const snoozedUntilMs = noonMs + hourMs;
  await bed.apply(changeOf("snoozed", { hasFacts: false, incident: { snoozedUntilMs, revision: 1 } }));
  await bed.pass(5 * minuteMs);
  const { progress, decisions } = await notificationsOf(bed.db, "m1");
  expect(presentProgress(progress!, decisions).steps).toMatchObject([
    {
      state: "done",
      at: new Date(noonMs + 5 * minuteMs).toISOString(),
      notified: ["Ada · mail"],
      waiting: [{ name: "Ada · voice", until: new Date(noonMs + 15 * minuteMs).toISOString() }],
    },
    { state: "deferred", at: new Date(snoozedUntilMs).toISOString(), notified: [], waiting: [] },
    { state: "later" },
    { state: "later" },
  ]);
});
