import * as z from "zod";
import { checkResult } from "../http/monitors/checks.ts";
import { endingCertificates, monitorCounts } from "../http/dashboard.ts";
import { sharedCause } from "../http/incidents/explanation.ts";
import { id } from "../http/envelope.ts";
import {
  bulkActions,
  bulkAnswer,
  bulkChanges,
  matchingCounts,
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
import {
  locationTokenAnswer,
  registeredRunner,
  registerRunnerInput,
  runnerSettings,
  startRunnerInput,
} from "../http/monitors/runners.ts";
import { groupFacts } from "../http/monitors/groups.ts";
import { externalAlert, inboundBounds } from "../http/monitors/inbound.ts";
import { pingKeyAnswer, pingKeyInput, scheduleAnswer, scheduleQuery } from "../http/monitors/pings.ts";
import { managedBy } from "../http/config/managed.ts";
import { dependsOn } from "../http/monitors/targets.ts";
import { notificationLanguages } from "../http/notifications/settings.ts";
import { slo, sloInput, sloPatch, slosAnswer, slosQuery } from "../http/slos.ts";
import { configSource, sourceProblem } from "../http/config/apply.ts";
import { appliedPart, applyPart, idsOfRefs, ownedCounts, releasePart } from "./apply.ts";
import { contract, nothing } from "./contract.ts";

const language = z.enum(notificationLanguages);
const messageParams = z.record(z.string(), z.union([z.string(), z.number()]));
const ofMonitor = z.object({ id });
const confirmForAll = confirmAnswer.pick({ confirm: true });
const wholeInput = monitorInput as unknown as z.ZodType<MonitorInput, MonitorInput>;

/** The monitors that metrics reports as slower; of these, only those that are up match. */
const slower = z.array(id).optional();
// `ids`: if not empty, only these, in this order unless `sort` is set.
const listInput = monitorsQuery
  .omit({ compact: true, slower: true })
  .extend({ ids: z.array(id).optional(), slower, compact: z.boolean().optional() });
// `restIds`: the rest of the page, in order, that did not fit into one bus message.
const pageOf = <M extends z.ZodType>(one: M) =>
  z.object({ monitors: z.array(one), total: z.int(), restIds: z.array(id) });

const outage = z.object({ openedAtMs: z.number(), closedAtMs: z.number().nullable() });
const replayedIncidents = z.object({
  name: z.string(),
  dependsOn,
  managed: managedBy.optional(),
  /** Later than requested if single results are stored for less. */
  fromMs: z.number(),
  /** With the settings of today; at most the newest 500. */
  now: z.array(outage),
  /** With one field changed. */
  others: z.array(z.object({ field: z.enum(["retries", "recoverAfter"]), value: z.int(), outages: z.array(outage) })),
  /** Locations that could confirm failures, but no location does. */
  secondOpinions: z.array(z.string()),
});
export type ReplayedIncidents = z.infer<typeof replayedIncidents>;

/** Monitor definitions and state; incidents have a separate contract. */
export const monitorsContract = contract("monitors", {
  createMonitor: { input: z.object({ monitor: wholeInput, cloneOf: id.optional() }), answer: monitor },
  getMonitor: { input: ofMonitor, answer: monitor },
  listMonitors: { input: listInput, answer: pageOf(monitor) },
  /** Ids of all matches, sorted by name: for sorting by data of other services, and for bulk changes. */
  matchMonitors: {
    input: z.object({ ...monitorFilter, slower, limit: z.int() }),
    answer: z.object({ ids: z.array(id), total: z.int() }),
  },
  /** Counts matches by state. */
  countMonitors: { input: monitorCountsQuery.extend({ slower }), answer: z.object({ counts: matchingCounts }) },
  /** Figures are absent while metrics is unavailable. `language`: of the sentences. */
  listSlos: {
    input: slosQuery.extend({ language }),
    answer: slosAnswer.pick({ slos: true, total: true, unavailable: true }),
  },
  getSlo: { input: ofMonitor.extend({ language }), answer: slo },
  createSlo: { input: sloInput.safeExtend({ language }), answer: slo },
  updateSlo: { input: sloPatch.extend({ id, language }), answer: slo },
  deleteSlo: { input: ofMonitor, answer: nothing },
  /** Counts open incidents of these monitors. */
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
      failed: z.array(
        z.object({ id, name: z.string().optional(), message: z.string(), params: messageParams.optional() }),
      ),
    }),
  },
  /** Plans or applies a document's monitors in one transaction. */
  applyMonitors: { input: applyPart, answer: appliedPart },
  /** Returns a new generation of a source and ids for monitors to create. Without a source, the generation is 0. */
  beginApply: {
    input: z.object({ source: z.string().nullable(), monitors: z.int() }),
    answer: z.object({ generation: z.int(), ids: z.array(id) }),
  },
  /** Records how an apply ended. If a newer generation has begun, this only adds a note. */
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
  /** Records why the files of a mounted folder were not applied; `null` if they were. */
  noteSource: { input: z.object({ source: z.string(), problem: z.string().nullable() }), answer: nothing },
  listSources: {
    input: nothing,
    answer: z.object({ sources: z.array(configSource.omit({ objects: true, drift: true })) }),
  },
  /** Counts managed objects by source. */
  countOwned: { input: nothing, answer: ownedCounts },
  idsOfRefs,
  release: { input: releasePart, answer: z.object({ released: z.int() }) },
  /** Runs one check on a probe runner; responds after the state machine has applied the result. */
  checkNow: { input: ofMonitor, answer: z.object({ result: checkResult, monitor }) },
  /** Tests an input without saving it; with `monitorId`, a masked secret refers to the stored one. */
  testMonitor: { input: z.object({ monitor: wholeInput, monitorId: id.optional() }), answer: checkResult },
  /** Replaces the address of a heartbeat or inbound monitor; the old one works for another day. */
  renewPingUrl: { input: ofMonitor, answer: monitor },
  schedule: { input: scheduleQuery, answer: scheduleAnswer.pick({ next: true }) },
  getPingKey: { input: nothing, answer: pingKeyAnswer.pick({ pingKey: true, creates: true }) },
  setPingKey: { input: pingKeyInput, answer: pingKeyAnswer.pick({ pingKey: true, creates: true }) },
  /** Returns the heartbeat with a slug, creating it once if it is missing (`?create=1`). */
  heartbeatOfSlug: { input: z.object({ slug: z.string() }), answer: z.object({ id, created: z.boolean() }) },
  /** Opens, updates, acknowledges and closes incidents; responds once they are stored. */
  receiveAlerts: {
    input: z.object({ id, alerts: z.array(externalAlert).max(inboundBounds.alerts) }),
    answer: z.object({ stored: z.int() }),
  },
  /** Decides the stored results of a period again, with other settings. */
  replayIncidents: {
    input: z.object({ monitorId: id, fromMs: z.number(), toMs: z.number() }),
    answer: replayedIncidents,
  },
  /** Second opinion of monitors without their own. */
  getConfirm: { input: nothing, answer: confirmForAll },
  setConfirm: { input: confirmInput, answer: confirmForAll },
  listLocations: { input: nothing, answer: locationsAnswer.pick({ locations: true }) },
  createRunnerToken: {
    input: z.object({ location: z.string() }),
    answer: locationTokenAnswer.pick({ token: true, expiresAt: true }),
  },
  registerRunner: { input: registerRunnerInput, answer: registeredRunner },
  startRunner: { input: startRunnerInput.extend({ key: z.string() }), answer: runnerSettings },
  revokeRunnerTokens: { input: z.object({ location: z.string() }), answer: nothing },
  revokeRunner: { input: z.object({ location: z.string(), id }), answer: nothing },
  /** Causes that these incidents share with others, or those of all open incidents; at most 10. */
  listSharedCauses: {
    input: z.object({ incidentIds: z.array(z.string()).max(1_000).optional() }),
    answer: z.object({ causes: z.array(sharedCause) }),
  },
  /** Counts for the dashboard, and monitors that need attention. */
  summary: {
    input: z.object({
      /** Number of monitors in the worst state to return, at most 50. */
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
  target: z.string().optional(),
  status: z.enum(monitorStatuses),
  stale: z.boolean(),
  slow: z.boolean().default(false),
  state: z.string().optional(),
  groupUptime: groupFacts.groupUptime.optional(),
  tags: z.array(z.string()),
  certificateExpiresAt: z.string().optional(),
});
export type ScrapedMonitor = z.infer<typeof scrapedMonitor>;
/** The same list for bulk readers. Its schema is loose because validating fields they ignore took most of the time. */
export const scrapedMonitorsContract = contract("monitors", {
  listMonitors: { input: listInput, answer: pageOf(scrapedMonitor) },
});
