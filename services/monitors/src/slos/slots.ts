import type { Client } from "@sonde/kit/bus/rpc";
import { sortByNumber } from "@sonde/kit/sort-by-number";
import type { metricsContract, SlotCounts } from "@sonde/proto/rpc/metrics";
import type { Period } from "./figures.ts";
import { noSlots, type Slots, sumSlots } from "./slo.ts";
import { closedEdges, closedUntil, hourMs, hourOf, minuteMs } from "./windows.ts";

export type CountSlots = Pick<Client<typeof metricsContract>, "countSlots">["countSlots"];

/** Minutes that are kept: up to the hour whose results have settled, and an hour for short windows. */
const keptMinutes = 80;
/** Read again each time, because results may be late; later ones count once their hour is closed. */
const rereadMinutes = 5;
/** Limits of a request. */
const maxMonitors = 1_000;
const maxCounts = 20_000;

/** Slots by minute; a minute's place is its number modulo the length. */
type Minutes = { untilMinute: number; slots: (Slots | undefined)[] };
type Group = {
  /** Minutes by monitor. */
  minutes: Map<number, Minutes>;
  /** The closed parts by their edges, then by monitor; `null` for a monitor that metrics does not know. */
  closed: Map<string, Map<number, readonly Slots[] | null>>;
};

export type SlotReader = ReturnType<typeof createSlotReader>;

/**
 * Counts slots for service levels, and reads from metrics only what is new: the last minutes by minute, and
 * what is older once an hour. Windows of up to an hour are exact to the minute, longer ones begin with a whole hour.
 */
