import type { Database } from "@sonde/kit/postgres/database";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import { oneOf } from "@sonde/kit/one-of";
import { settingsOfDrill } from "../on-call/drills/settings.ts";
import { readPolicies } from "../on-call/policies/store.ts";
import { type AlertPolicy, loadPolicies } from "../settings/store.ts";
import type { Audience, DecisionInput, NotifiedMoments } from "./decide.ts";
import type { DecisionContext } from "./deciding.ts";
import { type Graph, loadGraph } from "./dependencies.ts";
import {
  alertKindOf,
  type AlertMoment,
  followedTags,
  followedTarget,
  idsOf,
  ignoresMaintenance,
  type NotifiedIncident,
  readMoment,
  type AlertFacts,
  ofIncident,
  ofSource,
  ofTarget,
  type MomentName,
  momentNames,
} from "./incident.ts";

export type RecipientChannel = Audience & { name: string; type: ChannelTypeName; userId: number | null };

export type IncidentsView = {
  channels: ReadonlyMap<number, RecipientChannel>;
  log: DecisionContext["log"];
  nowMs: number;
  policyOf(incident: NotifiedIncident): AlertPolicy;
  inputFor(incident: NotifiedIncident): DecisionInput & { parentIncidentId: string | null };
  factsOf(incident: NotifiedIncident, moment: AlertMoment): AlertFacts;
};

export async function loadIncidentsView(
  trx: Database,
  { clock, log, readerOf, maintenance }: DecisionContext,
  incidents: readonly NotifiedIncident[],
  steps?: ReadonlyMap<string, AlertFacts["step"]>,
): Promise<IncidentsView> {
  const targets = incidents.map(followedTarget);
  const policies = await loadPolicies(trx, log, targets);
  const own = incidents.flatMap(({ facts }) => facts.policyId ?? []);
  const ownPolicies = own.length === 0 ? new Map<number, never>() : await readPolicies(trx, own);
  const channels = await loadChannels(trx, readerOf);
  const graph = await loadGraph(trx, incidents);
  const notified = await loadNotifiedMoments(trx, idsOf(incidents));
  const nowMs = clock.now();
  return viewOf({ channels, log, maintenance, policies, ownPolicies, graph, notified, steps, nowMs });
}

/** Rows that decisions about incidents need. */
type Loaded = Pick<IncidentsView, "channels" | "log" | "nowMs"> & {
  maintenance: DecisionContext["maintenance"];
  policies: Awaited<ReturnType<typeof loadPolicies>>;
  /** Existing escalation policies, at least those that the incidents name. */
  ownPolicies: Pick<ReadonlyMap<number, unknown>, "has">;
  graph: Graph;
  notified: ReadonlyMap<string, ReadonlyMap<number, NotifiedMoments>>;
  steps?: ReadonlyMap<string, AlertFacts["step"]> | undefined;
};

/** Without a query. */
export function viewOf(loaded: Loaded): IncidentsView {
  const { channels, log, maintenance, policies, ownPolicies, graph, notified, steps, nowMs } = loaded;
  const policyOf = (incident: NotifiedIncident) => {
    const settings = policies(followedTarget(incident), followedTags(incident));
    if (incident.drill !== undefined) return settingsOfDrill(settings, incident.drill);
    const { policyId } = incident.facts;
    // The service that named it does not know that it was deleted.
    return policyId !== undefined && ownPolicies.has(policyId) ? { ...settings, policyId } : settings;
  };
  return {
    channels,
    log,
    nowMs,
    policyOf,
    inputFor: (incident) => {
      const { id, kind, snoozedUntilMs = 0 } = incident;
      const target = followedTarget(incident);
      const isDrill = incident.drill !== undefined;
      return {
        kind,
        maintenanceUntilMs: ignoresMaintenance(incident) ? null : maintenanceUntil(maintenance, target, nowMs),
        silencedUntilMs: isDrill ? null : silencedUntil(maintenance, target, nowMs),
        snoozedUntilMs: snoozedUntilMs > nowMs ? snoozedUntilMs : null,
        // A group knows neither that the state of a member is unknown nor its service levels.
        isLeftToGroup: kind !== "stale" && kind !== "slo" && incident.facts.alertedBy.length > 0,
        policy: policyOf(incident),
        channels,
        notified: notified.get(id) ?? new Map(),
        nowMs,
        parentIncidentId: graph.deferringIncident(id)?.incidentId ?? null,
      };
    },
    factsOf: (incident, moment) => {
      const { name, number } = readMoment(moment);
      return {
        ...pick(incident, ofIncident),
        ...pick(incident.facts, ofTarget),
        ...((incident.kind === "external" || incident.kind === "slo") && pick(incident.facts, ofSource)),
        kind: alertKindOf(incident.kind, name),
        incidentId: incident.id,
        incidentKind: incident.kind,
        atMs: nowMs,
        timeZone: policyOf(incident).quietHours?.timeZone,
        reminder: name === "reminder" ? number : 0,
        step: name === "step" ? steps?.get(incident.id) : undefined,
        dependents: dependentsOf(graph, incident.id),
        drill: incident.drill && { acknowledgedBy: incident.acknowledgedBy },
        address: incident.facts.target,
      };
    },
  };
}

