import * as z from "zod";
import { agentMetricsQuery } from "../http/agents/agents.ts";
import {
  checkResult,
  historyAnswer,
  historyQuery,
  locationHistoriesAnswer,
  locationsQuery,
} from "../http/monitors/checks.ts";
import { id } from "../http/envelope.ts";
import { incidentStoryAnswer } from "../http/incidents/incidents.ts";
import { ping, pingsQuery } from "../http/monitors/pings.ts";
import { recentCheck } from "../http/monitors/recent-checks.ts";
import { contract, nothing } from "./contract.ts";

const ids = z.array(z.int());
const numbers = z.array(z.number());

/**
 * Figures per requested UTC day, oldest first, in lists of equal length: slots of a monitor over all locations, or
 * minutes of an agent. Maintenance and pauses are excluded from the first three.
 */
const targetDays = z.object({
  targetId: id,
  expected: numbers,
  seen: numbers,
  up: numbers,
  /**
   * Minutes of the day in which the target existed, and how many of them it was in maintenance or paused (paused if
   * both).
   */
  monitoredMinutes: numbers,
  maintenanceMinutes: numbers,
  pausedMinutes: numbers,
});
export type TargetDays = z.infer<typeof targetDays>;

/** The same between the edges of the request. `fast`: successful checks within the limit, if one was requested. */
const slotCounts = targetDays.extend({ fast: numbers.optional() });
export type SlotCounts = z.infer<typeof slotCounts>;

/** UTC days since 1970; at most 100 days for 500 targets. */
const days = { firstDay: z.int().min(0), dayCount: z.int() };
const agentDaysQuestion = z.object({
  agentId: id,
  intervalMs: z.number(),
  createdAtMs: z.number(),
  /** Offline incidents, oldest first; an open one ends now. */
  offline: z.array(z.object({ fromMs: z.number(), toMs: z.number() })),
});
export type AgentDaysQuestion = z.infer<typeof agentDaysQuestion>;

/** Only steps with a value, in any order; the three lists have equal length. */
const metricSeries = z.object({ steps: numbers, avg: numbers, max: numbers });
export type MetricSeries = z.infer<typeof metricSeries>;
/** Steps are numbered from 0, oldest first; `stepCount` of them reach to now. Percent, and bytes per second. */
const agentSeries = z.object({
  fromMs: z.number(),
  stepMs: z.number(),
  stepCount: z.int(),
  cpu: metricSeries,
  memory: metricSeries,
  loadOne: metricSeries,
  loadFive: metricSeries,
  loadFifteen: metricSeries,
  /** Percent. `inodes` is empty if the file system has none, and absent from the previous version of metrics. */
  disks: z.array(z.object({ mountPoint: z.string(), usage: metricSeries, inodes: metricSeries.optional() })),
  network: z.array(z.object({ interface: z.string(), receiveRate: metricSeries, sendRate: metricSeries })),
});
export type AgentSeries = z.infer<typeof agentSeries>;

const uptime = z.object({ monitorId: z.int(), h24: z.number().optional(), d30: z.number().optional() });
export type MonitorUptime = z.infer<typeof uptime>;

const ms = z.number();
const monitorPhases = z.object({
  monitorId: id,
  dnsMs: ms.optional(),
  connectMs: ms.optional(),
  tlsMs: ms.optional(),
  firstByteMs: ms.optional(),
  totalMs: ms,
});
export type MonitorPhases = z.infer<typeof monitorPhases>;

const trend = z.object({ monitorId: id, lastMs: ms, usualMs: ms.optional(), slower: z.boolean() });
/** See `p95` in `proto/http/monitors/monitors.ts`; whether the monitor is up is not known here. */
export type MonitorTrend = z.infer<typeof trend>;

/**
 * `checks`: slot, milliseconds from there to the start, response time, 1 if up, failures in a row, version, 1 if
 * manual. Packed, because a bus message holds 1 MiB.
 */
const aroundFailures = z.object({
  fromMs: ms,
  locations: z.array(z.object({ location: z.string(), checks: z.array(numbers) })),
});
export type ChecksAroundFailures = z.infer<typeof aroundFailures>;

