import * as z from "zod";
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
  confirmAnswer,
  confirmInput,
  locationsAnswer,
  type MonitorInput,
  monitorInput,
  monitorPatch,
  monitorStatuses,
  knownMonitor as monitor,
} from "../http/monitors/monitors.ts";
import { pingKeyAnswer, pingKeyInput, scheduleAnswer, scheduleQuery } from "../http/monitors/pings.ts";
import { configSource, sourceProblem } from "../http/config/apply.ts";
import { appliedPart, applyPart, idsOfRefs, ownedCounts, releasePart } from "./apply.ts";
import { contract, nothing } from "./contract.ts";

const messageParams = z.record(z.string(), z.union([z.string(), z.number()]));
const ofMonitor = z.object({ id });
const confirmForAll = confirmAnswer.pick({ confirm: true });
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
  /** Plans or applies the monitors of a document: all of them in one transaction, or none. */
  applyMonitors: { input: applyPart, answer: appliedPart },
  /** A new generation of a source, and ids for monitors that are to be made. Without a source the generation is 0. */
  beginApply: {
    input: z.object({ source: z.string().nullable(), monitors: z.int() }),
    answer: z.object({ generation: z.int(), ids: z.array(id) }),
  },
  /** How it ended; no more than a note where a newer generation has begun. */
  endApply: {
    input: z.object({
      source: z.string(),
      generation: z.int(),
      revision: z.string().optional(),
      outcome: z.string(),
      by: z.string(),
    }),
    answer: nothing,
  },
  /** Why the files of a mounted folder were not applied; null: they were. */
  noteSource: { input: z.object({ source: z.string(), problem: z.string().nullable() }), answer: nothing },
  listSources: {
    input: nothing,
    answer: z.object({ sources: z.array(configSource.omit({ objects: true, drift: true })) }),
  },
  /** What each source owns. */
  countOwned: { input: nothing, answer: ownedCounts },
  idsOfRefs,
  release: { input: releasePart, answer: z.object({ released: z.int() }) },
  /** One check now through a probe runner; answers once the state machine applied it. */
  checkNow: { input: ofMonitor, answer: z.object({ result: checkResult, monitor }) },
  /** Checks an input that is not saved; with `monitorId` a masked secret means the stored one. */
  testMonitor: { input: z.object({ monitor: wholeInput, monitorId: id.optional() }), answer: checkResult },
  /** A new address of a heartbeat; the old one works a day longer. */
  renewPingUrl: { input: ofMonitor, answer: monitor },
  /** The next five instants of a cron expression. */
  schedule: { input: scheduleQuery, answer: scheduleAnswer.pick({ next: true }) },
  getPingKey: { input: nothing, answer: pingKeyAnswer.pick({ pingKey: true, creates: true }) },
  setPingKey: { input: pingKeyInput, answer: pingKeyAnswer.pick({ pingKey: true, creates: true }) },
  /** The heartbeat of a slug, made where there is none (`?create=1`): once, however often it is asked. */
  heartbeatOfSlug: { input: z.object({ slug: z.string() }), answer: z.object({ id, created: z.boolean() }) },
  /** The second opinion of monitors that name none. */
  getConfirm: { input: nothing, answer: confirmForAll },
  setConfirm: { input: confirmInput, answer: confirmForAll },
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
      sourceProblems: z.array(sourceProblem).default([]),
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
