import type { MaintenanceSpan } from "@sonde/domain/maintenance/spans";
import type { Change } from "@sonde/proto/http/incidents/changes";
import type { PrecedingEvent } from "@sonde/proto/http/incidents/explanation";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { type IncidentMessage, incidentText } from "@sonde/proto/http/incidents/messages";
import type { Language } from "@sonde/proto/http/messages";
import type { auditContract, MonitorEdit } from "@sonde/proto/rpc/audit";
import type { Call, Client } from "@sonde/kit/bus/rpc";
import { orNull } from "@sonde/kit/errors";

export type PrecedingSources = {
  audit: Pick<Client<typeof auditContract>, "listEdits">;
  changesFor(incidentId: string, fromMs: number, untilMs: number): Promise<Change[]>;
  maintenanceOf(monitorId: number): readonly MaintenanceSpan[];
};

const hourMs = 3_600_000;
/** The story's other calls come before it, within one call of the notifier. */
const editsMs = 400;
const maxEvents = 20;

/** Returns what happened in the hour before an incident, oldest first, without what is unavailable. */
export async function precedingEvents(
  sources: PrecedingSources,
  { id, target, kind, openedAt }: Incident,
  { language, showEditors }: { language: Language; showEditors?: boolean | undefined },
  call: Pick<Call, "requestId" | "actor">,
): Promise<PrecedingEvent[]> {
  // No single monitor caused the others.
  if (target.type !== "monitor" || kind === "stale" || kind === "slo") return [];
  const { audit, changesFor, maintenanceOf } = sources;
  const untilMs = Date.parse(openedAt);
  const fromMs = untilMs - hourMs;
  const period = { monitorId: target.id, since: new Date(fromMs).toISOString(), until: openedAt };
  const [edited, changes] = await Promise.all([
    // Optional, also because an auth service of the previous version does not have it.
    audit.listEdits(period, { call, timeoutMs: editsMs }).catch(() => ({ edits: [] })),
    orNull(changesFor(id, fromMs, untilMs)),
  ]);
  const events = [
    ...edited.edits.map((edit) => editEvent(edit, language, showEditors === true)),
    ...(changes ?? []).map(({ at, title: text, link }): PrecedingEvent => ({ at, type: "change", text, link })),
    ...maintenanceEvents(maintenanceOf(target.id), fromMs, untilMs, language),
  ];
  return events.toSorted((one, other) => one.at.localeCompare(other.at)).slice(-maxEvents);
}

const edits: Readonly<Partial<Record<MonitorEdit["action"], IncidentMessage>>> = {
  create: "The monitor was created",
  pause: "The monitor was paused",
  resume: "The monitor was resumed",
};

function editEvent(
  { at, action, by: name, fields }: MonitorEdit,
  language: Language,
  isNamed: boolean,
): PrecedingEvent {
  const event = incidentText(edits[action] ?? "The monitor was edited", language);
  if (!isNamed) return { at, type: "edit", text: event };
  const names =
    action === "update" ? [...new Set(fields.map((path) => path.replace(/^check\./, "").split(".")[0]!))] : [];
  const text = incidentText("{event} by {name}", language, { event, name });
  return { at, type: "edit", text, ...(names.length > 0 && { fields: names }) };
}

/** Maintenance that started, ran or ended in a period. */
export function maintenanceEvents(
  spans: readonly MaintenanceSpan[],
  fromMs: number,
  untilMs: number,
  language: Language,
): PrecedingEvent[] {
  const event = (ms: number, message: IncidentMessage): PrecedingEvent => {
    return { at: new Date(ms).toISOString(), type: "maintenance", text: incidentText(message, language) };
  };
  return spans
    .filter(({ fromMs: startMs, toMs }) => startMs <= untilMs && toMs > fromMs)
    .flatMap(({ fromMs: startMs, toMs }) => {
      const isOver = toMs <= untilMs;
      // A start before the period only matters while maintenance runs.
      const started = startMs >= fromMs || !isOver ? [event(startMs, "Maintenance started")] : [];
      return isOver ? [...started, event(toMs, "Maintenance ended")] : started;
    });
}
