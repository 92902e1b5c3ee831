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
import { ping } from "../http/monitors/pings.ts";
import { recentCheck } from "../http/monitors/recent-checks.ts";
import { contract } from "./contract.ts";

const ids = z.array(z.int());
const numbers = z.array(z.number());

/**
 * Figures of every requested UTC day, oldest first, each list as long as the others: slots of a monitor over all
 * locations, minutes of an agent. Maintenance and pauses are in none of the first three.
 */
const targetDays = z.object({
  targetId: id,
  expected: numbers,
  seen: numbers,
  up: numbers,
  /**
   * Minutes of the day in which the target existed, and how many of them were in maintenance, or paused (both: paused).
   */
  monitoredMinutes: numbers,
  maintenanceMinutes: numbers,
  pausedMinutes: numbers,
});
export type TargetDays = z.infer<typeof targetDays>;

/** UTC days since 1970. At most 100 of 500 targets. */
const days = { firstDay: z.int().min(0), dayCount: z.int() };
const agentDaysQuestion = z.object({
  agentId: id,
  intervalMs: z.number(),
  createdAtMs: z.number(),
  /** Offline incidents, oldest first; one that is open ends at the present. */
  offline: z.array(z.object({ fromMs: z.number(), toMs: z.number() })),
});
export type AgentDaysQuestion = z.infer<typeof agentDaysQuestion>;

/** Only the steps that have a value, in no order; the three lists are as long as each other. */
const metricSeries = z.object({ steps: numbers, avg: numbers, max: numbers });
export type MetricSeries = z.infer<typeof metricSeries>;
/** Steps are counted from 0, oldest first; `stepCount` of them reach to the present. Percent, and bytes a second. */
const agentSeries = z.object({
  fromMs: z.number(),
  stepMs: z.number(),
  stepCount: z.int(),
  cpu: metricSeries,
  memory: metricSeries,
  loadOne: metricSeries,
  loadFive: metricSeries,
  loadFifteen: metricSeries,
  /** Percent. `inodes`: empty where the file system has none, absent from a metrics service of the version before. */
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

/** History, read from ClickHouse: `unavailable` while that is. Entities without data are absent. */
export const metricsContract = contract("metrics", {
  monitorHistory: {
    input: historyQuery.safeExtend({ monitorId: id }),
    answer: historyAnswer.pick({ step: true, buckets: true, summary: true, previous: true, changes: true }),
  },
  /** From single checks, as long as they are kept. */
  locationHistories: {
    input: locationsQuery.safeExtend({ monitorId: id }),
    answer: locationHistoriesAnswer.pick({ from: true, step: true, locations: true }),
  },
  /** Raw results, newest first; those of the last slot are never cut, so that a page may hold a few more than `limit`. */
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
  /** What failed checks found near the opening of an incident, and, while it is open, last. */
  incidentEvidence: {
    input: z.object({ monitorId: id, openedAtMs: z.number(), closedAtMs: z.number().optional() }),
    answer: incidentStoryAnswer.pick({ evidence: true, latestEvidence: true }),
  },
  /** Calls of a heartbeat's address, newest first. */
  listPings: {
    input: z.object({ monitorId: id, beforeMs: z.number().optional(), limit: z.int() }),
    answer: z.object({ pings: z.array(ping) }),
  },
  /** In percent. Without ids: over all monitors, as one entry with id 0. */
  monitorUptimes: { input: z.object({ monitorIds: ids }), answer: z.object({ uptimes: z.array(uptime) }) },
  /** By the uptime of 24 hours; those without one last, and equal ones as they came. */
  orderByUptime: {
    input: z.object({ monitorIds: ids, descending: z.boolean() }),
    answer: z.object({ monitorIds: ids }),
  },
  /** The answer has every requested monitor. */
  monitorRecentChecks: {
    input: z.object({ monitorIds: ids }),
    answer: z.object({ monitors: z.array(z.object({ monitorId: id, recentChecks: z.array(recentCheck) })) }),
  },
  /** Of scheduled checks of the last 24 hours, failed ones and those in maintenance too. */
  monitorResponseTimes: {
    input: z.object({ monitorIds: ids.max(50) }),
    answer: z.object({ monitors: z.array(z.object({ monitorId: id, p95Ms: z.number() })) }),
  },
  /** Of the newest good scheduled check of the last 15 minutes. */
  monitorPhases: {
    input: z.object({ monitorIds: ids.max(1000) }),
    answer: z.object({ monitors: z.array(monitorPhases) }),
  },
  agentMetrics: { input: agentMetricsQuery.extend({ agentId: id }), answer: agentSeries },
  monitorDays: {
    input: z.object({ monitorIds: ids, ...days }),
    answer: z.object({ monitors: z.array(targetDays) }),
  },
  /** Mean response times of 24 hours, oldest first; -1: none. */
  monitorSparklines: {
    input: z.object({ monitorIds: ids }),
    answer: z.object({
      firstHourMs: z.number(),
      monitors: z.array(z.object({ monitorId: id, avgMs: numbers })),
    }),
  },
  agentDays: {
    input: z.object({ agents: z.array(agentDaysQuestion), ...days }),
    answer: z.object({ agents: z.array(targetDays) }),
  },
});
