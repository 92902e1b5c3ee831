import type { Database } from "@sonde/kit/postgres/database";
import { addDeliveries as addToChannel } from "../deliveries/add/add.ts";
import { reminderAfterMs } from "../settings/policy.ts";
import type { AlertFacts } from "./alert.ts";
import type { ChannelDecision } from "./decide.ts";
import { afterCommit } from "./deciding.ts";
import { saveDecisions } from "./decision-store.ts";
import { type NotifiedIncident, targetKey } from "./incident.ts";
import { planReminders } from "./incident-store.ts";
import type { AlertMoment } from "./moment.ts";
import type { IncidentsView } from "./view.ts";
import { alertsTotal, decisionsTotal } from "../telemetry.ts";

/** The decisions about one moment of an incident. */
type Verdict = {
  incident: NotifiedIncident;
  moment: AlertMoment;
  facts: AlertFacts;
  decisions: readonly ChannelDecision[];
};

/** Writes decisions, the alerts to send, their deliveries and the next reminders, in the transaction that decided. */
export async function recordVerdicts(
  trx: Database,
  view: IncidentsView,
  verdicts: readonly Verdict[],
  nowMs: number,
): Promise<void> {
  const decisions = verdicts.flatMap(({ incident, moment, decisions: made }) =>
    made.map((decision) => ({ incidentId: incident.id, moment, decision })),
  );
  if (decisions.length > 0) await saveDecisions(trx, decisions, nowMs);
  afterCommit(trx, () => report(view, verdicts));
  const told = verdicts.filter(({ decisions: made }) => made.some(({ outcome }) => outcome === "sent"));
  if (told.length === 0) return;
  const alerts = await saveAlerts(
    trx,
    told.map(({ incident, moment, facts }) => {
      const { quietHours } = view.policyOf(incident);
      return { incidentId: incident.id, moment, facts: { ...facts, timeZone: quietHours?.timeZone } };
    }),
  );
  await addDeliveries(trx, view, told, alerts, nowMs);
  await planReminders(
    trx,
    told
      .filter(({ incident }) => incident.closedAtMs === undefined && incident.acknowledgedAtMs === undefined)
      .map(({ incident }) => {
        const afterMs = reminderAfterMs(view.policyOf(incident), incident.kind);
        return { id: incident.id, dueAtMs: afterMs === null ? null : nowMs + afterMs };
      }),
  );
}

/** Logs decisions for operators, one line a moment. */
function report({ log }: IncidentsView, verdicts: readonly Verdict[]): void {
  for (const { incident, moment, facts, decisions } of verdicts) {
    for (const { outcome, reason } of decisions) decisionsTotal.inc({ outcome, reason });
    const channels = (wanted: ChannelDecision["outcome"]) =>
      decisions.flatMap(({ outcome, channelId }) => (outcome === wanted && channelId !== null ? [channelId] : []));
    const [told, held] = [channels("sent"), channels("held")];
    if (told.length > 0) alertsTotal.inc({ kind: facts.kind });
    const reasons = [...new Set(decisions.map(({ reason }) => reason))].filter((reason) => reason !== "sent");
    const { id, target } = incident;
    log.info(
      { incident: id, target: targetKey(target), moment, kind: facts.kind, told, held, reasons },
      "alert decided",
    );
  }
}

/** Channel by channel, ascending, since each stays locked; within one in the order of the alerts. */
async function addDeliveries(
  trx: Database,
  view: IncidentsView,
  told: readonly Verdict[],
  alerts: readonly StoredAlert[],
  nowMs: number,
): Promise<void> {
  const sendings = told.flatMap(({ incident, decisions }, index) =>
    decisions.flatMap(({ channelId, outcome }) => {
      const [channel, alert] = [view.channels.get(channelId ?? 0), alerts[index]];
      if (outcome !== "sent" || channel === undefined || alert === undefined) return [];
      const { language, templateId } = view.policyOf(incident);
      return [{ channel, alert, language, templateId }];
    }),
  );
  const byChannel = Map.groupBy(sendings, ({ channel }) => channel);
  for (const channel of [...byChannel.keys()].sort((one, other) => one.id - other.id)) {
    const deliveries = (byChannel.get(channel) ?? []).map(({ alert, language, templateId }) => ({
      alertId: alert.id,
      facts: alert.facts,
      channelType: channel.type,
      channelName: channel.name,
      reader: channel.reader,
      language,
      templateId,
    }));
    await addToChannel(trx, channel.id, deliveries, nowMs);
  }
}

type StoredAlert = { id: number; facts: AlertFacts };

/** Adds alerts, each with its facts; an alert that exists already keeps its facts. Returns them in the order given. */
async function saveAlerts(
  trx: Database,
  alerts: readonly { incidentId: string; moment: AlertMoment; facts: AlertFacts }[],
): Promise<StoredAlert[]> {
  const rows = alerts.map((alert) => ({ ...alert, kind: alert.facts.kind, createdAtMs: alert.facts.atMs }));
  await trx("alerts").insert(rows).onConflict(["incidentId", "moment"]).ignore();
  const stored = await trx.raw<{ rows: StoredAlert[] }>(
    `select alerts.id, facts
     from unnest(?::text[], ?::text[]) with ordinality as given (incident_id, moment, place)
     join alerts using (incident_id, moment) order by place`,
    [alerts.map(({ incidentId }) => incidentId), alerts.map(({ moment }) => moment)],
  );
  return stored.rows;
}
