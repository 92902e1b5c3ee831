import type { Clock } from "../time/clock.ts";
import { type Shard, wins } from "./rendezvous.ts";
import { createView, type Heartbeat, type MembershipNews, noticeMs } from "./view.ts";

const heartbeatMs = 1000;
/** How often a member looks, and how often one that is alone and has nothing ahead of it but its heartbeats. */
const [tickMs, restMs] = [100, 500];
/** A clock that jumps further than this was suspended or set: what was due meanwhile is dropped. */
const gapMs = 3000;
/** An echo older than this proves nothing about the bus as it is now. */
const freshMs = 2000;

/**
 * A change in the group. `gap`: our own clock jumped; we own nothing until `joined` names our new id. `sinceMs` is the
 * instant from which slots belong to their new owner: ahead of now for joins and goodbyes, in the past for the silent
 * (`gone`) and the suspended (`left`). Reported when it becomes known and, if that is earlier, once more when it takes
 * effect.
 */
export type MembershipChange = {
  reason: MembershipNews["reason"] | "gap";
  member: string;
  sinceMs: number;
  effective: boolean;
};

export type MemberOptions = {
  clock: Clock;
  listenMs: number;
  newId: () => string;
  send: (heartbeat: Heartbeat) => void;
  onChange: (change: MembershipChange) => void;
  /** Joined, for the first time or again. */
  onJoined: () => void;
  onLeft: () => void;
};

/** One member of a group as a plain state machine: it receives the time and heartbeats, and returns what to send. */
export function createMember(options: MemberOptions) {
  const { clock, listenMs, newId, send, onChange, onJoined, onLeft } = options;
  const view = createView(clock);
  const formerIds = new Set<string>();
  let phase: "listening" | "active" | "leaving" | "left" = "listening";
  let id = newId();
  let fromMs = 0;
  let untilMs: number | undefined;
  /** Since when we listen on a bus that carries our own heartbeats; null while it does not. */
  let listening: { sinceMs: number; sinceElapsedMs: number } | null = null;
  let nextHeartbeatElapsedMs = clock.elapsedMs();
  let lastTick = { nowMs: clock.now(), elapsedMs: clock.elapsedMs() };
  let announced: MembershipChange[] = [];
  /** By how much longer than `tickMs` the present wait is to be. */
  let restingMs = 0;

  const heartbeat = (): Heartbeat => ({
    id,
    fromMs,
    sentElapsedMs: clock.elapsedMs(),
    untilMs,
    listening: phase === "listening" ? true : undefined,
  });

  const tell = (news: MembershipNews) => {
    if (phase === "listening") return;
    const change = { ...news, effective: news.sinceMs <= clock.now() };
    if (!change.effective) announced.push(change);
    onChange(change);
  };

  const rejoin = () => {
    send({ id, fromMs, untilMs: lastTick.nowMs, sentElapsedMs: clock.elapsedMs() });
    const stoodStill: MembershipChange = { reason: "gap", member: id, sinceMs: lastTick.nowMs, effective: true };
    formerIds.add(id);
    id = newId();
    phase = "listening";
    listening = null;
    announced = [];
    nextHeartbeatElapsedMs = clock.elapsedMs();
    view.clear();
    onChange(stoodStill);
  };

  const join = (sinceMs: number) => {
    const nowMs = clock.now();
    const heldUntilMs = view.heldUntilMs();
    // If other members are present, we join with notice. If there are none, the time that we listened is ours to cover.
    fromMs = heldUntilMs === Number.POSITIVE_INFINITY ? nowMs + noticeMs : Math.max(sinceMs, heldUntilMs);
    phase = "active";
    nextHeartbeatElapsedMs = clock.elapsedMs();
    view.put(id, fromMs);
    tell({ reason: "joined", member: id, sinceMs: fromMs });
    onJoined();
  };

  const finish = () => {
    phase = "left";
    onLeft();
  };

  return {
    id: () => id,
    tick() {
      if (phase === "left") return;
      const nowMs = clock.now();
      const elapsedMs = clock.elapsedMs();
      const passedMs = elapsedMs - lastTick.elapsedMs;
      const steppedMs = nowMs - lastTick.nowMs - passedMs;
      if (passedMs - restingMs > gapMs || Math.abs(steppedMs) > gapMs) {
        if (phase === "leaving") return finish();
        if (phase === "active") rejoin();
        else listening = null;
      }
      lastTick = { nowMs, elapsedMs };
      if (phase === "listening") {
        if (view.frozen()) listening = null;
        if (listening !== null && elapsedMs - listening.sinceElapsedMs >= listenMs) join(listening.sinceMs);
      }
      if (elapsedMs >= nextHeartbeatElapsedMs) {
        send(heartbeat());
        nextHeartbeatElapsedMs = Math.max(nextHeartbeatElapsedMs + heartbeatMs, elapsedMs);
      }
      for (const news of view.tick()) tell(news);
      const due = announced.filter((change) => change.sinceMs <= nowMs);
      announced = announced.filter((change) => change.sinceMs > nowMs);
      for (const change of due) onChange({ ...change, effective: true });
      if (phase === "leaving" && nowMs >= (untilMs ?? 0)) finish();
    },
    /** When to call `tick` again, in milliseconds. */
    nextTickMs(): number {
      const isAlone = phase === "active" && announced.length === 0 && view.membersAt(clock.now()).length === 1;
      restingMs = isAlone ? restMs - tickMs : 0;
      return tickMs + restingMs;
    },
    receive(received: Heartbeat) {
      if (received.id === id) {
        if (clock.elapsedMs() - received.sentElapsedMs > freshMs) return;
        view.echoed();
        listening ??= { sinceMs: clock.now(), sinceElapsedMs: clock.elapsedMs() };
      } else if (received.listening !== true && !formerIds.has(received.id)) {
        const news = view.received(received);
        if (news !== null) tell(news);
      }
    },
    leave() {
      if (phase === "leaving" || phase === "left") return;
      if (phase === "listening") return finish();
      const nowMs = clock.now();
      const alone = view.membersAt(nowMs + noticeMs).every((member) => member === id);
      untilMs = alone ? nowMs : nowMs + noticeMs;
      phase = "leaving";
      view.put(id, fromMs, untilMs);
      send(heartbeat());
      if (alone) finish();
    },
    members: () => [...view.membersAt(clock.now())],
    ownerAt: view.ownerAt,
    inherited(shard: Shard, slotMs: number, { reason, member, sinceMs }: MembershipChange): boolean {
      if (slotMs < sinceMs || view.ownerAt(shard, slotMs) !== id) return false;
      if (reason === "joined") return member === id;
      return reason !== "gap" && wins(member, id, shard);
    },
  };
}

export type Member = ReturnType<typeof createMember>;
