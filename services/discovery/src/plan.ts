import type { ConfigEntry } from "@sonde/proto/http/config/document";
import { type ClusterKind, kindAt, type Wish } from "./translate.ts";

/** The managed fields of a monitor, and the place of its object. */
export type Owned = { place: string; entry: ConfigEntry };
export type OwnedMonitors = ReadonlyMap<string, Owned>;

export type Planning = {
  wishes: readonly Wish[];
  known: OwnedMonitors;
  /** Kinds that cannot be listed; their objects do not count as removed. */
  absent: ReadonlySet<ClusterKind>;
  /** Reasons of rejected entries, by `tokenOf`. */
  refused: ReadonlyMap<string, string>;
  nowMs: number;
};
export type Planned = {
  monitors: OwnedMonitors;
  /** Monitors to delete, because their objects were removed a day ago. */
  removals: number;
  faults: ReadonlyMap<string, string>;
};

/** The monitor of a removed object is paused for this time, then deleted. */
export const graceMs = 24 * 3_600_000;
const goneAt = /, gone since (\S+)$/;

export const tokenOf = (key: string, entry: ConfigEntry): string => `${key} ${JSON.stringify(entry)}`;

/** Plans the requested monitors, and paused ones of objects removed less than a day ago. */
export function planMonitors({ wishes, known, absent, refused, nowMs }: Planning): Planned {
  const monitors = new Map<string, Owned>();
  const faults = new Map<string, string>();
  for (const wish of wishes) {
    const { key, place } = wish;
    const fault = "fault" in wish ? wish.fault : refused.get(tokenOf(key, wish.entry));
    if (fault !== undefined) faults.set(place, fault);
    const candidates = ["entry" in wish ? [wish.entry] : [], formerEntries(known.get(key))].flat();
    const entry = candidates.find((one) => !refused.has(tokenOf(key, one)));
    if (entry !== undefined) monitors.set(key, { place, entry });
  }
  let removals = 0;
  const wished = new Set(wishes.map(({ key }) => key));
  for (const [key, owned] of known) {
    if (wished.has(key)) continue;
    const kind = kindAt(owned.place);
    const kept = kind !== undefined && absent.has(kind) ? owned : afterRemoval(owned, nowMs);
    if (kept === undefined) removals += 1;
    else monitors.set(key, kept);
  }
  return { monitors, faults, removals };
}

/** The former entry, and the same without channels, which may have been deleted. */
function formerEntries(owned: Owned | undefined): ConfigEntry[] {
  if (owned === undefined) return [];
  const { paused: _gone, ...entry } = owned.entry;
  const { notify: _channels, ...plain } = entry;
  return [entry, plain];
}

/** Setting the clock back keeps the monitor longer, never shorter. */
function afterRemoval({ place, entry }: Owned, nowMs: number): Owned | undefined {
  const since = Date.parse(goneAt.exec(place)?.[1] ?? "");
  if (nowMs - since >= graceMs) return undefined;
  if (!Number.isNaN(since)) return { place, entry };
  const { notify: _channels, ...fields } = entry;
  const minute = new Date(nowMs).toISOString().replace(/:\d\d\.\d+Z$/, "Z");
  return { place: `${place.replace(goneAt, "")}, gone since ${minute}`, entry: { ...fields, paused: true } };
}
