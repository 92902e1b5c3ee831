import type { AgentFigures as AgentFiguresMessage } from "@sonde/proto/gen/agents/v1/agents";
import type {
  AgentChanged,
  DeliveryChanged,
  Event,
  Incident as IncidentMessage,
  MonitorChanged,
  MonitorChecking as CheckingMessage,
  MonitorFigures as FiguresMessage,
} from "@sonde/proto/gen/events/v1/events";
import { agentStatuses } from "@sonde/proto/http/agents/agents";
import {
  type AgentChange,
  agentChange,
  type AgentFigures,
  type DeliveryEvent,
  type EventName,
  type IncidentEvent,
  incidentEvent,
  type MonitorChange,
  monitorChange,
  type MonitorChecking,
  type MonitorFigures,
} from "@sonde/proto/http/events";
import { type Incident, incidentKinds, incidentResolutions } from "@sonde/proto/http/incidents/incidents";
import { monitorStatuses } from "@sonde/proto/http/monitors/monitors";
import { deliveryStatuses } from "@sonde/proto/http/notifications/deliveries";
import { hundredthsOrNull, tenthsOrNull, wholeOrNull } from "@sonde/kit/figures";
import { oneOf } from "@sonde/kit/one-of";

// Protobuf carries these as text: validate what other services send.
const readAgentChange = oneOf(agentChange.shape.change.options, "change of an agent");
const readAgentStatus = oneOf(agentStatuses, "status of an agent");
const readDeliveryStatus = oneOf(deliveryStatuses, "status of a delivery");
const readIncidentChange = oneOf(incidentEvent.shape.change.options, "change of an incident");
const readIncidentKind = oneOf(incidentKinds, "kind of incident");
const readMonitorChange = oneOf(monitorChange.shape.change.options, "change of a monitor");
const readMonitorStatus = oneOf(monitorStatuses, "status of a monitor");
const readResolution = oneOf(incidentResolutions, "resolution of an incident");

const instantOf = (atMs: number): string => new Date(atMs).toISOString();
const instantOrNull = (atMs: number | undefined): string | null => (atMs === undefined ? null : instantOf(atMs));
const instantOrNone = (atMs: number | undefined): string | undefined =>
  atMs === undefined ? undefined : instantOf(atMs);

export type EventFrame = { event: EventName; data: unknown };

/** `null` for events that the web app does not use. */
export function presentEvent(event: Event): EventFrame | null {
  switch (event.fact.case) {
    case "monitor":
      return { event: "monitor", data: presentChange(event.fact.value, event.atMs) };
    case "agent":
      return { event: "agent", data: presentAgentChange(event.fact.value, event.atMs) };
    case "incident": {
      const { change, incident } = event.fact.value;
      if (incident === undefined) return null;
      const data = {
        change: readIncidentChange(change),
        incident: presentIncident(incident, event.atMs),
      } satisfies IncidentEvent;
      return { event: "incident", data };
    }
    case "delivery":
      return { event: "delivery", data: presentDeliveryChange(event.fact.value) };
    default:
      return null;
  }
}

function presentChange(changed: MonitorChanged, atMs: number): MonitorChange {
  return {
    id: changed.monitorId,
    change: readMonitorChange(changed.change),
    status: changed.status === "" ? undefined : readMonitorStatus(changed.status),
    previousStatus: changed.previousStatus === "" ? undefined : readMonitorStatus(changed.previousStatus),
    statusSince: instantOrNone(changed.statusSinceMs || undefined),
    name: changed.name || undefined,
    at: instantOf(atMs),
  };
}

const presentDeliveryChange = (changed: DeliveryChanged): DeliveryEvent => ({
  id: changed.deliveryId,
  channelId: changed.channelId,
  status: readDeliveryStatus(changed.status),
  incidentId: changed.incidentId || undefined,
});

function presentAgentChange(changed: AgentChanged, atMs: number): AgentChange {
  return {
    id: changed.agentId,
    change: readAgentChange(changed.change),
    status: readAgentStatus(changed.status),
    previousStatus: changed.previousStatus === "" ? undefined : readAgentStatus(changed.previousStatus),
    statusSince: instantOf(changed.statusSinceMs),
    name: changed.name,
    at: instantOf(atMs),
  };
}

export function presentAgentFigures(figures: AgentFiguresMessage): EventFrame {
  const data: AgentFigures = {
    id: figures.agentId,
    change: "figures",
    status: readAgentStatus(figures.status),
    lastSeen: instantOf(figures.lastSeenMs),
    cpu: tenthsOrNull(figures.cpuUsage),
    memory: tenthsOrNull(figures.memoryUsage),
    disk: tenthsOrNull(figures.diskUsage),
    receiveRate: wholeOrNull(figures.receiveRate),
    sendRate: wholeOrNull(figures.sendRate),
    load: hundredthsOrNull(figures.loadOne),
  };
  return { event: "agent", data };
}

export function presentChecking({ monitorId, attempt, attempts, failed, ended }: CheckingMessage): EventFrame {
  const data: MonitorChecking = ended
    ? { id: monitorId, change: "checking", ended }
    : { id: monitorId, change: "checking", attempt, attempts, failed };
  return { event: "monitor", data };
}

export function presentFigures(figures: FiguresMessage): EventFrame {
  const data: MonitorFigures = {
    id: figures.monitorId,
    change: "figures",
    status: readMonitorStatus(figures.status),
    responseTime: tenthsOrNull(figures.responseTimeMs),
    lastCheckedAt: instantOrNull(figures.lastCheckedAtMs),
    nextCheckAt: instantOrNull(figures.nextCheckAtMs),
    statusSince: instantOf(figures.statusSinceMs),
    stale: figures.stale,
    flapping: figures.flapping,
    certificateExpiresAt: instantOrNone(figures.certificateExpiresAtMs),
    certificateIssuer: figures.certificateIssuer,
    lastError: figures.lastError,
    partial: figures.partial.length === 0 ? undefined : figures.partial,
    slow: figures.slow,
    recovery: figures.recoverAfter === 0 ? undefined : { good: figures.goodChecks, of: figures.recoverAfter },
  };
  return { event: "monitor", data };
}

/** @param atMs when the event was decided: a snooze that had ended by then is omitted */
function presentIncident(incident: IncidentMessage, atMs: number): Incident {
  const isSnoozed = (incident.snoozedUntilMs ?? 0) > atMs;
  return {
    id: incident.id,
    target: {
      type: incident.targetType === "agent" ? "agent" : "monitor",
      id: incident.targetId,
      name: incident.targetName,
    },
    kind: readIncidentKind(incident.kind),
    metric: incident.metric,
    cause: incident.cause,
    flaps: incident.flaps || undefined,
    openedAt: instantOf(incident.openedAtMs),
    closedAt: instantOrNone(incident.closedAtMs),
    resolution: incident.resolution === undefined ? undefined : readResolution(incident.resolution),
    acknowledgedAt: instantOrNone(incident.acknowledgedAtMs),
    acknowledgedBy: incident.acknowledgedBy,
    note: incident.note,
    snoozedUntil: isSnoozed ? instantOrNone(incident.snoozedUntilMs) : undefined,
    snoozedBy: isSnoozed ? incident.snoozedBy : undefined,
  };
}
