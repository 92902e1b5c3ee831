import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { changeOf, type DecidingBed, minuteMs, noonMs, openBed } from "../testing/bed.ts";
import { createRehearsals, prepareRehearsal, type RehearsalContext } from "./endpoint.ts";
import { rehearse } from "./rehearse.ts";

let bed: DecidingBed;
let ctx: RehearsalContext;
let chat: number;
let lead: number;
let policyId: number;
const iso = (ms: number) => new Date(ms).toISOString();
const step = (after: number, channel: number) => ({ after, notify: [`channel:${channel}`] });
const quietHours = { start: "12:30", end: "13:30", timeZone: "UTC" };

/** A monitor is down for two hours and acknowledged after 50 minutes. The policy notifies the lead after ten. */
beforeEach(async () => {
  bed = await openBed();
  ctx = { ...bed, incidentDays: 400, maintenance: { ...bed.maintenance, spansOf: () => [], silencesOf: () => [] } };
  chat = await bed.channel({ name: "chat" });
  lead = await bed.channel({ name: "lead" });
  await bed.set("global-monitor", { channels: [chat], cooldownMinutes: 30 });
  policyId = await bed.policy({ name: "Ops", steps: [step(10, lead)] });
  await bed.apply(changeOf("opened", { facts: { tags: ["db"] } }));
  for (let minute = 0; minute < 50; minute += 10) await bed.pass(10 * minuteMs);
  const acknowledged = { acknowledgedBy: ["ada"], acknowledgedAtMs: bed.clock.now(), revision: 1 };
  await bed.apply(changeOf("acknowledged", { hasFacts: false, incident: acknowledged }));
  await bed.pass(70 * minuteMs);
  await bed.apply(changeOf("closed", { incident: { closedAtMs: bed.clock.now() } }));
});
afterEach(() => bed.db.destroy());

const period = () => ({ from: iso(noonMs), to: iso(bed.clock.now() + 1) });
const settings = (given: object) => ({ settings: { globalMonitor: { ...whole(), ...given } } });
const whole = () => ({
  enabled: true,
  channels: [chat],
  cooldownMinutes: 30,
  policyId,
  events: { down: true, recovery: true, partial: false, external: true },
});
const run = async (given: object = {}) => {
  bed.clock.advance(3_000);
  return rehearse(await prepareRehearsal(ctx, { from: iso(noonMs), to: iso(bed.clock.now()), ...given }));
};

const textOf = (entries: { at: string; step: string; whom: { name: string } }[]) =>
  entries.map(({ at, step: moment, whom }) => `${at.slice(11, 16)} ${moment} ${whom.name}`);

test("the stored settings make no difference", async () => {
  const { didNotify, wouldNotify, difference, totals } = await run();
  expect(textOf(didNotify)).toEqual([
    "12:00 opened chat",
    "12:10 step:0.0 lead",
    "12:30 reminder:1 chat",
    "14:00 closed chat",
    "14:00 closed lead",
  ]);
  expect(wouldNotify).toEqual(didNotify);
  expect(difference).toEqual({ added: [], removed: [] });
  expect(totals).toEqual({ wouldNotify: 5, didNotify: 5, added: 0, removed: 0 });
  expect(didNotify[1]).toEqual({
    at: "2026-05-04T12:10:00.000Z",
    whom: { kind: "channel", id: lead, name: "lead" },
    step: "step:0.0",
    reason: "down",
    incidentId: "m1",
    target: { type: "monitor", id: 1, name: "the monitor:1" },
  });
});

test.each([
  {
    draft: "without reminders",
    given: () => settings({ cooldownMinutes: 0 }),
    added: [],
    removed: ["12:30 reminder:1 chat"],
  },
  {
    draft: "with more frequent reminders",
    given: () => settings({ cooldownMinutes: 15 }),
    added: ["12:15 reminder:1 chat", "12:45 reminder:3 chat"],
    removed: [],
  },
  {
    draft: "with quiet hours in which it is acknowledged",
    given: () => settings({ quietHours }),
    added: [],
    removed: ["12:30 reminder:1 chat"],
  },
  {
    draft: "with a rule for its tag",
    given: () => settings({ rules: [{ tags: ["db"], channels: [lead] }] }),
    added: ["12:00 opened lead", "12:30 reminder:1 lead"],
    removed: ["12:00 opened chat", "12:30 reminder:1 chat", "14:00 closed chat"],
  },
  {
    draft: "without a policy",
    given: () => settings({ policyId: null }),
    added: [],
    removed: ["12:10 step:0.0 lead", "14:00 closed lead"],
  },
  {
    draft: "disabled",
    given: () => settings({ enabled: false }),
    added: [],
    removed: [
      "12:00 opened chat",
      "12:10 step:0.0 lead",
      "12:30 reminder:1 chat",
      "14:00 closed chat",
      "14:00 closed lead",
    ],
  },
  {
    draft: "disabled for this monitor",
    given: () => ({ settings: { monitors: { 1: { ...whole(), enabled: false } } } }),
    added: [],
    removed: [
      "12:00 opened chat",
      "12:10 step:0.0 lead",
      "12:30 reminder:1 chat",
      "14:00 closed chat",
      "14:00 closed lead",
    ],
  },
  {
    draft: "with a policy that waits until it is acknowledged",
    given: () => ({ policies: [{ id: policyId, name: "Ops", steps: [step(51, lead)], repeat: 0 }] }),
    added: [],
    removed: ["12:10 step:0.0 lead", "14:00 closed lead"],
  },
  {
    draft: "with a policy that needs two acknowledgements",
    given: () => ({
      policies: [{ id: policyId, name: "Ops", steps: [{ ...step(10, lead), needs: 2 }, step(60, chat)], repeat: 0 }],
    }),
    added: ["13:10 step:0.1 chat"],
    removed: [],
  },
  {
    draft: "with a new policy",
    given: () => ({
      ...settings({ policyId: 999 }),
      policies: [{ id: 999, name: "New", steps: [step(20, chat)], repeat: 0 }],
    }),
    added: ["12:20 step:0.0 chat"],
    removed: ["12:10 step:0.0 lead", "14:00 closed lead"],
  },
])("a draft $draft", async ({ given, added, removed }) => {
  const { difference, totals } = await run(given());
  expect({ added: textOf(difference.added), removed: textOf(difference.removed) }).toEqual({ added, removed });
  expect(totals).toMatchObject({ didNotify: 5, added: added.length, removed: removed.length });
});