export function createSlotReader(countSlots: CountSlots) {
  /** By limit of response times in milliseconds; 0: none. */
  const groups = new Map<number, Group>();
  let closedUntilMs = 0;
  /** Without a limit, all groups have the right counts, and the largest one probably has these monitors. */
  const limitOf = (fastMs: number): number =>
    fastMs || (sortByNumber([...groups], ([, { minutes }]) => minutes.size, true)[0]?.[0] ?? 0);
  const groupOf = (fastMs: number): Group => {
    const group = groups.get(fastMs) ?? { minutes: new Map(), closed: new Map() };
    groups.set(fastMs, group);
    return group;
  };

  async function query(ids: readonly number[], edges: readonly number[], fastMs: number) {
    const found = new Map<number, readonly Slots[]>();
    const atOnce = Math.max(1, Math.min(maxMonitors, Math.floor(maxCounts / edges.length)));
    for (let first = 0; first < ids.length; first += atOnce) {
      const monitorIds = ids.slice(first, first + atOnce);
      const { monitors } = await countSlots({ monitorIds, edges: [...edges], fastMs: fastMs || undefined });
      for (const counts of monitors) found.set(counts.targetId, slotsOf(counts));
    }
    return found;
  }

  async function readMinutes(ids: readonly number[], fastMs: number, nowMs: number): Promise<void> {
    const { minutes } = groupOf(fastMs);
    const untilMinute = Math.floor(nowMs / minuteMs);
    const isStale = (id: number) => (minutes.get(id)?.untilMinute ?? 0) < untilMinute;
    const isWhole = (id: number) => (minutes.get(id)?.untilMinute ?? 0) < untilMinute - rereadMinutes;
    const stale = ids.filter(isStale);
    const [whole, rest] = [stale.filter(isWhole), stale.filter((id) => !isWhole(id))];
    for (const [some, count] of [
      [whole, keptMinutes],
      [rest, rereadMinutes + 1],
    ] as const) {
      if (some.length === 0) continue;
      const first = untilMinute - count;
      const edges = Array.from({ length: count + 1 }, (_, step) => (first + step) * minuteMs);
      const found = await query(some, edges, fastMs);
      for (const id of some) {
        const slots = minutes.get(id)?.slots ?? Array.from({ length: keptMinutes }, () => undefined);
        for (let step = 0; step < count; step++) slots[(first + step) % keptMinutes] = busy(found.get(id)?.[step]);
        minutes.set(id, { untilMinute, slots });
      }
    }
  }

  async function readClosed(ids: readonly number[], edges: readonly number[], fastMs: number): Promise<void> {
    if (edges.length < 2) return;
    const { closed } = groupOf(fastMs);
    const known = closed.get(keyOf(edges)) ?? new Map<number, readonly Slots[] | null>();
    closed.set(keyOf(edges), known);
    const missing = ids.filter((id) => !known.has(id));
    const found = await query(missing, edges, fastMs);
    for (const id of missing) known.set(id, found.get(id) ?? null);
  }

  /** Counts of the minutes in [fromMs, now); both are whole minutes. */
  function sumMinutes(id: number, fastMs: number, fromMs: number, nowMs: number): Slots {
    const { slots } = groups.get(fastMs)?.minutes.get(id) ?? { slots: [] };
    const end = Math.floor(nowMs / minuteMs);
    const start = Math.min(end, Math.max(Math.ceil(fromMs / minuteMs), end - keptMinutes));
    const [place, count] = [start % keptMinutes, end - start];
    const wrapped = Math.max(0, place + count - keptMinutes);
    return sumSlots([...slots.slice(place, place + count), ...slots.slice(0, wrapped)]);
  }

  /** Forgets closed parts of the last hour, and monitors that no service level has any more. */
  function forget(nowMs: number): void {
    if (closedUntil(nowMs) === closedUntilMs) return;
    closedUntilMs = closedUntil(nowMs);
    for (const [fastMs, { minutes, closed }] of groups) {
      closed.clear();
      for (const [id, { untilMinute }] of minutes) if (untilMinute * minuteMs < nowMs - hourMs) minutes.delete(id);
      if (minutes.size === 0) groups.delete(fastMs);
    }
  }

  return {
    /** Reads what the windows of alerts need. Returns the slots of a monitor's last `ms`. */
    async recent(ids: readonly number[], limitMs: number, nowMs: number, longestMs: readonly number[]) {
      forget(nowMs);
      const fastMs = limitOf(limitMs);
      const untilMs = closedUntil(nowMs);
      const edges = [...longestMs.filter((ms) => ms > hourMs).map((ms) => hourOf(nowMs - ms)), untilMs]
        .filter((edge) => edge <= untilMs)
        .sort((one, other) => one - other);
      await readMinutes(ids, fastMs, nowMs);
      await readClosed(ids, edges, fastMs);
      const closed = groupOf(fastMs).closed.get(keyOf(edges));
      // Many service levels may have the same target.
      const known = new Map<string, Slots>();
      const read = (id: number, ms: number): Slots => {
        if (ms <= hourMs) return sumMinutes(id, fastMs, Math.floor(nowMs / minuteMs) * minuteMs - ms, nowMs);
        const steps = closed?.get(id) ?? [];
        const old = steps.filter((_, step) => edges[step]! >= hourOf(nowMs - ms));
        return sumSlots([...old, sumMinutes(id, fastMs, untilMs, nowMs)]);
      };
      return (id: number, ms: number): Slots => {
        const key = `${id} ${ms}`;
        const slots = known.get(key) ?? read(id, ms);
        known.set(key, slots);
        return slots;
      };
    },
    /** Reads a budget's window. */
    async period(ids: readonly number[], limitMs: number, fromMs: number, nowMs: number) {
      forget(nowMs);
      const fastMs = limitOf(limitMs);
      const edges = closedEdges(fromMs, nowMs);
      await readMinutes(ids, fastMs, nowMs);
      await readClosed(ids, edges, fastMs);
      const closed = groupOf(fastMs).closed.get(keyOf(edges));
      const endsMs = [...edges.slice(1), nowMs];
      return (id: number): Period => ({
        untilMs: nowMs,
        endsMs,
        steps: [
          ...(closed?.get(id) ?? endsMs.slice(1).map(() => noSlots)),
          sumMinutes(id, fastMs, edges.at(-1) ?? fromMs, nowMs),
        ],
        lastHour: sumMinutes(id, fastMs, Math.floor(nowMs / minuteMs) * minuteMs - hourMs, nowMs),
      });
    },
  };
}

const keyOf = (edges: readonly number[]) => edges.join();
const busy = (slots: Slots | undefined) =>
  slots === undefined || slots.activeMinutes + slots.seen === 0 ? undefined : slots;

const slotsOf = ({ expected, seen, up, fast = [], ...minutes }: SlotCounts): Slots[] =>
  seen.map((count, step) => ({
    expected: expected[step] ?? 0,
    seen: count,
    up: up[step] ?? 0,
    fast: fast[step] ?? 0,
    activeMinutes:
      (minutes.monitoredMinutes[step] ?? 0) -
      (minutes.maintenanceMinutes[step] ?? 0) -
      (minutes.pausedMinutes[step] ?? 0),
  }));