/** History from ClickHouse; fails with `unavailable` while ClickHouse is. Entities without data are absent. */
export const metricsContract = contract("metrics", {
  monitorHistory: {
    input: historyQuery.safeExtend({ monitorId: id }),
    answer: historyAnswer.pick({ step: true, buckets: true, summary: true, previous: true, changes: true }),
  },
  /** Computed from single checks while they are retained. */
  locationHistories: {
    input: locationsQuery.safeExtend({ monitorId: id }),
    answer: locationHistoriesAnswer.pick({ from: true, step: true, locations: true }),
  },
  /** Raw results, newest first. Results of the last slot are never split, so a page can exceed `limit`. */
  listChecks: {
    input: z.object({
      monitorId: id,
      beforeMs: z.number().optional(),
      fromMs: z.number().optional(),
      limit: z.int(),
      failedOnly: z.boolean().default(false),
    }),
    answer: z.object({ checks: z.array(checkResult) }),
  },
  /** Failed checks since `fromMs`, which is later if retention or size require it, with successes before and after. */
  checksAroundFailures: {
    input: z.object({ monitorId: id, fromMs: ms, beforeMs: ms, afterMs: ms }),
    answer: aroundFailures,
  },
  /** Evidence of failed checks: the one closest to the opening and, for open incidents, the latest; and paths. */
  incidentEvidence: {
    input: z.object({ monitorId: id, openedAtMs: z.number(), closedAtMs: z.number().optional() }),
    answer: incidentStoryAnswer.pick({ evidence: true, latestEvidence: true, paths: true }),
  },
  /** Pings of a heartbeat, newest first. */
  listPings: {
    input: z.object({
      monitorId: id,
      beforeMs: z.number().optional(),
      limit: z.int(),
      only: pingsQuery.shape.only,
    }),
    answer: z.object({ pings: z.array(ping) }),
  },
  /** Percent. Without ids: one entry with id 0 for all monitors. */
  monitorUptimes: { input: z.object({ monitorIds: ids }), answer: z.object({ uptimes: z.array(uptime) }) },
  /** Sorts by 24-hour uptime; monitors without one come last, and equal ones keep their order. */
  orderByUptime: {
    input: z.object({ monitorIds: ids, descending: z.boolean() }),
    answer: z.object({ monitorIds: ids }),
  },
  /** At most 90 seconds old. */
  monitorTrends: { input: z.object({ monitorIds: ids }), answer: z.object({ trends: z.array(trend) }) },
  /** Monitors that became slower, the largest change first. */
  slowerMonitors: { input: nothing, answer: z.object({ monitorIds: ids }) },
  /** Sorts by p95 or its change, like `orderByUptime`. */
  orderByTrend: {
    input: z.object({ monitorIds: ids, by: z.enum(["p95", "p95Change"]), descending: z.boolean() }),
    answer: z.object({ monitorIds: ids }),
  },
  /** Contains every requested monitor. */
  monitorRecentChecks: {
    input: z.object({ monitorIds: ids }),
    answer: z.object({ monitors: z.array(z.object({ monitorId: id, recentChecks: z.array(recentCheck) })) }),
  },
  /** From scheduled checks of the last 24 hours, including failed ones and those in maintenance. */
  monitorResponseTimes: {
    input: z.object({ monitorIds: ids.max(50) }),
    answer: z.object({ monitors: z.array(z.object({ monitorId: id, p95Ms: z.number() })) }),
  },
  /** From the newest successful scheduled check in the last 15 minutes. */
  monitorPhases: {
    input: z.object({ monitorIds: ids.max(1000) }),
    answer: z.object({ monitors: z.array(monitorPhases) }),
  },
  agentMetrics: { input: agentMetricsQuery.extend({ agentId: id }), answer: agentSeries },
  monitorDays: {
    input: z.object({ monitorIds: ids, ...days }),
    answer: z.object({ monitors: z.array(targetDays) }),
  },
  /**
   * Like `monitorDays`, between consecutive `edges` (ascending epoch milliseconds) instead of UTC days. With `fastMs`,
   * also counts the successful checks that took at most that long. `invalid` before the retention of hourly figures,
   * and for more than 20,000 steps of all monitors together. Edges within hours whose single checks have expired move
   * to the end of that hour.
   */
  countSlots: {
    input: z.object({
      monitorIds: ids.max(1_000),
      edges: z.array(z.int()).min(2).max(400),
      fastMs: z.number().optional(),
    }),
    answer: z.object({ monitors: z.array(slotCounts) }),
  },
  /** Average response times over 24 hours, oldest first; -1 for none. */
  monitorSparklines: {
    input: z.object({ monitorIds: ids }),
    answer: z.object({
      firstHourMs: z.number(),
      monitors: z.array(z.object({ monitorId: id, avgMs: numbers })),
    }),
  },
  /** With `edges` (ascending epoch milliseconds), between consecutive ones instead of UTC days. */
  agentDays: {
    input: z.object({
      agents: z.array(agentDaysQuestion),
      ...days,
      edges: numbers.min(2).max(400).optional(),
    }),
    answer: z.object({ agents: z.array(targetDays) }),
  },
});
