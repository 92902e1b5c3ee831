import * as z from "zod";
import { agentStatuses } from "./agents/agents.ts";
import { deliveryStatuses } from "./notifications/deliveries.ts";
import { instant } from "./envelope.ts";
import { incident } from "./incidents/incidents.ts";
import { monitorState, monitorStatuses } from "./monitors/monitors.ts";

/** Live figures of one monitor after a check. Sent without an id: they are not part of resuming. */
const monitorFigures = z.object({ id: z.int(), change: z.literal("figures"), ...monitorState });
export type MonitorFigures = z.infer<typeof monitorFigures>;

/** A definition or a state changed; the id resumes. What the change carries is the state that it led to. */
export const monitorChange = z.object({
  id: z.int(),
  /** `stale`: no result came for three slots, whatever the status; `fresh`: one came again. */
  change: z.enum(["created", "updated", "deleted", "state", "stale", "fresh"]),
  status: z.enum(monitorStatuses).optional(),
  previousStatus: z.enum(monitorStatuses).optional(),
  statusSince: instant.optional(),
  name: z.string().optional(),
  at: instant,
});
export type MonitorChange = z.infer<typeof monitorChange>;

/** The progress of a manual check. Sent without an id: it is not part of resuming. */
const monitorChecking = z.object({
  id: z.int(),
  change: z.literal("checking"),
  /** The running or next attempt, from 1, of the maximum; absent at its end. */
  attempt: z.int().optional(),
  attempts: z.int().optional(),
  /** Why the attempt before failed. */
  failed: z.string().optional(),
  /** It is over: `figures` contain the result. */
  ended: z.literal(true).optional(),
});
export type MonitorChecking = z.infer<typeof monitorChecking>;

export const monitorEvent = z.discriminatedUnion("change", [monitorFigures, monitorChecking, monitorChange]);
export type MonitorEvent = z.infer<typeof monitorEvent>;

/**
 * Live figures of one agent after a sample, in percent; `disk` is the fullest one's. `receiveRate` and `sendRate` (bytes a
 * second) are the busiest interface's, `load` is that of the last minute. Sent without an id.
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

/** An agent was added, renamed, deleted or changed its state; the id resumes. */
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
 * `flapping`: it stays open until its target is stable; `steady`: it flaps no longer, though it is still not well;
 * `snoozed`: a snooze began, moved or was ended.
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
  /** Absent of a test. */
  incidentId: z.string().optional(),
});
export type DeliveryEvent = z.infer<typeof deliveryEvent>;

/** The names of the frames at /api/events. `reset`: the id was too old or foreign, fetch again. */
export const eventNames = ["monitor", "agent", "incident", "delivery", "reset"] as const;
export type EventName = (typeof eventNames)[number];
