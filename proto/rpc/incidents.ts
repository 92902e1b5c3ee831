import * as z from "zod";
import { instant } from "../http/envelope.ts";
import { acknowledgeInput, incident, incidentKinds, incidentsQuery, snoozeInput } from "../http/incidents/incidents.ts";
import { checkStatuses } from "../http/monitors/checks.ts";
import { dependsOn } from "../http/monitors/targets.ts";
import { contract } from "./contract.ts";

const incidentFilter = z.object({
  /** A part of the target's name or of the cause. */
  search: z.string().optional(),
  /** Searches causes without the output of jobs. */
  hideOutput: z.boolean().optional(),
  open: z.boolean().optional(),
  kind: z.enum(incidentKinds).optional(),
  acknowledged: z.boolean().optional(),
  targetId: z.int().optional(),
  /** At most 1,000. */
  targetIds: z.array(z.int()).readonly().optional(),
  /** Numbers of incidents: what follows the letter of their ids. */
  ids: z.array(z.int()).readonly().optional(),
  /** An open incident counts as the last to close. Absent: open ones first, then the newest. */
  sort: incidentsQuery.shape.sort,
});
export type IncidentFilter = z.output<typeof incidentFilter>;

/** A list, from an opaque cursor on. */
const incidentList = z.object({ filter: incidentFilter.default({}), after: z.string().default("") });

/** `limit`: at most 400. `uncounted` leaves `total` at 0: counting years of incidents takes far longer than reading a page. */
const incidentsPage = incidentList.extend({ limit: z.int().default(50), uncounted: z.boolean().default(false) });
export type IncidentsPage = z.output<typeof incidentsPage>;

/** There is a mark after every n-th incident; at most 256 marks. */
const incidentMarks = incidentList.extend({ every: z.int().min(1) });
export type IncidentMarks = z.output<typeof incidentMarks>;

const acknowledgement = z.object({
  id: z.string(),
  /** Absent: none, or the one that was there. */
  note: acknowledgeInput.shape.note,
  /** Who has a message's link, and so replaces no acknowledgement or note of others; absent: the caller, by name. */
  by: z.string().optional(),
});
export type Acknowledgement = z.output<typeof acknowledgement>;

const snooze = z.object({
  id: z.string(),
  ...snoozeInput.shape,
  /** Who has a message's link, and so only prolongs a snooze; absent: the caller, by name. */
  by: z.string().optional(),
});
export type Snooze = z.output<typeof snooze>;

/** What people did with an incident: each snooze, its end, and acknowledgements that were taken back. */
export const incidentAction = z.object({
  at: instant,
  type: z.enum(["acknowledged", "unacknowledged", "snoozed", "snooze_ended"]),
  by: z.string(),
  /** Of an acknowledgement. */
  note: z.string().optional(),
  /** Of a snooze. */
  until: instant.optional(),
});
export type IncidentAction = z.output<typeof incidentAction>;

/** What another location saw of a failure. */
export const opinion = z.object({
  at: instant,
  location: z.string(),
  status: z.enum(checkStatuses),
  /** Why its check failed. */
  error: z.string().optional(),
});
export type Opinion = z.output<typeof opinion>;

const byId = z.object({ id: z.string() });
const one = z.object({ incident });

/** Incidents and events of one service. Each service that opens incidents answers under its own name as the scope. */
export const incidentsContract = contract("incidents", {
  // Ranks rise along the list: those of several producers merge by them. `last`: the cursor behind the last of these.
  listIncidents: {
    input: incidentsPage,
    answer: z.object({
      incidents: z.array(z.object({ incident, rank: z.number() })),
      total: z.int(),
      last: z.string().default(""),
    }),
  },
  // Every n-th incident of the same list as a cursor, so that a far page is found without reading all before it.
  listIncidentMarks: {
    input: incidentMarks,
    answer: z.object({ marks: z.array(z.object({ rank: z.number(), cursor: z.string() })), total: z.int() }),
  },
  // `actions`: the newest of them, oldest first.
  getIncident: {
    input: byId,
    answer: one.extend({
      actions: z.array(incidentAction).default([]),
      opinions: z.array(opinion).default([]),
    }),
  },
  acknowledgeIncident: { input: acknowledgement, answer: one },
  // Takes an acknowledgement back, its note too. What is not acknowledged stays as it is.
  unacknowledgeIncident: { input: byId, answer: one },
  // Another end replaces that of a snooze that runs. invalid; impossible: it is closed
  snoozeIncident: { input: snooze, answer: one },
  endSnooze: { input: byId, answer: one },
  // Which targets depend on what, by rising id behind `afterId`; those that depend on nothing are left out.
  listDependencies: {
    input: z.object({ afterId: z.int() }),
    answer: z.object({ dependencies: z.array(z.object({ targetId: z.int(), dependsOn })), more: z.boolean() }),
  },
  // Events since an instant, oldest first and as Protobuf; `afterId` leaves out those of that instant up to this id.
  listEvents: {
    input: z.object({ sinceMs: z.number(), limit: z.int(), afterId: z.string().default("") }),
    answer: z.object({ events: z.array(z.base64()), more: z.boolean() }),
  },
});
