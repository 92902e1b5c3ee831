import { slotAfter, slotAtOrBefore } from "@sonde/kit/time/slots";
import { describe, expect, it } from "vitest";
import { assignment, openSchedule } from "../testing/schedule.ts";

describe("the schedule", () => {
  it("runs every slot once, soon after its instant", async () => {
    const { clock, scheduler, published, pass, start, begun } = openSchedule();
    for (let id = 1; id <= 50; id++) scheduler.assign(assignment(id, { intervalMs: 10_000 }), false);
    const fromMs = clock.now();
    start();
    await pass(60_200);
    for (let id = 1; id <= 50; id++) {
      const slots = published.filter(({ monitorId }) => monitorId === id).map(({ slotMs }) => slotMs);
      const first = slotAfter(id, 10_000, fromMs - 1);
      expect(slots).toEqual([0, 1, 2, 3, 4, 5].map((k) => first + k * 10_000));
    }
    expect(Math.max(...begun)).toBeLessThan(200);
  });

  it.each([
    { monitors: 300, members: 1, groupMs: 200 },
    { monitors: 2_400, members: 1, groupMs: 100 },
    { monitors: 2_400, members: 4, groupMs: 200 },
    { monitors: 18_000, members: 1, groupMs: 10 },
  ])("begins a few checks together: every $groupMs ms with $monitors a minute over $members", async (given) => {
    const { clock, scheduler, world, published, pass, start } = openSchedule();
    world.members = given.members;
    clock.advance(1000 - (clock.now() % 1000));
    for (let id = 1; id <= given.monitors; id++) scheduler.assign(assignment(id), false);
    start(Number.POSITIVE_INFINITY);
    await pass(60_000);
    const instants = new Set(published.map(({ startedAtMs }) => startedAtMs));
    expect([...instants].filter((instant) => instant % given.groupMs !== 0)).toEqual([]);
    expect([...instants].some((instant) => (instant / given.groupMs) % 2 === 1)).toBe(true);
    expect(published).toHaveLength(given.monitors);
  });

  it("begins slots that are due when it stops, since the next owner does not have them", async () => {
    const { clock, scheduler, published, pass, start } = openSchedule();
    scheduler.assign(assignment(1), false);
    start(Number.POSITIVE_INFINITY);
    const slotMs = slotAfter(1, 60_000, clock.now());
    clock.advance(slotMs + 1 - clock.now());
    expect(published).toEqual([]);
    const stopping = scheduler.stop();
    await pass(100);
    await stopping;
    expect(published).toMatchObject([{ monitorId: 1, slotMs }]);
  });

  it("begins checks due within ten milliseconds together, with a constant delay per monitor", async () => {
    const { clock, scheduler, published, pass, start } = openSchedule();
    clock.advance(10 - (clock.now() % 10));
    for (let id = 1; id <= 500; id++) scheduler.assign(assignment(id, { intervalMs: 1000 }), false);
    // Skip slots that are already due.
    start(Number.POSITIVE_INFINITY);
    await pass(4000);
    const instants = new Set(published.map(({ startedAtMs }) => startedAtMs));
    expect([...instants].filter((instant) => instant % 10 !== 0)).toEqual([]);
    // At most a hundred instants a second, with five checks each.
    expect(instants.size).toBeLessThanOrEqual(401);
    expect(published).toHaveLength(2000);
    const lateness = new Map(published.map(({ monitorId, latenessMs }) => [monitorId, latenessMs]));
    expect(published.filter(({ monitorId, latenessMs }) => lateness.get(monitorId) !== latenessMs)).toEqual([]);
    expect(Math.max(...lateness.values())).toBeLessThan(10);
  });

  it("begins no monitor earlier than usual because a timer was late", async () => {
    const late = [0, 4, 7];
    let timers = 0;
    const { scheduler, published, pass, start } = openSchedule({ timerIsLateMs: () => late[timers++ % late.length]! });
    for (let id = 1; id <= 500; id++) scheduler.assign(assignment(id, { intervalMs: 1000 }), false);
    start(Number.POSITIVE_INFINITY);
    await pass(8000);
    const byMonitor = Map.groupBy(published, ({ monitorId }) => monitorId);
    const spreads = [...byMonitor.values()].map((results) => {
      const lateness = results.map(({ latenessMs }) => latenessMs);
      return Math.max(...lateness) - Math.min(...lateness);
    });
    expect(spreads).toHaveLength(500);
    expect(Math.max(...spreads)).toBeLessThanOrEqual(7);
  });

  it("runs a new monitor, and a new version, at once in its newest slot", async () => {
    const { clock, scheduler, published, pass, start } = openSchedule();
    start();
    scheduler.assign(assignment(7), true);
    await pass(100);
    const slotMs = slotAtOrBefore(7, 60_000, clock.now());
    expect(published).toMatchObject([{ monitorId: 7, slotMs, version: 1, urgent: true }]);
    scheduler.assign(assignment(7), true);
    await pass(100);
    expect(published).toHaveLength(1);
    scheduler.assign(assignment(7, { version: 2 }), true);
    await pass(100);
    expect(published[1]).toMatchObject({ slotMs, version: 2, urgent: true });
  });

  it("does not burst at startup: existing monitors wait for their slots", async () => {
    const { scheduler, published, pass, start } = openSchedule();
    for (let id = 1; id <= 1000; id++) scheduler.assign(assignment(id), false);
    start();
    await pass(1000);
    expect(published.length).toBeLessThan(40);
    await pass(59_200);
    expect(new Set(published.map(({ monitorId }) => monitorId)).size).toBe(1000);
  });

  it.each([
    ["due while it joined", null, true],
    ["due while another runner existed", "other", false],
  ])("catches up on slots %s: owner %s, %s", async (_when, owner, catchesUp) => {
    const { clock, scheduler, world, published, pass, start } = openSchedule();
    const joinedMs = clock.now() + 2000;
    world.other = owner;
    world.mine = (_id, slotMs) => slotMs >= joinedMs;
    for (let id = 1; id <= 600; id++) scheduler.assign(assignment(id), false);
    const sinceMs = clock.now();
    clock.advance(2000);
    start(sinceMs);
    await pass(100);
    const due = Array.from({ length: 600 }, (_, index) => index + 1).filter(
      (id) => slotAtOrBefore(id, 60_000, sinceMs + 2000) >= sinceMs,
    );
    expect(due.length).toBeGreaterThan(5);
    const caughtUp = due.filter((id) =>
      published.some(({ monitorId, slotMs }) => monitorId === id && slotMs < joinedMs),
    );
    expect(caughtUp).toEqual(catchesUp ? due : []);
    expect(new Set(published.map(({ monitorId }) => monitorId)).size).toBe(published.length);
    expect(world.skipped).toBe(0);
  });

  it("leaves other runners' slots alone, and takes over those of runners that left", async () => {
    const { clock, scheduler, world, published, pass, start } = openSchedule();
    world.mine = () => false;
    for (let id = 1; id <= 300; id++) scheduler.assign(assignment(id), false);
    start();
    await pass(5000);
    expect(published).toEqual([]);
    const sinceMs = clock.now() - 5000;
    world.mine = () => true;
    scheduler.regroup({ reason: "gone", member: "other", sinceMs, effective: true });
    await pass(100);
    const silent = Array.from({ length: 300 }, (_, index) => index + 1).filter(
      (id) => slotAtOrBefore(id, 60_000, clock.now() - 100) >= sinceMs,
    );
    expect(silent.length).toBeGreaterThan(5);
    for (const id of silent) {
      expect(published.filter(({ monitorId }) => monitorId === id)).toMatchObject([
        { slotMs: slotAtOrBefore(id, 60_000, clock.now() - 100) },
      ]);
    }
    scheduler.regroup({ reason: "gone", member: "other", sinceMs, effective: true });
    await pass(0);
    expect(published.length).toBeLessThan(silent.length + 5);
  });

  it("drops what was due while the clock jumped, without a burst or a later gap", async () => {
    for (const jumpMs of [3_600_000, -3_600_000]) {
      const { clock, scheduler, published, pass, start } = openSchedule();
      for (let id = 1; id <= 200; id++) scheduler.assign(assignment(id), false);
      start();
      await pass(60_000);
      const before = published.length;
      clock.step(jumpMs);
      scheduler.regroup({ reason: "gap", member: "me", sinceMs: clock.now(), effective: true });
      await pass(100);
      expect(published.length - before).toBeLessThan(5);
      const jumpedAtMs = clock.now();
      await pass(60_000);
      const after = published.filter(({ slotMs }) => slotMs > jumpedAtMs && slotMs <= jumpedAtMs + 60_000);
      expect(new Set(after.map(({ monitorId }) => monitorId)).size).toBe(200);
      expect(published.length - before).toBeLessThan(210);
    }
  });

  it("reports how many slots it skipped when it could not keep up", async () => {
    const { clock, scheduler, world, published, pass, start } = openSchedule();
    scheduler.assign(assignment(1, { intervalMs: 1000, timeoutMs: 900 }), false);
    start();
    await pass(1000);
    const before = published.length;
    clock.step(2500);
    await pass(1000);
    expect(world.skipped).toBeGreaterThanOrEqual(2);
    expect(published.length - before).toBeLessThanOrEqual(3);
  });
});

