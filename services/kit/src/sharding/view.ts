import * as z from "zod";
import type { Clock } from "../time/clock.ts";
import { ownersAmong, type Shard } from "./rendezvous.ts";

const heartbeatShape = z.object({
  id: z.string().min(1),
  fromMs: z.number(),
  /** The member is leaving and owns no slots from this instant. */
  untilMs: z.number().optional(),
  /** Not joined yet; others do not count it. */
  listening: z.literal(true).optional().catch(undefined),
  /** A keyword of the group, for watchers. */
  trouble: z.string().max(40).optional().catch(undefined),
  /** Figures of the group, for watchers. */
  facts: z.record(z.string().max(20), z.number()).optional().catch(undefined),
  /** Monotonic clock of the sender, to check whether its echo is fresh. */
  sentElapsedMs: z.number(),
});

/** Instants are epoch milliseconds by the member's wall clock. */
export type Heartbeat = z.infer<typeof heartbeatShape>;

export const encodeHeartbeat = (heartbeat: Heartbeat): string => JSON.stringify(heartbeat);

export function decodeHeartbeat(text: string): Heartbeat | null {
  try {
    return heartbeatShape.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

const silenceMs = 4000;
/**
 * Without our own heartbeats for this long, the view is frozen. Shorter than `silenceMs` by more than one heartbeat.
 */
const freezeMs = 2000;
/** Delay of joins and departures, so that all members know by then. */
export const noticeMs = 1000;
/** For past slots. */
const memoryMs = 60_000;

export type MembershipNews = { reason: "joined" | "left" | "gone"; member: string; sinceMs: number };

type MemberEntry = { fromMs: number; untilMs: number; seenElapsedMs: number; seenAtMs: number };
type Span = { fromMs: number; members: string[]; ownerOf: (shard: Shard) => string | null };

/** Who may own slots at each instant, as seen by one member. */
export function createView(clock: Clock) {
  const entries = new Map<string, MemberEntry>();
  /** Ascending; the first begins at −Infinity. */
  let spans: Span[] = [];
  let self: string | null = null;
  let echoedElapsedMs = clock.elapsedMs();
  let thawedElapsedMs = clock.elapsedMs();

  const rebuild = () => {
    const edges = new Set([Number.NEGATIVE_INFINITY]);
    for (const { fromMs, untilMs } of entries.values()) edges.add(fromMs).add(untilMs);
    edges.delete(Number.POSITIVE_INFINITY);
    spans = [...edges]
      .sort((left, right) => left - right)
      .map((edgeMs) => {
        const members = [...entries].filter(([, { fromMs, untilMs }]) => fromMs <= edgeMs && edgeMs < untilMs);
        const ids = members.map(([id]) => id).sort();
        return { fromMs: edgeMs, members: ids, ownerOf: ownersAmong(ids) };
      });
  };
  const spanAt = (atMs: number) => spans.findLast((span) => span.fromMs <= atMs);
  const frozen = () => clock.elapsedMs() - echoedElapsedMs > freezeMs;
  rebuild();

  return {
    frozen,
    received(heartbeat: Heartbeat): MembershipNews | null {
      const nowMs = clock.now();
      const elapsedMs = clock.elapsedMs();
      const known = entries.get(heartbeat.id);
      // If the member's clock is ahead, it must neither lose slots that were assigned to it nor keep others.
      const soon = nowMs + noticeMs;
      const untilMs = heartbeat.untilMs === undefined ? Number.POSITIVE_INFINITY : Math.min(heartbeat.untilMs, soon);
      if (known === undefined) {
        const fromMs = Math.min(heartbeat.fromMs, soon);
        entries.set(heartbeat.id, { fromMs, untilMs, seenElapsedMs: elapsedMs, seenAtMs: nowMs });
        rebuild();
        return heartbeat.untilMs === undefined ? { reason: "joined", member: heartbeat.id, sinceMs: fromMs } : null;
      }
      known.seenElapsedMs = elapsedMs;
      known.seenAtMs = nowMs;
      const wasLeaving = known.untilMs !== Number.POSITIVE_INFINITY;
      const isLeaving = heartbeat.untilMs !== undefined;
      if (wasLeaving === isLeaving) return null;
      known.untilMs = untilMs;
      rebuild();
      return isLeaving
        ? { reason: "left", member: heartbeat.id, sinceMs: untilMs }
        : { reason: "joined", member: heartbeat.id, sinceMs: nowMs };
    },
    /** Our own heartbeat arrived: the bus works. */
    echoed() {
      const elapsedMs = clock.elapsedMs();
      if (frozen()) thawedElapsedMs = elapsedMs;
      echoedElapsedMs = elapsedMs;
    },
    tick(): MembershipNews[] {
      if (frozen()) return [];
      const elapsedMs = clock.elapsedMs();
      const oldMs = clock.now() - memoryMs;
      const news: MembershipNews[] = [];
      let changed = false;
      for (const [id, entry] of entries) {
        if (entry.untilMs < oldMs) {
          entries.delete(id);
          changed = true;
        } else if (id !== self && entry.untilMs === Number.POSITIVE_INFINITY) {
          // Members reconnect to the bus one by one, so after a thaw each gets the full time again.
          if (elapsedMs - Math.max(entry.seenElapsedMs, thawedElapsedMs) < silenceMs) continue;
          entry.untilMs = entry.seenAtMs;
          news.push({ reason: "gone", member: id, sinceMs: entry.seenAtMs });
          changed = true;
        }
      }
      if (changed) rebuild();
      return news;
    },
    put(id: string, fromMs: number, untilMs = Number.POSITIVE_INFINITY) {
      self = id;
      entries.set(id, { fromMs, untilMs, seenElapsedMs: clock.elapsedMs(), seenAtMs: clock.now() });
      rebuild();
    },
    membersAt: (atMs: number): readonly string[] => spanAt(atMs)?.members ?? [],
    ownerAt: (shard: Shard, atMs: number): string | null => spanAt(atMs)?.ownerOf(shard) ?? null,
    /** Infinity while one stays. */
    lastDepartureMs: () => Math.max(Number.NEGATIVE_INFINITY, ...[...entries.values()].map(({ untilMs }) => untilMs)),
    clear() {
      entries.clear();
      self = null;
      echoedElapsedMs = clock.elapsedMs();
      thawedElapsedMs = clock.elapsedMs();
      rebuild();
    },
  };
}
