import * as z from "zod";
import { agentStatuses } from "./agents/agents.ts";
import { deliveryStatuses } from "./notifications/deliveries.ts";
import { instant } from "./envelope.ts";
import { incident } from "./incidents/incidents.ts";
import { monitorState, monitorStatuses } from "./monitors/monitors.ts";

/** Live figures of a monitor after a check. Sent without an id, because they are not replayed on resume. */
const monitorFigures = z.object({ id: z.int(), change: z.literal("figures"), ...monitorState });
export type MonitorFigures = z.infer<typeof monitorFigures>;

/** A changed definition or state, with the new state; its id can be resumed from. */
export const monitorChange = z.object({
  id: z.int(),
  /** `stale`: no result for three slots, whatever the status; `fresh`: results are back. */
  change: z.enum(["created", "updated", "deleted", "state", "stale", "fresh"]),
  status: z.enum(monitorStatuses).optional(),
  previousStatus: z.enum(monitorStatuses).optional(),
  statusSince: instant.optional(),
  name: z.string().optional(),
  at: instant,
});
export type MonitorChange = z.infer<typeof monitorChange>;

/** Progress of a manual check. */
const monitorChecking = z.object({
  id: z.int(),
  change: z.literal("checking"),
  /** Running or next attempt, from 1; absent at the end. */
  attempt: z.int().optional(),
  attempts: z.int().optional(),
  /** Why the previous attempt failed. */
  failed: z.string().optional(),
  /** True if it has ended; `figures` contain the result. */
  ended: z.literal(true).optional(),
});
export type MonitorChecking = z.infer<typeof monitorChecking>;

export const monitorEvent = z.discriminatedUnion("change", [monitorFigures, monitorChecking, monitorChange]);
export type MonitorEvent = z.infer<typeof monitorEvent>;

/**
 * Live figures of an agent after a sample, in percent; `disk` is the fullest one. `receiveRate` and `sendRate` (bytes
 * per second) are of the busiest interface; `load` is the 1-minute average. Sent without an id.
 */
const agentFigures = z.object({
  id: z.int(),
  change: z.literal("figures"),
  status: z.enum(agentStatuses),
  lastSeen: instant,
  cpu: z.number().nullable(),
  memory: z.number().nullable(),
  disk: z.number().nullable(),
  receiveRate: z.number().nullable(),
  sendRate: z.number().nullable(),
  load: z.number().nullable(),
});
export type AgentFigures = z.infer<typeof agentFigures>;

/** An agent was added, renamed, deleted or changed its state; its id can be resumed from. */
export const agentChange = z.object({
  id: z.int(),
  change: z.enum(["registered", "renamed", "updated", "deleted", "state"]),
  status: z.enum(agentStatuses).optional(),
  previousStatus: z.enum(agentStatuses).optional(),
  statusSince: instant.optional(),
  name: z.string().optional(),
  at: instant,
});
export type AgentChange = z.infer<typeof agentChange>;

export const agentEvent = z.discriminatedUnion("change", [agentFigures, agentChange]);
export type AgentEvent = z.infer<typeof agentEvent>;

/**
 * `flapping`: stays open until the target is stable; `steady`: no longer flapping but still failing; `snoozed`: a
 * snooze began, changed or ended.
 */
export const incidentEvent = z.object({
  change: z.enum(["opened", "closed", "acknowledged", "unacknowledged", "snoozed", "flapping", "steady"]),
  incident,
});
export type IncidentEvent = z.infer<typeof incidentEvent>;

/** A delivery was made, or has another status. */
export const deliveryEvent = z.object({
  id: z.int(),
  channelId: z.int(),
  status: z.enum(deliveryStatuses),
  /** Absent for tests. */
  incidentId: z.string().optional(),
});
export type DeliveryEvent = z.infer<typeof deliveryEvent>;

/** Event names at /api/events. `reset`: the id is too old or unknown; fetch everything again. */
export const eventNames = ["monitor", "agent", "incident", "delivery", "reset"] as const;
export type EventName = (typeof eventNames)[number];
