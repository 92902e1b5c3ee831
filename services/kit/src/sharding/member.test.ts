import { describe, expect, test } from "vitest";
import type { Heartbeat } from "./view.ts";
import { type MembershipChange, createMember, type Member } from "./member.ts";

const shards = Array.from({ length: 200 }, (_, index) => index + 1);

/** A simulated bus and clock: messages reach all awake members immediately, and time passes only when advanced. */
function simulate() {
  let elapsedMs = 0;
  const startMs = Date.UTC(2026, 9, 25, 0, 59, 50);
  const nodes: Node[] = [];
  const world = { down: false, nowMs: () => startMs + elapsedMs };

  class Node {
    readonly name: string;
    readonly changes: MembershipChange[] = [];
    readonly sent: Heartbeat[] = [];
    readonly member: Member;
    asleep = false;
    left = false;
    stepMs = 0;
    joins = 0;
    #mail: Heartbeat[] = [];
    #ids = 0;

    constructor(name: string, listenMs: number) {
      this.name = name;
      nodes.push(this);
      this.member = createMember({
        clock: { now: () => startMs + elapsedMs + this.stepMs, elapsedMs: () => elapsedMs },
        listenMs,
        newId: () => `${name}${++this.#ids}`,
        send: (heartbeat) => {
          this.sent.push(heartbeat);
          if (!world.down) for (const node of nodes) node.deliver(heartbeat);
        },
        onChange: (change) => this.changes.push(change),
        onJoined: () => this.joins++,
        onLeft: () => (this.left = true),
      });
    }
    deliver(heartbeat: Heartbeat) {
      this.#mail.push(heartbeat);
    }
    step() {
      if (this.asleep || this.left) return;
      this.member.tick();
      for (const heartbeat of this.#mail.splice(0)) this.member.receive(heartbeat);
    }
    owned(atMs = world.nowMs()) {
      return shards.filter((shard) => this.member.ownerAt(shard, atMs) === this.member.id());
    }
    reasons() {
      return this.changes.map(({ reason, member, effective }) => `${reason} ${member}${effective ? "" : " soon"}`);
    }
  }

  return {
    world,
    join: (name: string, listenMs = 2000) => new Node(name, listenMs),
    pass: (ms: number) => {
      for (let passed = 0; passed < ms; passed += 100) {
        elapsedMs += 100;
        for (const node of nodes) node.step();
      }
    },
    /** Lets time pass without running members. */
    skip: (ms: number) => (elapsedMs += ms),
  };
}

/** Two members that have divided all shards. */
function pair() {
  const simulation = simulate();
  const a = simulation.join("a");
  simulation.pass(3000);
  const b = simulation.join("b");
  simulation.pass(4000);
  a.changes.length = 0;
  b.changes.length = 0;
  return { ...simulation, a, b };
}

describe("joining", () => {
  test("listens first, and owns nothing until it has joined", () => {
    const { join, pass } = simulate();
    const a = join("a");
    pass(1900);
    expect(a.owned()).toEqual([]);
    expect(a.sent.every((heartbeat) => heartbeat.listening)).toBe(true);
    pass(500);
    expect(a.owned()).toEqual(shards);
  });

  test("a lone member also owns the slots of the time it listened", () => {
    const { world, join, pass } = simulate();
    const startMs = world.nowMs();
    const a = join("a");
    pass(3000);
    expect(a.changes).toEqual([{ reason: "joined", member: "a1", sinceMs: startMs + 100, effective: true }]);
    expect(shards.every((shard) => a.member.inherited(shard, startMs + 100, a.changes[0] as MembershipChange))).toBe(
      true,
    );
    expect(a.member.inherited(1, startMs, a.changes[0] as MembershipChange)).toBe(false);
  });

  test("does not happen if the bus does not deliver its own heartbeats", () => {
    const { world, join, pass } = simulate();
    world.down = true;
    const a = join("a");
    pass(10_000);
    expect(a.joins).toBe(0);
    world.down = false;
    pass(4000);
    expect(a.joins).toBe(1);
  });

  test("takes effect a second later, for all members at the same instant", () => {
    const { world, join, pass } = simulate();
    const a = join("a");
    pass(3000);
    const b = join("b");
    a.changes.length = 0;
    while (b.joins === 0) pass(100);
    pass(100);
    const effectiveMs = a.changes[0]?.sinceMs ?? 0;
    expect(effectiveMs).toBeGreaterThan(world.nowMs());
    expect(a.reasons()).toEqual(["joined b1 soon"]);
    for (const shard of shards) {
      expect(a.member.ownerAt(shard, effectiveMs - 1)).toBe("a1");
      expect(b.member.ownerAt(shard, effectiveMs - 1)).toBe("a1");
      expect(b.member.ownerAt(shard, effectiveMs)).toBe(a.member.ownerAt(shard, effectiveMs));
    }
    pass(1000);
    expect(a.reasons()).toEqual(["joined b1 soon", "joined b1"]);
    expect([...a.owned(), ...b.owned()].sort((x, y) => x - y)).toEqual(shards);
    expect(b.owned().length).toBeGreaterThan(50);
  });

  test("works for two members at the same time", () => {
    const { join, pass } = simulate();
    const nodes = [join("a"), join("b")];
    pass(4000);
    expect(nodes.flatMap((node) => node.owned()).sort((x, y) => x - y)).toEqual(shards);
    for (const node of nodes) expect(node.member.members()).toEqual(["a1", "b1"]);
  });
});

describe("leaving", () => {
  test("a departure takes effect a second later, and the member works until then", () => {
    const { world, a, b, pass } = pair();
    const ofB = b.owned();
    b.member.leave();
    const untilMs = world.nowMs() + 1000;
    pass(500);
    expect(b.left).toBe(false);
    expect(a.reasons()).toEqual(["left b1 soon"]);
    for (const shard of ofB) {
      expect(b.member.ownerAt(shard, untilMs - 1)).toBe("b1");
      expect(a.member.ownerAt(shard, untilMs - 1)).toBe("b1");
      expect(a.member.ownerAt(shard, untilMs)).toBe("a1");
    }
    pass(600);
    expect(b.left).toBe(true);
    expect(a.reasons()).toEqual(["left b1 soon", "left b1"]);
    pass(10_000);
    expect(a.reasons()).toEqual(["left b1 soon", "left b1"]);
  });

  test("a lone member leaves immediately, and a listening one leaves no gap", () => {
    const { join, pass, world } = simulate();
    const a = join("a");
    pass(3000);
    const b = join("b");
    pass(1000);
    a.member.leave();
    expect(a.left).toBe(true);
    const untilMs = world.nowMs();
    pass(2000);
    expect(b.changes).toMatchObject([{ reason: "joined", member: "b1", sinceMs: untilMs }]);
    expect(b.owned(untilMs)).toEqual(shards);
  });
});

describe("silence", () => {
  test("silent members are gone after four seconds, and their heirs know since when", () => {
    const { world, a, b, pass } = pair();
    const ofA = a.owned();
    const ofB = b.owned();
    b.asleep = true;
    const diedMs = world.nowMs();
    pass(2900);
    expect(a.changes).toEqual([]);
    pass(1300);
    expect(a.reasons()).toEqual(["gone b1"]);
    const change = a.changes[0] as MembershipChange;
    expect(change.sinceMs).toBeLessThanOrEqual(diedMs + 100);
    expect(change.sinceMs).toBeGreaterThan(diedMs - 1100);
    expect(shards.filter((shard) => a.member.inherited(shard, world.nowMs(), change))).toEqual(ofB);
    expect(shards.filter((shard) => a.member.inherited(shard, change.sinceMs - 1, change))).toEqual([]);
    expect(a.owned()).toEqual([...ofA, ...ofB].sort((x, y) => x - y));
    expect(a.owned(change.sinceMs - 1)).toEqual(ofA);
  });

  test("the view is frozen while the bus is disconnected, and nothing changes when it returns", () => {
    const { world, a, b, pass } = pair();
    const owned = [a.owned(), b.owned()];
    world.down = true;
    pass(60_000);
    expect([a.owned(), b.owned()]).toEqual(owned);
    world.down = false;
    pass(10_000);
    expect([a.owned(), b.owned()]).toEqual(owned);
    expect([a.reasons(), b.reasons()]).toEqual([[], []]);
  });

  test("a member that crashed during the disconnect is detected afterwards", () => {
    const { world, a, b, pass } = pair();
    world.down = true;
    pass(3000);
    b.asleep = true;
    pass(20_000);
    expect(a.changes).toEqual([]);
    world.down = false;
    pass(6000);
    expect(a.reasons()).toEqual(["gone b1"]);
    expect(a.owned()).toEqual(shards);
  });
});

describe("clocks", () => {
  test("a member suspended for more than three seconds returns under a new id", () => {
    const { a, b, pass } = pair();
    b.asleep = true;
    pass(60_000);
    expect(a.owned()).toEqual(shards);
    a.changes.length = 0;
    b.asleep = false;
    pass(100);
    expect(b.reasons()).toEqual(["gap b1"]);
    expect(b.owned()).toEqual([]);
    pass(4000);
    expect(b.member.id()).toBe("b2");
    expect(b.joins).toBe(2);
    expect(b.member.members()).toEqual(["a1", "b2"]);
    expect(a.reasons()).toEqual(["joined b2 soon", "joined b2"]);
    expect([...a.owned(), ...b.owned()].sort((x, y) => x - y)).toEqual(shards);
  });

  test("a shorter suspension is announced by a departure with its start", () => {
    const { world, a, b, pass } = pair();
    const ofB = b.owned();
    const heartbeats = b.sent.length;
    while (b.sent.length === heartbeats) pass(100);
    b.asleep = true;
    const stoppedMs = world.nowMs();
    pass(3500);
    expect(a.changes).toEqual([]);
    b.asleep = false;
    pass(200);
    expect(a.changes).toEqual([{ reason: "left", member: "b1", sinceMs: stoppedMs, effective: true }]);
    expect(
      shards.filter((shard) => a.member.inherited(shard, world.nowMs(), a.changes[0] as MembershipChange)),
    ).toEqual(ofB);
  });

  test.each([3_600_000, -3_600_000])("setting the wall clock by %i ms causes neither duplicates nor gaps", (stepMs) => {
    const { world, join, pass } = simulate();
    const a = join("a");
    pass(3000);
    a.changes.length = 0;
    a.stepMs = stepMs;
    const steppedMs = world.nowMs() + stepMs;
    pass(4000);
    expect(a.reasons()).toEqual(["gap a1", "joined a2"]);
    const sinceMs = a.changes[1]?.sinceMs ?? 0;
    expect(Math.abs(sinceMs - steppedMs)).toBeLessThanOrEqual(200);
    expect(a.owned(sinceMs)).toEqual(shards);
  });

  test("members suspended together divide the shards again", () => {
    const { a, b, pass, skip } = pair();
    skip(600_000);
    pass(5000);
    expect([a.member.id(), b.member.id()]).toEqual(["a2", "b2"]);
    expect([...a.owned(), ...b.owned()].sort((x, y) => x - y)).toEqual(shards);
  });

  test("a member whose clock is an hour ahead still gets its shards", () => {
    const { join, pass } = simulate();
    const a = join("a");
    pass(3000);
    const b = join("b");
    b.stepMs = 3_600_000;
    pass(8000);
    expect(a.member.members()).toEqual(["a1", "b1"]);
    b.member.leave();
    pass(2500);
    expect(a.owned()).toEqual(shards);
  });
});

test("a lone member ticks twice a heartbeat, others ten times a second", () => {
  const { join, pass } = simulate();
  const a = join("a");
  expect(a.member.nextTickMs()).toBe(100);
  pass(4000);
  expect(a.member.nextTickMs()).toBe(500);
  const b = join("b");
  pass(4000);
  expect([a.member.nextTickMs(), b.member.nextTickMs()]).toEqual([100, 100]);
});
