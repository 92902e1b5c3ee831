import { z } from "zod";
import { checkResult } from "../http/monitors/checks.ts";
import { endingCertificates, monitorCounts } from "../http/dashboard.ts";
import { id } from "../http/envelope.ts";
import {
  bulkActions,
  bulkAnswer,
  bulkChanges,
  monitorCountsQuery,
  monitorFilter,
  monitorsQuery,
  tagsAnswer,
  tagsQuery,
} from "../http/monitors/lists.ts";
import {
  locationsAnswer,
  type MonitorInput,
  monitorInput,
  monitorPatch,
  monitorStatuses,
  knownMonitor as monitor,
} from "../http/monitors/monitors.ts";
import { contract, nothing } from "./contract.ts";

const messageParams = z.record(z.string(), z.union([z.string(), z.number()]));
const ofMonitor = z.object({ id });
/** What an import describes, as `POST /api/monitors` takes it; each is validated for itself. */
const importedMonitor = z.record(z.string(), z.unknown());
const wholeInput = monitorInput as unknown as z.ZodType<MonitorInput, MonitorInput>;

// `ids`: only these, where there are any; in this order unless `sort` names another.
const listInput = monitorsQuery
  .omit({ compact: true })
  .extend({ ids: z.array(id).optional(), compact: z.boolean().optional() });
// `restIds`: the rest of the page, in order, which did not fit into one message of the bus.
const pageOf = <M extends z.ZodType>(one: M) =>
  z.object({ monitors: z.array(one), total: z.int(), restIds: z.array(id) });

/** Definitions of monitors and their state; their incidents are the contract of incidents. */
export const monitorsContract = contract("monitors", {
  createMonitor: { input: z.object({ monitor: wholeInput, cloneOf: id.optional() }), answer: monitor },
  getMonitor: { input: ofMonitor, answer: monitor },
  listMonitors: { input: listInput, answer: pageOf(monitor) },
  /** The ids of all that match, by name: for sorting by what others know, and for changing many at once. */
  matchMonitors: {
    input: z.object({ ...monitorFilter, limit: z.int() }),
    answer: z.object({ ids: z.array(id), total: z.int() }),
  },
  /** How many of those that match are in each state. */
  countMonitors: { input: monitorCountsQuery, answer: z.object({ counts: monitorCounts }) },
  /** How many incidents of these monitors are open. */
  countOpenIncidents: { input: z.object({ ids: z.array(id) }), answer: z.object({ count: z.int() }) },
  listTags: { input: tagsQuery, answer: tagsAnswer.pick({ tags: true, more: true }) },
  updateMonitor: { input: z.object({ id, patch: monitorPatch }), answer: monitor },
  deleteMonitor: { input: ofMonitor, answer: nothing },
  pauseMonitor: { input: ofMonitor, answer: monitor },
  resumeMonitor: { input: ofMonitor, answer: monitor },
  bulkMonitors: {
    input: z.object({ ids: z.array(id), action: z.enum(bulkActions), changes: bulkChanges.optional() }),
    // Messages are keys of proto/http/messages.ts.
    answer: bulkAnswer.pick({ done: true, unchanged: true, undo: true }).extend({
      failed: z.array(z.object({ id, message: z.string(), params: messageParams.optional() })),
    }),
  },
  /** What an import would meet, a part of it at a time; keeps nothing. */
  checkImport: {
    input: z.object({ monitors: z.array(importedMonitor) }),
    answer: z.object({
      verdicts: z.array(
        z.object({
          /** The monitor that has this name and target already. */
          existingId: id.optional(),
          /** What is wrong with it. */
          fault: z.object({ message: z.string(), params: messageParams.optional() }).optional(),
          /** Locations that it names and that have no runner: it would be checked without them. */
          lostLocations: z.array(z.string()).optional(),
        }),
      ),
    }),
  },
  /** Ids for monitors that are imported next, so that others can name them before they are there. */
  reserveMonitorIds: { input: z.object({ count: z.int() }), answer: z.object({ ids: z.array(id) }) },
  /** All of them in one transaction, or none. What one depends on is named by its line, from 1. */
  importMonitors: {
    input: z.object({
      /** JSON texts of what `checkImport` takes, one a line, by Brotli. */
      zippedLines: z.base64(),
      /** The id of each line's monitor: a reserved one, or of one that is there already; 0: it does not come. */
      ids: z.array(z.int()),
      /** The lines to be created, from 1. */
      lines: z.array(z.int()),
    }),
    answer: nothing,
  },
  /** One check now through a probe runner; answers once the state machine applied it. */
  checkNow: { input: ofMonitor, answer: z.object({ result: checkResult, monitor }) },
  /** Checks an input that is not saved; with `monitorId` a masked secret means the stored one. */
  testMonitor: { input: z.object({ monitor: wholeInput, monitorId: id.optional() }), answer: checkResult },
  listLocations: { input: nothing, answer: locationsAnswer.pick({ locations: true }) },
  /** Counts for the dashboard, and what needs attention first. */
  summary: {
    input: z.object({
      /** The number of monitors in the worst state to return, at most 50. */
      attention: z.int().default(0),
      /** Counts certificates that expire within this many days. */
      certificateDays: z.int().default(0),
    }),
    answer: z.object({
      counts: monitorCounts,
      openIncidents: z.int(),
      attention: z.array(monitor),
      certificates: endingCertificates,
    }),
  },
});

const scrapedMonitor = z.object({
  id,
  name: z.string(),
  type: z.string(),
  status: z.enum(monitorStatuses),
  stale: z.boolean(),
  tags: z.array(z.string()),
  certificateExpiresAt: z.string().optional(),
});
export type ScrapedMonitor = z.infer<typeof scrapedMonitor>;
/** The same list for who reads very many at once: checking the fields that it leaves aside took most of the time. */
export const scrapedMonitorsContract = contract("monitors", {
  listMonitors: { input: listInput, answer: pageOf(scrapedMonitor) },
});
