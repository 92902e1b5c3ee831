import * as z from "zod";
import type { Clock } from "../time/clock.ts";
import { ownersAmong, type Shard } from "./rendezvous.ts";

const heartbeatShape = z.object({
  id: z.string().min(1),
  /** Slots from here on may be its own. */
  fromMs: z.number(),
  /** It leaves: slots from here on are not its own. */
  untilMs: z.number().optional(),
  /** It only listens so far; other members do not count it. */
  listening: z.literal(true).optional().catch(undefined),
  /** What keeps it from its work, in a word of its group; for those who watch the group. */
  trouble: z.string().max(40).optional().catch(undefined),
  /** The sender's monotonic clock: shows the sender whether its own echo is fresh. Unused by other members. */
  sentElapsedMs: z.number(),
});

/** A member's state, sent once a second. Instants are epoch milliseconds by its own wall clock. */
export type Heartbeat = z.infer<typeof heartbeatShape>;

export const encodeHeartbeat = (heartbeat: Heartbeat): string => JSON.stringify(heartbeat);

/** A heartbeat as it came, or null when it is not one. */
export function decodeHeartbeat(text: string): Heartbeat | null {
  try {
    return heartbeatShape.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** The silence after which a member is gone. */
const silenceMs = 4000;
/**
 * A view that received none of its own heartbeats for this long is frozen: less than `silenceMs` by more than one
 * heartbeat.
 */
const deafMs = 2000;
/** Joins and goodbyes take effect this much later, so that all members know by then. */
export const noticeMs = 1000;
/** How long a departed member is remembered, for slots in the past. */
const memoryMs = 60_000;

export type MembershipNews = { reason: "joined" | "left" | "gone"; member: string; sinceMs: number };

type MemberEntry = { fromMs: number; untilMs: number; heardElapsedMs: number; heardAtMs: number };
type Span = { fromMs: number; members: string[]; ownerOf: (shard: Shard) => string | null };

/** Who is there, as one member sees it: for each instant the members whose slots it may be. */
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
  const frozen = () => clock.elapsedMs() - echoedElapsedMs > deafMs;
  rebuild();

  return {
    frozen,
    /** Another member's heartbeat. */
    received(heartbeat: Heartbeat): MembershipNews | null {
      const nowMs = clock.now();
      const elapsedMs = clock.elapsedMs();
      const known = entries.get(heartbeat.id);
      // A clock that runs ahead of ours must not keep its owner from slots that were assigned to it, nor let it keep
      // others.
      const soon = nowMs + noticeMs;
      const untilMs = heartbeat.untilMs === undefined ? Number.POSITIVE_INFINITY : Math.min(heartbeat.untilMs, soon);
      if (known === undefined) {
        const fromMs = Math.min(heartbeat.fromMs, soon);
        entries.set(heartbeat.id, { fromMs, untilMs, heardElapsedMs: elapsedMs, heardAtMs: nowMs });
        rebuild();
        return heartbeat.untilMs === undefined ? { reason: "joined", member: heartbeat.id, sinceMs: fromMs } : null;
      }
      known.heardElapsedMs = elapsedMs;
      known.heardAtMs = nowMs;
      const wasLeaving = known.untilMs !== Number.POSITIVE_INFINITY;
      const isLeaving = heartbeat.untilMs !== undefined;
      if (wasLeaving === isLeaving) return null;
      known.untilMs = untilMs;
      rebuild();
      return isLeaving
        ? { reason: "left", member: heartbeat.id, sinceMs: untilMs }
        : { reason: "joined", member: heartbeat.id, sinceMs: nowMs };
    },
    /** Our own heartbeat came back: the bus carries. */
    echoed() {
      const elapsedMs = clock.elapsedMs();
      if (frozen()) thawedElapsedMs = elapsedMs;
      echoedElapsedMs = elapsedMs;
    },
    /** Call often: finds the silent. */
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
          // After a thaw all members have the whole time again: they reconnect to the bus one by one.
          if (elapsedMs - Math.max(entry.heardElapsedMs, thawedElapsedMs) < silenceMs) continue;
          entry.untilMs = entry.heardAtMs;
          news.push({ reason: "gone", member: id, sinceMs: entry.heardAtMs });
          changed = true;
        }
      }
      if (changed) rebuild();
      return news;
    },
    /** We ourselves, in our own words. */
    put(id: string, fromMs: number, untilMs = Number.POSITIVE_INFINITY) {
      self = id;
      entries.set(id, { fromMs, untilMs, heardElapsedMs: clock.elapsedMs(), heardAtMs: clock.now() });
      rebuild();
    },
    membersAt: (atMs: number): readonly string[] => spanAt(atMs)?.members ?? [],
    ownerAt: (shard: Shard, atMs: number): string | null => spanAt(atMs)?.ownerOf(shard) ?? null,
    /** The latest instant at which any member of the view stops; Infinity while one stays. */
    heldUntilMs: () => Math.max(Number.NEGATIVE_INFINITY, ...[...entries.values()].map(({ untilMs }) => untilMs)),
    clear() {
      entries.clear();
      self = null;
      echoedElapsedMs = clock.elapsedMs();
      thawedElapsedMs = clock.elapsedMs();
      rebuild();
    },
  };
}
