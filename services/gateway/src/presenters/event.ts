import type { AgentFigures as AgentFiguresMessage } from "@sonde/proto/gen/agents/v1/agents";
import type {
  AgentChanged,
  Event,
  MonitorChanged,
  MonitorFigures as FiguresMessage,
} from "@sonde/proto/gen/events/v1/events";
import type { AgentStatus } from "@sonde/proto/http/agents";
import type {
  AgentChange,
  AgentFigures,
  EventName,
  IncidentEvent,
  MonitorChange,
  MonitorFigures,
} from "@sonde/proto/http/events";
import type { MonitorStatus } from "@sonde/proto/http/monitors";
import { tenthsOrNull } from "./figures.ts";
import { presentIncident } from "./incident.ts";
import { instantOf, instantOrNull } from "./instant.ts";

export type Frame = { event: EventName; data: unknown };

/** A fact of EVENTS as a frame of the stream; null for what the web app has no use for. */
export function presentEvent(event: Event): Frame | null {
  switch (event.fact.case) {
    case "monitor":
      return { event: "monitor", data: presentChange(event.fact.value, event.atMs) };
    case "agent":
      return { event: "agent", data: presentAgentChange(event.fact.value, event.atMs) };
    case "incident": {
      const { change, incident } = event.fact.value;
      if (incident === undefined || (change !== "opened" && change !== "closed")) return null;
      return { event: "incident", data: { change, incident: presentIncident(incident) } satisfies IncidentEvent };
    }
    default:
      return null;
  }
}

function presentChange(changed: MonitorChanged, atMs: number): MonitorChange {
  const status = changed.status === "" ? {} : { status: changed.status as MonitorStatus };
  const previous = changed.previousStatus === "" ? {} : { previousStatus: changed.previousStatus as MonitorStatus };
  return {
    id: changed.monitorId,
    change: changed.change as MonitorChange["change"],
    ...status,
    ...previous,
    ...(changed.statusSinceMs === 0 ? {} : { statusSince: instantOf(changed.statusSinceMs) }),
    ...(changed.name === "" ? {} : { name: changed.name }),
    at: instantOf(atMs),
  };
}

function presentAgentChange(changed: AgentChanged, atMs: number): AgentChange {
  const previous = changed.previousStatus === "" ? {} : { previousStatus: changed.previousStatus as AgentStatus };
  return {
    id: changed.agentId,
    change: changed.change as AgentChange["change"],
    status: changed.status as AgentStatus,
    ...previous,
    statusSince: instantOf(changed.statusSinceMs),
    name: changed.name,
    at: instantOf(atMs),
  };
}

/** Live figures of one agent as a frame. */
export function presentAgentFigures(figures: AgentFiguresMessage): Frame {
  const data: AgentFigures = {
    id: figures.agentId,
    change: "figures",
    status: figures.status as AgentStatus,
    lastSeen: instantOf(figures.lastSeenMs),
    cpu: tenthsOrNull(figures.cpuUsage),
    memory: tenthsOrNull(figures.memoryUsage),
    disk: tenthsOrNull(figures.diskUsage),
  };
  return { event: "agent", data };
}

/** Live figures of one monitor as a frame. */
export function presentFigures(figures: FiguresMessage): Frame {
  const data: MonitorFigures = {
    id: figures.monitorId,
    change: "figures",
    status: figures.status as MonitorStatus,
    responseTime: tenthsOrNull(figures.responseTimeMs),
    lastCheckedAt: instantOrNull(figures.lastCheckedAtMs),
    nextCheckAt: instantOrNull(figures.nextCheckAtMs),
    statusSince: instantOf(figures.statusSinceMs),
    stale: figures.stale,
    flapping: figures.flapping,
    ...(figures.certificateExpiresAtMs === undefined
      ? {}
      : { certificateExpiresAt: instantOf(figures.certificateExpiresAtMs) }),
    ...(figures.lastError === undefined ? {} : { lastError: figures.lastError }),
  };
  return { event: "monitor", data };
}
