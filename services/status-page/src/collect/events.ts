import {
  type AgentChanged,
  type Event,
  type IncidentChanged,
  type MonitorChanged,
  EventSchema,
} from "@sonde/proto/gen/events/v1/events";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { fromBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { followStream } from "@sonde/kit/bus/follow";
import type { Service } from "@sonde/kit/service/lifecycle";
import { streams } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";
import type { Facts } from "./facts.ts";
import { readAgentStatus, readMonitorStatus } from "./targets.ts";

type Effect = { states?: true; page?: true; facts?: true };

type CachedFacts = Pick<Facts, "monitors" | "agents">;

export function targetOf({ fact }: Event): TargetRef | null {
  if (fact.case === "monitor") return { type: "monitor", id: fact.value.monitorId };
  if (fact.case === "agent") return { type: "agent", id: fact.value.agentId };
  const incident = fact.case === "incident" ? fact.value.incident : undefined;
  if (incident === undefined) return null;
  return { type: incident.targetType === "agent" ? "agent" : "monitor", id: incident.targetId };
}

/** Applies an event about a shown target. @throws TypeError for an unknown status */
export function applyEvent(event: Event, facts: CachedFacts, isShown: (target: TargetRef) => boolean): Effect {
  const target = targetOf(event);
  if (target === null || !isShown(target)) return {};
  const { fact, atMs } = event;
  if (fact.case === "monitor") return applyMonitor(fact.value, atMs, facts);
  if (fact.case === "agent") return applyAgent(fact.value, facts);
  return fact.case === "incident" ? applyIncident(fact.value, facts) : {};
}

function applyMonitor(changed: MonitorChanged, atMs: number, { monitors }: Pick<Facts, "monitors">): Effect {
  const { monitorId: id, name, change } = changed;
  if (change === "deleted") {
    monitors.change(id, null);
    return { states: true, page: true };
  }
  const before = monitors.get(id);
  const status = readMonitorStatus(changed.status);
  const sinceMs = changed.statusSinceMs;
  // Events that arrive late, after a reconnect, may be older than the queried facts.
  if (before !== undefined && sinceMs < before.sinceMs) return {};
  const staleSinceMs = change === "stale" ? (before?.staleSinceMs ?? atMs) : staleAfter(change, before);
  const responseTimeMs = changed.responseTimeMs ?? before?.responseTimeMs ?? null;
  const slow = before?.slow ?? false;
  monitors.change(id, { ...before, name, status, sinceMs, staleSinceMs, responseTimeMs, slow });
  // A group may be up with members down, which events do not say.
  const isGroup = before?.members !== undefined;
  return { states: true, ...later(before?.name, name, change), ...(isGroup && { facts: true }) };
}

/** An edit does not show that checks arrive. A result that changed the state, or arrived after a gap, does. */
const staleAfter = (change: string, before: { staleSinceMs: number | null } | undefined) =>
  change === "updated" ? (before?.staleSinceMs ?? null) : null;

function applyAgent(changed: AgentChanged, { agents }: Pick<Facts, "agents">): Effect {
  const { agentId: id, name, change, statusSinceMs: sinceMs } = changed;
  if (change === "deleted") {
    agents.change(id, null);
    return { states: true, page: true };
  }
  const before = agents.get(id);
  const status = readAgentStatus(changed.status);
  if (before === undefined) return { facts: true };
  if (sinceMs < before.sinceMs) return {};
  agents.change(id, { ...before, name, status, sinceMs });
  return { states: true, ...later(before.name, name, change) };
}

/** Changes by users require a query, because events do not contain all of it. */
const later = (before: string | undefined, name: string, change: string): Effect => ({
  ...(before === name ? {} : { page: true }),
  ...(change === "updated" || change === "registered" ? { facts: true } : {}),
});

const listedKinds: ReadonlySet<string> = new Set(["down", "offline", "external"]);

function applyIncident({ change, incident }: IncidentChanged, { monitors }: Pick<Facts, "monitors">): Effect {
  if (incident?.kind === "slow") {
    const before = monitors.get(incident.targetId);
    if (before === undefined || (change !== "opened" && change !== "closed")) return {};
    monitors.change(incident.targetId, { ...before, slow: change === "opened" });
    return { states: true, page: true };
  }
  if (incident === undefined || !listedKinds.has(incident.kind)) return {};
  return change === "opened" || change === "closed" ? { page: true } : {};
}

const deliveries = subjects.event("delivery", "");

/** Follows new events. The next full query finds missed ones. */
export function followEvents(bus: Bus, onEvent: (event: Event) => void): Service {
  return followStream(bus, {
    stream: streams.events.name,
    from: "new",
    onMessage: ({ subject, data }) => {
      if (subject.startsWith(deliveries)) return;
      try {
        onEvent(fromBinary(EventSchema, data));
      } catch (error) {
        bus.log.error({ err: error, subject }, "invalid event skipped");
      }
    },
  });
}
