import { type MaintenanceSpan, spanAt } from "@sonde/domain/maintenance/spans";
import { silentLog } from "@sonde/kit/service/log";
import type { Notified, RehearsalResult } from "@sonde/proto/http/on-call/rehearsal";
import { maxEntries } from "@sonde/proto/http/on-call/rehearsal";
import type { RecipientChannel } from "../alerts/facts.ts";
import { readChange } from "../alerts/incident-changes.ts";
import {
  alertKindOf,
  type AlertMoment,
  fromRow,
  type NotifiedIncidentRow,
  type NotifiedIncident,
  readMoment,
} from "../alerts/incident.ts";
import type { OnCall } from "../on-call/recipients.ts";
import { type NewSetting, policiesIn } from "../settings/store.ts";
import { type PastChange, replay } from "./replay.ts";

/** Cloned into the thread. */
export type RehearsalJob = Omit<OnCall, "isAway"> & {
  fromMs: number;
  toMs: number;
  nowMs: number;
  /** JSON of `PastIncident[]`. */
  parts: string[];
  settings: NewSetting[];
  channels: Map<number, RecipientChannel>;
  /** Users whose account is deleted or disabled. */
  away: Set<number>;
  mails: Map<number, number>;
  /** By target: `monitor:12`. */
  spans: Map<string, Record<"maintenance" | "silence", readonly MaintenanceSpan[]>>;
};

/** `[name, atMs, id, value]` */
type ChangeRow = [PastChange["name"], number, number, Parameters<typeof readChange>[0]];
/** `[moment, channelId, atMs, channelName, failedAtMs]` */
type SentRow = [AlertMoment, number, number, string | null, number | null];
export type PastIncident = NotifiedIncidentRow & { changes: ChangeRow[] | null; sent: SentRow[] | null };

type Entry = { incident: NotifiedIncident; moment: AlertMoment; channelId: number; atMs: number; name?: string | null };

/** Computes whom drafts would have notified, and whom the settings of the time did. */
export function rehearse(job: RehearsalJob): RehearsalResult {
  const around = replayPast(job);
  const within = ({ atMs }: Entry) => atMs >= job.fromMs && atMs < job.toMs;
  const [would, did] = [around.would.filter(within), around.did.filter(within)];
  const [added, removed] = [without(would, around.did), without(did, around.would)];
  const shown = (list: readonly Entry[]) => list.slice(0, maxEntries).map((entry) => present(entry, job.channels));
  return {
    wouldNotify: shown(would),
    didNotify: shown(did),
    difference: { added: shown(added), removed: shown(removed) },
    totals: { wouldNotify: would.length, didNotify: did.length, added: added.length, removed: removed.length },
  };
}

/** Returns both lists in order, also shortly before and after the period. */
export function replayPast(job: RehearsalJob): { would: Entry[]; did: Entry[] } {
  const { parts, settings, channels, away, mails, spans, ...onCall } = job;
  const [fromMs, toMs] = [job.fromMs - toleranceMs, Math.min(job.toMs + toleranceMs, job.nowMs)];
  const changes: (PastChange & { order: number })[] = [];
  const failed = new Map<string, number>();
  const did: Entry[] = [];
  for (const part of parts) {
    for (const { changes: recorded, sent, ...row } of JSON.parse(part) as PastIncident[]) {
      const incident = fromRow(row);
      changes.push(...changesOf(incident, recorded ?? []));
      for (const [moment, channelId, atMs, name, failedAtMs] of sent ?? []) {
        if (failedAtMs !== null) failed.set(`${incident.id} ${moment} ${channelId}`, failedAtMs);
        if (atMs >= fromMs && atMs < toMs) did.push({ incident, moment, channelId, atMs, name });
      }
    }
  }
  changes.sort((one, other) => one.atMs - other.atMs || one.order - other.order);
  const would: Entry[] = [];
  const spansOf = (type: string, id: number) => spans.get(`${type}:${id}`);
  replay({
    changes,
    toMs,
    channels,
    mails,
    policies: policiesIn(settings),
    maintenance: {
      at: (type, id, atMs) => spanAt(spansOf(type, id)?.maintenance ?? [], atMs),
      silencedUntil: (type, id, atMs) => spanAt(spansOf(type, id)?.silence ?? [], atMs)?.toMs,
    },
    onCall: { ...onCall, isAway: (id) => away.has(id) },
    log: silentLog,
    hasFailed: ({ incident, moment, channelId, atMs }) =>
      failed.size > 0 && (failed.get(`${incident.id} ${moment} ${channelId}`) ?? Infinity) <= atMs,
    onSent: (entry) => entry.atMs >= fromMs && would.push(entry),
  });
  return { would: would.sort(inOrder), did: did.sort(inOrder) };
}