describe("a target that used its entire timeout", () => {
  it("counts as slow until it answers in time again, so that dead targets leave capacity for healthy ones", async () => {
    const { scheduler, world, jobs, pass, start } = openSchedule();
    scheduler.assign(assignment(1, { retries: 0, intervalMs: 1000, timeoutMs: 900 }), false);
    start();
    for (const verdict of ["down", "late", "up", "up"] as const) {
      world.verdict = verdict;
      await pass(1000);
    }
    expect(jobs.map(({ timedOutBefore }) => timedOutBefore)).toEqual([false, false, true, false]);
  });
});

describe("re-checks", () => {
  it("follow a failure two seconds apart; the slot has one result, the last", async () => {
    const { clock, scheduler, world, published, jobs, pass, start } = openSchedule();
    start();
    world.verdict = "down";
    scheduler.assign(assignment(1, { retries: 2, intervalMs: 86_400_000 }), true);
    await pass(1900);
    expect(jobs).toHaveLength(1);
    await pass(2200);
    expect(jobs).toHaveLength(3);
    expect(published).toMatchObject([{ status: "down", attempt: 3, failures: 3 }]);
    expect(published[0]!.startedAtMs).toBeGreaterThan(clock.now() - 500);
  });

  it("end with the first success", async () => {
    const { scheduler, world, published, pass, start } = openSchedule();
    start();
    world.verdict = "down";
    scheduler.assign(assignment(1, { retries: 3, intervalMs: 86_400_000 }), true);
    await pass(1000);
    world.verdict = "up";
    await pass(1500);
    expect(published).toMatchObject([{ status: "up", attempt: 2, failures: 0 }]);
  });

  it("are omitted if the target is known to be down, or the next slot comes first", async () => {
    const { scheduler, world, published, jobs, pass, start } = openSchedule();
    world.verdict = "down";
    scheduler.assign(assignment(1, { retries: 1, intervalMs: 5000 }), false);
    scheduler.assign(assignment(2, { retries: 5, intervalMs: 1000 }), false);
    start();
    await pass(15_000);
    const of = (id: number) => published.filter(({ monitorId }) => monitorId === id);
    expect(of(1)).toMatchObject([
      { attempt: 2, failures: 2 },
      { attempt: 1, failures: 3 },
      { attempt: 1, failures: 4 },
    ]);
    expect(of(2).map(({ attempt }) => attempt)).toEqual(of(2).map(() => 1));
    expect(of(2).map(({ failures }) => failures)).toEqual(of(2).map((_, index) => index + 1));
    expect(jobs).toHaveLength(4 + 15);
  });

  it("give way to the next slot; the slot's result so far is published", async () => {
    const { scheduler, world, published, jobs, pass, start } = openSchedule();
    world.verdict = "down";
    scheduler.assign(assignment(1, { retries: 5, intervalMs: 5000, timeoutMs: 4000 }), false);
    start();
    while (jobs.length === 0) await pass(100);
    world.verdict = "hangs";
    await pass(2200);
    expect(jobs).toHaveLength(2);
    world.verdict = "up";
    await pass(3000);
    expect(jobs[1]!.controller.signal.aborted).toBe(true);
    expect(published).toMatchObject([
      { status: "down", attempt: 1, failures: 1 },
      { status: "up", attempt: 1, failures: 0 },
    ]);
  });

  it("publish nothing for a slot in which the runner had a problem", async () => {
    const { scheduler, world, published, pass, start } = openSchedule();
    world.verdict = "down";
    scheduler.assign(assignment(1, { retries: 1, intervalMs: 10_000 }), false);
    start();
    await pass(9900);
    world.verdict = "none";
    await pass(4000);
    const before = published.length;
    world.verdict = "down";
    await pass(10_000);
    expect(published.length).toBe(before + 1);
    expect(published.at(-1)!.failures).toBe(before === 0 ? 2 : published[before - 1]!.failures + 1);
  });
});

