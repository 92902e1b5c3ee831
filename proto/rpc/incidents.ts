import * as z from "zod";
import { goodChecks } from "../http/monitors/checks.ts";
import { instant } from "../http/envelope.ts";
import { acknowledgeInput, incident, incidentKinds, incidentsQuery, snoozeInput } from "../http/incidents/incidents.ts";
import { sharedCause } from "../http/incidents/explanation.ts";
import { checkStatuses } from "../http/monitors/checks.ts";
import { dependsOn } from "../http/monitors/targets.ts";
import { contract } from "./contract.ts";

const incidentFilter = z.object({
  /** Substring of the target's name or the cause. */
  search: z.string().optional(),
  /** Excludes job output from the search. */
  hideOutput: z.boolean().optional(),
  open: z.boolean().optional(),
  kind: z.enum(incidentKinds).optional(),
  acknowledged: z.boolean().optional(),
  targetId: z.int().optional(),
  /** At most 1,000. */
  targetIds: z.array(z.int()).readonly().optional(),
  /** Numeric incident ids, without their letter. */
  ids: z.array(z.int()).readonly().optional(),
  /** Open incidents sort as closed last. If absent, open ones come first, then the newest. */
  sort: incidentsQuery.shape.sort,
});
export type IncidentFilter = z.output<typeof incidentFilter>;

/** A list that continues from an opaque cursor. */
const incidentList = z.object({ filter: incidentFilter.default({}), after: z.string().default("") });

/**
 * `limit`: at most 400. `uncounted` leaves `total` at 0, because counting years of incidents takes much longer than
 * reading a page.
 */
const incidentsPage = incidentList.extend({ limit: z.int().default(50), uncounted: z.boolean().default(false) });
export type IncidentsPage = z.output<typeof incidentsPage>;

/** Cursors after every n-th incident; at most 256. */
const incidentMarks = incidentList.extend({ every: z.int().min(1) });
export type IncidentMarks = z.output<typeof incidentMarks>;

const acknowledgement = z.object({
  id: z.string(),
  /** Absent: keeps an existing note. */
  note: acknowledgeInput.shape.note,
  /** Name of someone using a message's link, who cannot replace acknowledgements or notes; absent for the caller. */
  by: z.string().optional(),
});
export type Acknowledgement = z.output<typeof acknowledgement>;

const snooze = z.object({
  id: z.string(),
  ...snoozeInput.shape,
  /** Name of someone using a message's link, who can only extend a snooze; absent for the caller. */
  by: z.string().optional(),
});
export type Snooze = z.output<typeof snooze>;

/** User actions on an incident: snoozes, their ends, and removed acknowledgements. */
export const incidentAction = z.object({
  at: instant,
  type: z.enum(["acknowledged", "unacknowledged", "snoozed", "snooze_ended"]),
  by: z.string(),
  /** Only for acknowledgements. */
  note: z.string().optional(),
  /** Only for snoozes. */
  until: instant.optional(),
});
export type IncidentAction = z.output<typeof incidentAction>;

/** Result of a second opinion from another location. */
export const opinion = z.object({
  at: instant,
  location: z.string(),
  status: z.enum(checkStatuses),
  /** Set if its check failed. */
  error: z.string().optional(),
});
export type Opinion = z.output<typeof opinion>;

const byId = z.object({ id: z.string() });
/** `by`: as above, who can undo only their own action, for a minute; absent for the caller. */
const undo = byId.extend({ by: z.string().optional() });
const one = z.object({ incident });

/** Incidents and events of one producer, whose name is the scope. */
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
      recovery: goodChecks.optional(),
      sharedCause: sharedCause.optional(),
    }),
  },
  acknowledgeIncident: { input: acknowledgement, answer: one },
  // Removes an acknowledgement and its note, if there is one. Error: impossible, if a link undoes it too late.
  unacknowledgeIncident: { input: undo, answer: one },
  // Replaces the end of a running snooze. Errors: invalid; impossible if the incident is closed.
  snoozeIncident: { input: snooze, answer: one },
  endSnooze: { input: undo, answer: one },
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
