import { subjects } from "@sonde/proto/subjects";
import { randomUUID } from "node:crypto";
import type { Bus } from "../bus/connect.ts";
import { systemClock, type TimerClock } from "../time/clock.ts";
import { startLoop } from "../time/loop.ts";
import type { Log } from "../service/log.ts";
import { type MembershipChange, createMember } from "./member.ts";
import type { Shard } from "./rendezvous.ts";
import { createView, decodeHeartbeat, encodeHeartbeat } from "./view.ts";

export type { MembershipChange, Shard };

/**
 * Resolves after joining, which needs a bus that delivers our own heartbeats. Living members divide the shards without
 * a leader; ownership may overlap for seconds.
 * @param listenMs how long to listen before joining
 * @param facts figures for watchers
 * @param trouble what currently prevents this member from working, for `watchGroups`
 */
export async function joinGroup({
  bus,
  group,
  log,
  clock = systemClock,
  listenMs = 2000,
  facts = () => undefined,
  trouble = () => undefined,
}: {
  bus: Pick<Bus, "nc" | "connected">;
  group: string;
  log: Log;
  clock?: TimerClock;
  listenMs?: number;
  facts?: () => Record<string, number> | undefined;
  trouble?: () => string | undefined;
}) {
  const subject = subjects.heartbeats(group);
  const listeners = new Set<(change: MembershipChange) => void>();
  const joined = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();

  const member = createMember({
    clock,
    listenMs,
    newId: randomUUID,
    send: (heartbeat) => {
      if (bus.connected())
        bus.nc.publish(subject, encodeHeartbeat({ ...heartbeat, facts: facts(), trouble: trouble() }));
    },
    onChange: (change) => {
      log.info({ group, ...change }, "group membership changed");
      for (const listener of listeners) listener(change);
    },
    onJoined: joined.resolve,
    onLeft: left.resolve,
  });
  const subscription = bus.nc.subscribe(subject, {
    callback: (error, message) => {
      const heartbeat = error ? null : decodeHeartbeat(message.string());
      if (heartbeat !== null) member.receive(heartbeat);
    },
  });
  const work = `heartbeats of ${group}`;
  const ticking = startLoop({ work, log, clock, everyMs: member.nextTickMs, run: member.tick });
  ticking.nudge();
  await joined.promise;

  return {
    /** Changes after a clock jump. */
    get id(): string {
      return member.id();
    },
    members: member.members,
    /** Epoch ms; `null` if unknown. Cheap: called for every slot. */
    ownerAt: member.ownerAt,
    owns: (shard: Shard, atMs: number): boolean => member.ownerAt(shard, atMs) === member.id(),
    /**
     * Whether this change made a slot (epoch ms) ours. On a change, run the newest past slot for which this is true.
     */
    inherited: member.inherited,
    /** Returns an unsubscribe function. */
    onChange: (run: (change: MembershipChange) => void): (() => void) => {
      listeners.add(run);
      return () => void listeners.delete(run);
    },
    /** Continues for the second until the departure takes effect, unless there are no other members. */
    leave: async () => {
      member.leave();
      await left.promise;
      await ticking.stop();
      subscription.unsubscribe();
      // The goodbye must be sent before the connection closes.
      if (bus.connected()) await bus.nc.flush().catch(() => {});
    },
  };
}

export type Membership = Awaited<ReturnType<typeof joinGroup>>;

const watchTickMs = 500;
/** Time without a heartbeat after which the server is pinged. */
const quietMs = 1_200;
const prefix = subjects.heartbeats("");

export type MemberFigures = { facts: Readonly<Record<string, number>>; atMs: number };

/**
 * Counts members by group over a wildcard subject. Sees each within a second of its start. The counts do not change
 * while the bus is disconnected.
 */
export function watchGroups(options: {
  bus: Pick<Bus, "nc" | "connected" | "log">;
  subject: string;
  clock?: TimerClock;
}) {
  const { bus, subject, clock = systemClock } = options;
  const views = new Map<string, ReturnType<typeof createView>>();
  const troubles = new Map<string, string>();
  const figures = new Map<string, MemberFigures>();
  let carriedElapsedMs = Number.NEGATIVE_INFINITY;
  // A watcher sends no heartbeats, so those of others, or a ping response, show that the bus works.
  const carried = () => {
    carriedElapsedMs = clock.elapsedMs();
    for (const view of views.values()) view.echoed();
  };
  const heartbeats = bus.nc.subscribe(subject, {
    callback: (error, message) => {
      const heartbeat = error ? null : decodeHeartbeat(message.string());
      if (heartbeat === null || heartbeat.listening === true) return;
      const group = message.subject.slice(prefix.length);
      let view = views.get(group);
      if (view === undefined) views.set(group, (view = createView(clock)));
      view.received(heartbeat);
      if (heartbeat.trouble === undefined) troubles.delete(heartbeat.id);
      else troubles.set(heartbeat.id, heartbeat.trouble);
      if (heartbeat.facts !== undefined) figures.set(heartbeat.id, { facts: heartbeat.facts, atMs: clock.now() });
      carried();
    },
  });
  const tick = () => {
    const isQuiet = clock.elapsedMs() - carriedElapsedMs >= quietMs;
    if (isQuiet && bus.connected()) bus.nc.flush().then(carried, () => {});
    for (const view of views.values()) view.tick();
    if (troubles.size === 0 && figures.size === 0) return;
    const living = new Set([...views.keys()].flatMap(membersOf));
    for (const table of [troubles, figures]) for (const id of table.keys()) if (!living.has(id)) table.delete(id);
  };
  const ticking = startLoop({ work: "watching groups", log: bus.log, clock, everyMs: watchTickMs, run: tick });

  const membersOf = (group: string) => views.get(group)?.membersAt(clock.now()) ?? [];
  const members = (group: string) => membersOf(group).length;
  return {
    members,
    /** Figures of living members that send them; `atMs` is when they arrived. */
    figures: (group: string): MemberFigures[] => membersOf(group).flatMap((id) => figures.get(id) ?? []),
    trouble: (group: string) => membersOf(group).flatMap((id) => troubles.get(id) ?? [])[0],
    /** 0 after the last member left. */
    groups: () => new Map([...views.keys()].map((group) => [group, members(group)])),
    stop: () => {
      void ticking.stop();
      heartbeats.unsubscribe();
    },
  };
}