describe("a verdict", () => {
  it("that differs from the last one is urgent, others wait for their batch", async () => {
    const { scheduler, world, published, pass, start } = openSchedule();
    scheduler.assign(assignment(1, { intervalMs: 5000, retries: 0 }), false);
    start();
    await pass(10_000);
    world.verdict = "down";
    await pass(10_000);
    world.verdict = "up";
    await pass(5000);
    expect(published.map(({ status, urgent }) => `${status} ${urgent}`)).toEqual([
      "up false",
      "up false",
      "down true",
      "down false",
      "up true",
    ]);
  });
});

describe("the number of due checks", () => {
  it("follows the intervals of existing monitors", () => {
    const { scheduler } = openSchedule();
    expect(scheduler.dueChecksPerSecond()).toBe(0);
    scheduler.assign(assignment(1, { intervalMs: 500 }), false);
    scheduler.assign(assignment(2, { intervalMs: 60_000 }), false);
    scheduler.assign(assignment(2, { intervalMs: 4000, version: 2 }), false);
    expect(scheduler.dueChecksPerSecond()).toBe(2.25);
    scheduler.release(1);
    expect(scheduler.dueChecksPerSecond()).toBe(0.25);
  });
});

describe("the end", () => {
  it("of a monitor abandons its run and publishes nothing", async () => {
    const { scheduler, world, published, jobs, pass, start } = openSchedule();
    start();
    world.verdict = "hangs";
    scheduler.assign(assignment(1), true);
    await pass(100);
    scheduler.release(1);
    await pass(60_000);
    expect(jobs).toHaveLength(1);
    expect(jobs[0]!.controller.signal.aborted).toBe(true);
    expect(published).toEqual([]);
    expect(scheduler.monitors()).toBe(0);
  });

  it("of the schedule publishes what waits for a re-check, and begins nothing more", async () => {
    const { scheduler, world, published, jobs, pass, start } = openSchedule();
    start();
    world.verdict = "down";
    scheduler.assign(assignment(1, { intervalMs: 86_400_000 }), true);
    await pass(500);
    expect(published).toEqual([]);
    await scheduler.stop();
    expect(published).toMatchObject([{ status: "down", attempt: 1 }]);
    await pass(10_000);
    expect(jobs).toHaveLength(1);
  });
});
