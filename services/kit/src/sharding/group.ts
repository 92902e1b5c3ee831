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
 * Joins a group: listens, then sends a heartbeat once a second. Resolves when joined, which needs a bus that carries our own
 * heartbeats. While it does not, the view stays as it was. The living members share shards without a leader; owners may
 * overlap for seconds.
 * @param listenMs how long to listen for others before joining
 * @param trouble what keeps this member from its work at the moment, for `watchGroups`
 */
export async function joinGroup({
  bus,
  group,
  log,
  clock = systemClock,
  listenMs = 2000,
  trouble = () => undefined,
}: {
  bus: Pick<Bus, "nc" | "connected">;
  group: string;
  log: Log;
  clock?: TimerClock;
  listenMs?: number;
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
      if (bus.connected()) bus.nc.publish(subject, encodeHeartbeat({ ...heartbeat, trouble: trouble() }));
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
    /** Another one after our clock jumped. */
    get id(): string {
      return member.id();
    },
    /** Who is in now, by id. */
    members: member.members,
    /** Whose a shard is at an instant (epoch ms); null when no owner is known. Cheap: made for every slot. */
    ownerAt: member.ownerAt,
    owns: (shard: Shard, atMs: number): boolean => member.ownerAt(shard, atMs) === member.id(),
    /**
     * Whether this change made a slot (epoch ms) of the shard ours. At a change, the newest slot up to now for which
     * this holds is to be run at once: no member has run it.
     */
    inherited: member.inherited,
    /** Calls at every change, see `MembershipChange`; answers how to stop that. */
    onChange: (run: (change: MembershipChange) => void): (() => void) => {
      listeners.add(run);
      return () => void listeners.delete(run);
    },
    /** Announces the departure and continues for the second until it takes effect; ends at once when alone. */
    leave: async () => {
      member.leave();
      await left.promise;
      await ticking.stop();
      subscription.unsubscribe();
      // The goodbye must be out before the connection closes.
      if (bus.connected()) await bus.nc.flush().catch(() => {});
    },
  };
}

export type Membership = Awaited<ReturnType<typeof joinGroup>>;

const watchTickMs = 500;
/** The time without a heartbeat after which the server is pinged. Heartbeats are sent once a second. */
const quietMs = 1_200;
const prefix = subjects.heartbeats("");

/**
 * Counts living members by group over a wildcard subject, such as `subjects.allRunnerHeartbeats`. Each living member is
 * seen within a second of the start. While the bus is disconnected the counts are unchanged.
 */
export function watchGroups(options: {
  bus: Pick<Bus, "nc" | "connected" | "log">;
  subject: string;
  clock?: TimerClock;
}) {
  const { bus, subject, clock = systemClock } = options;
  const views = new Map<string, ReturnType<typeof createView>>();
  /** What members reported last, by id; those without trouble are absent. */
  const troubles = new Map<string, string>();
  let carriedElapsedMs = Number.NEGATIVE_INFINITY;
  // A watcher sends no heartbeats: those of others, or the server's answer to a ping, show that the bus works.
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
      carried();
    },
  });
  const tick = () => {
    const isQuiet = clock.elapsedMs() - carriedElapsedMs >= quietMs;
    if (isQuiet && bus.connected()) bus.nc.flush().then(carried, () => {});
    for (const view of views.values()) view.tick();
    if (troubles.size === 0) return;
    const living = new Set([...views.keys()].flatMap(membersOf));
    for (const id of troubles.keys()) if (!living.has(id)) troubles.delete(id);
  };
  const ticking = startLoop({ work: "watching groups", log: bus.log, clock, everyMs: watchTickMs, run: tick });

  const membersOf = (group: string) => views.get(group)?.membersAt(clock.now()) ?? [];
  const members = (group: string) => membersOf(group).length;
  return {
    members,
    /** What one of its members reports to be in trouble with; undefined where all are well. */
    trouble: (group: string) => membersOf(group).flatMap((id) => troubles.get(id) ?? [])[0],
    /** Every group that ever sent a heartbeat; 0 after its last member left. */
    groups: () => new Map([...views.keys()].map((group) => [group, members(group)])),
    stop: () => {
      void ticking.stop();
      heartbeats.unsubscribe();
    },
  };
}
