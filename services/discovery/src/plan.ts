import type { ConfigEntry } from "@sonde/proto/http/config/document";
import { type ClusterKind, kindAt, type Wish } from "./translate.ts";

/** A monitor of ours by the fields that we own, and where its object lies. */
export type Owned = { place: string; entry: ConfigEntry };
export type OwnedMonitors = ReadonlyMap<string, Owned>;

export type Planning = {
  /** What annotated objects of the cluster ask for. */
  wishes: readonly Wish[];
  /** What Sonde has of us. */
  known: OwnedMonitors;
  /** Kinds that cannot be listed: of those nothing has vanished. */
  absent: ReadonlySet<ClusterKind>;
  /** Entries that Sonde refused, as `tokenOf` names them, with the reasons. */
  refused: ReadonlyMap<string, string>;
  nowMs: number;
};
export type Planned = {
  monitors: OwnedMonitors;
  /** How many are removed, since their objects vanished a day ago. */
  removals: number;
  /** Why objects are left as they were, by place. */
  faults: ReadonlyMap<string, string>;
};

/** An object that vanished has its monitor paused for so long, and removed then. */
export const graceMs = 24 * 3_600_000;
const goneAt = /, gone since (\S+)$/;

export const tokenOf = (key: string, entry: ConfigEntry): string => `${key} ${JSON.stringify(entry)}`;

/** The document: what objects ask for, and monitors of those that vanished less than a day ago. */
export function planMonitors({ wishes, known, absent, refused, nowMs }: Planning): Planned {
  const monitors = new Map<string, Owned>();
  const faults = new Map<string, string>();
  for (const wish of wishes) {
    const { key, place } = wish;
    const fault = "fault" in wish ? wish.fault : refused.get(tokenOf(key, wish.entry));
    if (fault !== undefined) faults.set(place, fault);
    const candidates = ["entry" in wish ? [wish.entry] : [], asItWas(known.get(key))].flat();
    const entry = candidates.find((one) => !refused.has(tokenOf(key, one)));
    if (entry !== undefined) monitors.set(key, { place, entry });
  }
  let removals = 0;
  const wished = new Set(wishes.map(({ key }) => key));
  for (const [key, owned] of known) {
    if (wished.has(key)) continue;
    const kind = kindAt(owned.place);
    const kept = kind !== undefined && absent.has(kind) ? owned : afterVanishing(owned, nowMs);
    if (kept === undefined) removals += 1;
    else monitors.set(key, kept);
  }
  return { monitors, faults, removals };
}

/** Its entry as it last was, and the same without channels, which may be there no more. */
function asItWas(owned: Owned | undefined): ConfigEntry[] {
  if (owned === undefined) return [];
  const { paused: _gone, ...entry } = owned.entry;
  const { notify: _channels, ...plain } = entry;
  return [entry, plain];
}

/** A clock that was stepped back keeps it longer, never shorter. */
function afterVanishing({ place, entry }: Owned, nowMs: number): Owned | undefined {
  const since = Date.parse(goneAt.exec(place)?.[1] ?? "");
  if (nowMs - since >= graceMs) return undefined;
  if (!Number.isNaN(since)) return { place, entry };
  const { notify: _channels, ...fields } = entry;
  const minute = new Date(nowMs).toISOString().replace(/:\d\d\.\d+Z$/, "Z");
  return { place: `${place.replace(goneAt, "")}, gone since ${minute}`, entry: { ...fields, paused: true } };
}
