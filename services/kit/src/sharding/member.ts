import type { Clock } from "../time/clock.ts";
import { type Shard, wins } from "./rendezvous.ts";
import { createView, type Heartbeat, type MembershipNews, noticeMs } from "./view.ts";

const heartbeatMs = 1000;
/** Normal interval, and that of a lone member with only heartbeats to send. */
const [tickMs, restMs] = [100, 500];
/** After a larger jump, the process was suspended or the clock was set; missed work is dropped. */
const gapMs = 3000;
const freshMs = 2000;

/**
 * `gap`: our clock jumped, and we own nothing until `joined` with our new id. `sinceMs` is the instant from which slots
 * belong to their new owner: in the future for joins and announced departures, in the past for silent members (`gone`)
 * and suspended ones (`left`). Reported when it becomes known and, if it takes effect later, again then.
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
  /** Also after a clock jump. */
  onJoined: () => void;
  onLeft: () => void;
};

/** A pure state machine, driven by ticks and received heartbeats. */
export function createMember(options: MemberOptions) {
  const { clock, listenMs, newId, send, onChange, onJoined, onLeft } = options;
  const view = createView(clock);
  const formerIds = new Set<string>();
  let phase: "listening" | "active" | "leaving" | "left" = "listening";
  let id = newId();
  let fromMs = 0;
  let untilMs: number | undefined;
  /** `null` while the bus does not deliver our own heartbeats. */
  let listening: { sinceMs: number; sinceElapsedMs: number } | null = null;
  let nextHeartbeatElapsedMs = clock.elapsedMs();
  let lastTick = { nowMs: clock.now(), elapsedMs: clock.elapsedMs() };
  let announced: MembershipChange[] = [];
  let extraMs = 0;

  const heartbeat = (): Heartbeat => ({
    id,
    fromMs,
    sentElapsedMs: clock.elapsedMs(),
    untilMs,
    listening: phase === "listening" ? true : undefined,
  });

  const report = (news: MembershipNews) => {
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
    const lastDepartureMs = view.lastDepartureMs();
    // With other members present, we join with notice. Otherwise we also cover the time spent listening.
    fromMs = lastDepartureMs === Number.POSITIVE_INFINITY ? nowMs + noticeMs : Math.max(sinceMs, lastDepartureMs);
    phase = "active";
    nextHeartbeatElapsedMs = clock.elapsedMs();
    view.put(id, fromMs);
    report({ reason: "joined", member: id, sinceMs: fromMs });
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
      if (passedMs - extraMs > gapMs || Math.abs(steppedMs) > gapMs) {
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
      for (const news of view.tick()) report(news);
      const due = announced.filter((change) => change.sinceMs <= nowMs);
      announced = announced.filter((change) => change.sinceMs > nowMs);
      for (const change of due) onChange({ ...change, effective: true });
      if (phase === "leaving" && nowMs >= (untilMs ?? 0)) finish();
    },
    nextTickMs(): number {
      const isAlone = phase === "active" && announced.length === 0 && view.membersAt(clock.now()).length === 1;
      extraMs = isAlone ? restMs - tickMs : 0;
      return tickMs + extraMs;
    },
    receive(received: Heartbeat) {
      if (received.id === id) {
        if (clock.elapsedMs() - received.sentElapsedMs > freshMs) return;
        view.echoed();
        listening ??= { sinceMs: clock.now(), sinceElapsedMs: clock.elapsedMs() };
      } else if (received.listening !== true && !formerIds.has(received.id)) {
        const news = view.received(received);
        if (news !== null) report(news);
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