test("an incident from before changes were recorded is rehearsed from its opening, acknowledgement and end", async () => {
  await bed.db("incident_changes").delete();
  expect((await run()).difference).toEqual({ added: [], removed: [] });
});

test("what is due just now makes no difference", async () => {
  await bed.apply(changeOf("opened", { of: "monitor:2", incident: { openedAtMs: bed.clock.now() } }));
  bed.clock.advance(10 * minuteMs + 900);
  const { totals } = rehearse(await prepareRehearsal(ctx, { from: iso(noonMs), to: iso(bed.clock.now()) }));
  expect(totals).toEqual({ wouldNotify: 6, didNotify: 6, added: 0, removed: 0 });
  await bed.pass(0);
  expect((await run()).totals).toEqual({ wouldNotify: 7, didNotify: 7, added: 0, removed: 0 });
});

test("drills are left out", async () => {
  await bed.db("incidents").update({ drillId: 1, drillTarget: "user:1" });
  expect(await run()).toMatchObject({ wouldNotify: [], didNotify: [] });
});

describe("refuses", () => {
  const dayMs = 86_400_000;
  test.each([
    { what: "an end before the start", given: { to: iso(noonMs - 1) }, code: "invalid", path: "to" },
    { what: "more than 30 days", given: { from: iso(noonMs - 30 * dayMs) }, code: "invalid", path: "to" },
    { what: "the future", given: { to: iso(noonMs + 3 * 3_600_000) }, code: "impossible", path: "to" },
    {
      what: "what is no longer stored",
      given: { from: iso(noonMs - 500 * dayMs), to: iso(noonMs - 499 * dayMs) },
      code: "impossible",
      path: "from",
    },
    {
      what: "channels that do not exist",
      given: { settings: { globalAgent: { channels: [999] } } },
      code: "impossible",
      path: "settings.globalAgent.channels.0",
    },
    {
      what: "policies that do not exist",
      given: { settings: { monitors: { 1: { channels: [], policyId: 999 } } } },
      code: "impossible",
      path: "settings.monitors.1.policyId",
    },
    {
      what: "steps that reach nobody",
      given: {
        policies: [{ id: 9, name: "New", steps: [{ after: 0, notify: ["channel:999"], needs: 1 }], repeat: 0 }],
      },
      code: "impossible",
      path: "policies.0.steps.0.notify.0",
    },
  ])("$what", async ({ given, code, path }) => {
    const input = { ...period(), to: iso(noonMs + 1), ...given } as Parameters<typeof prepareRehearsal>[1];
    await expect(prepareRehearsal(ctx, input)).rejects.toMatchObject({ code, details: [{ path }] });
  });
});

test("one rehearsal runs at a time, in a thread", async () => {
  bed.clock.advance(3_000);
  const rehearsals = createRehearsals(ctx, { maxWaitMs: 600_000, maxWallMs: 600_000 });
  const first = rehearsals.run({ ...period(), to: iso(bed.clock.now()) });
  await expect(rehearsals.run(period())).rejects.toMatchObject({ code: "too_many", retryAfterSeconds: 5 });
  expect((await first).totals).toMatchObject({ didNotify: 5, added: 0 });
  await expect(rehearsals.run({ ...period(), to: iso(bed.clock.now()) })).resolves.toBeDefined();
  rehearsals.stop();
});

test("waits for no lock that decisions take", async () => {
  await bed.db.transaction(async (trx) => {
    await trx.raw("select pg_advisory_xact_lock(hashtextextended('sonde deciding ' || current_schema(), 0))");
    await trx("incidents").forUpdate().select();
    await trx("channels").forUpdate().select();
    expect((await run(settings({}))).totals).toMatchObject({ didNotify: 5 });
  });
});