const inOrder = (one: Entry, other: Entry): number =>
  one.atMs - other.atMs ||
  one.incident.id.localeCompare(other.incident.id) ||
  one.moment.localeCompare(other.moment) ||
  one.channelId - other.channelId;

/** Older incidents have no recorded changes, so only their opening, acknowledgement and end are known. */
function changesOf(incident: NotifiedIncident, rows: readonly ChangeRow[]): (PastChange & { order: number })[] {
  const recorded = rows.map(([name, atMs, order, value]) => ({
    incident,
    name,
    atMs,
    order,
    value: readChange(value),
  }));
  const has = (name: PastChange["name"]) => rows.some(([known]) => known === name);
  const { openedAtMs, closedAtMs, acknowledgedAtMs, acknowledgedBy, resolution, facts } = incident;
  const given = (name: "opened" | "acknowledged" | "closed", atMs: number | undefined, order: number) => {
    if (has(name) || atMs === undefined) return [];
    const acknowledged = name === "opened" ? { acknowledgedBy: [] } : { acknowledgedAtMs, acknowledgedBy };
    const value = { ...acknowledged, facts, quiet: name === "closed" && resolution !== "recovered" };
    return [{ incident, name, atMs, order, value }];
  };
  return [
    ...given("opened", openedAtMs, 0),
    ...(has("opened") ? [] : given("acknowledged", acknowledgedAtMs, 0)),
    ...recorded,
    ...given("closed", closedAtMs, Number.MAX_SAFE_INTEGER),
  ];
}

/** A notification at a slightly other time is the same, because what is due is decided within a second or so. */
const toleranceMs = 5 * 60_000;

/** Returns the entries of a list without those that another list has at about the same time. Both are in order. */
function without(entries: readonly Entry[], others: readonly Entry[]): Entry[] {
  const keyOf = ({ incident, moment, channelId }: Entry) => `${incident.id} ${channelId} ${readMoment(moment).name}`;
  const left = Map.groupBy(others, keyOf);
  return entries.filter((entry) => {
    const same = left.get(keyOf(entry)) ?? [];
    const at = same.findIndex(({ atMs }) => Math.abs(atMs - entry.atMs) <= toleranceMs);
    if (at === -1) return true;
    same.splice(at, 1);
    return false;
  });
}

const maxName = 80;

function present(
  { incident, moment, channelId, atMs, name }: Entry,
  channels: ReadonlyMap<number, RecipientChannel>,
): Notified {
  const channel = channels.get(channelId);
  const { id, name: targetName, type } = incident.target;
  return {
    at: new Date(atMs).toISOString(),
    whom: {
      kind: channel?.userId ? "person" : "channel",
      id: channelId > 0 ? channelId : undefined,
      userId: channel?.userId ?? undefined,
      name: (channel?.name ?? name ?? `#${channelId}`).slice(0, maxName),
    },
    step: moment,
    reason: alertKindOf(incident.kind, readMoment(moment).name),
    incidentId: incident.id,
    target: { type, id, name: targetName.slice(0, maxName) },
  };
}