const pick = <Whole, Key extends keyof Whole>(whole: Whole, keys: readonly Key[]) =>
  Object.fromEntries(keys.map((key) => [key, whole[key]])) as Pick<Whole, Key>;

const maxNames = 50;

function dependentsOf(graph: Graph, incidentId: string): AlertFacts["dependents"] {
  const names = new Map(graph.deferredBy(incidentId).map(({ target, targetName }) => [target, targetName]));
  return { names: [...names.values()].slice(0, maxNames), count: names.size };
}

/** Returns when the target's maintenance at an instant ends, in whole milliseconds, or `null`. */
export function maintenanceUntil(
  maintenance: DecisionContext["maintenance"],
  { type, id }: TargetRef,
  atMs: number,
): number | null {
  const span = maintenance.at(type, id, atMs);
  return span === undefined ? null : Math.ceil(span.toMs);
}

export function silencedUntil(
  maintenance: DecisionContext["maintenance"],
  { type, id }: TargetRef,
  atMs: number,
): number | null {
  const untilMs = maintenance.silencedUntil(type, id, atMs);
  return untilMs === undefined ? null : Math.ceil(untilMs);
}

export async function loadChannels(
  db: Database,
  readerOf: DecisionContext["readerOf"],
): Promise<Map<number, RecipientChannel>> {
  const rows = await db("channels")
    .leftJoin("channels as through", "through.id", "channels.through_id")
    .select<Omit<RecipientChannel, "reader">[]>(
      "channels.id",
      "channels.name",
      "channels.type",
      "channels.user_id",
      db.raw(`channels.enabled and (channels.through_id is null or coalesce(through.enabled, false)) as is_enabled`),
    );
  return new Map(rows.map((row) => [row.id, { ...row, reader: readerOf(row.type) }]));
}

type MomentRow = { incidentId: string; channelId: number; name: string; sent: boolean; deferred: boolean };

const readName = oneOf(momentNames, "moment");

/** A failed delivery does not count, unless an attempt is in doubt: its message may have arrived. */
async function loadNotifiedMoments(
  db: Database,
  incidentIds: readonly string[],
): Promise<Map<string, Map<number, NotifiedMoments>>> {
  const { rows } = await db.raw<{ rows: MomentRow[] }>(
    `select decisions.incident_id, decisions.channel_id, split_part(decisions.moment, ':', 1) as name,
       bool_or(outcome = 'sent') as sent, bool_or(outcome = 'held') as deferred
     from decisions
     left join alerts on alerts.incident_id = decisions.incident_id and alerts.moment = decisions.moment
     left join deliveries on deliveries.alert_id = alerts.id and deliveries.channel_id = decisions.channel_id
     where decisions.incident_id = any(?) and decisions.channel_id is not null
       and (outcome = 'held' or (outcome = 'sent' and (
         deliveries.status is distinct from 'failed' or exists (
           select from attempts
           where attempts.message_id = deliveries.message_id and (ended_at_ms is null or in_doubt)
         )
       )))
     group by 1, 2, 3`,
    [[...incidentIds]],
  );
  const notified = new Map<string, Map<number, NotifiedMoments>>();
  for (const row of rows) {
    const channels = notified.get(row.incidentId) ?? new Map<number, NotifiedMoments>();
    notified.set(row.incidentId, channels);
    addMoment(channels, { ...row, name: readName(row.name) });
  }
  return notified;
}

/** Adds that a moment of this name was sent to a channel, or waits. */
export function addMoment(
  channels: Map<number, NotifiedMoments>,
  { channelId, name, sent, deferred }: Pick<MomentRow, "channelId" | "sent" | "deferred"> & { name: MomentName },
): void {
  const known = channels.get(channelId) ?? {};
  const waits = deferred && (name === "opened" || name === "reminder");
  channels.set(channelId, {
    ...known,
    [name]: known[name] === true || sent,
    isWaiting: known.isWaiting === true || waits,
  });
}
