import { presentCheck } from "@sonde/domain/check-result";
import type { metricsContract } from "@sonde/proto/rpc/metrics";
import type { Handlers } from "@sonde/kit/bus/rpc";
import { monitorRecentChecks, presentRecentCheck } from "./recent-checks.ts";
import { incidentEvidence } from "./checks/evidence.ts";
import { incidentPaths } from "./checks/paths.ts";
import { checksAroundFailures } from "./checks/around-failures.ts";
import { listFailedChecks, listChecks } from "./checks/list.ts";
import type { Context } from "./context.ts";
import { agentDays } from "./days/agent-days.ts";
import { monitorDays } from "./days/monitor-days.ts";
import { monitorSparklines } from "./days/sparklines.ts";
import type { Intake } from "./ingest/intake.ts";
import { type HistoryInput, monitorHistory } from "./history/history.ts";
import { locationHistories } from "./history/locations.ts";
import { presentHistory } from "./history/present.ts";
import { latestPhases } from "./latest-phases.ts";
import { createTrends, orderByTrend, slowerMonitors } from "./trends/trends.ts";
import { monitorResponseTimes } from "./response-times.ts";
import { listPings } from "./pings/store.ts";
import { agentMetrics } from "./samples/metrics.ts";
import { countSlots } from "./slots/count.ts";
import { share } from "@sonde/kit/cache";
import { maxSorted } from "@sonde/proto/http/monitors/lists";
import { orderByUptime, createUptimes } from "./uptimes/uptimes.ts";

/** Lists of single checks include those that arrived just before the request. */
export function endpoints(
  ctx: Context,
  { flushPending }: Pick<Intake, "flushPending">,
): Handlers<typeof metricsContract> {
  const uptimes = share(createUptimes(ctx), {
    keyOf: (ids) => ids.join(),
    freshMs: 1_000,
    clock: ctx.clock,
  });
  const recentChecks = share((ids: readonly number[]) => monitorRecentChecks(ctx, ids), {
    keyOf: (ids) => ids.join(),
    freshMs: 1_000,
    clock: ctx.clock,
  });
  // Covers a whole day, so one more check changes little, and dashboards refresh on every change.
  const responseTimes = share((ids: readonly number[]) => monitorResponseTimes(ctx, ids), {
    keyOf: (ids) => ids.join(),
    freshMs: 10_000,
    clock: ctx.clock,
  });
  // Reads all monitors, and three hours change little in a minute.
  const readTrends = share(createTrends(ctx), { keyOf: () => "", freshMs: 90_000, clock: ctx.clock });
  const trends = () => readTrends(undefined);
  // All viewers of a monitor are notified of a check at once, and then query at once.
  const histories = share((input: HistoryInput) => monitorHistory(ctx, input), {
    keyOf: (input) => JSON.stringify(input),
    freshMs: 1_000,
    clock: ctx.clock,
  });
  // A month of all locations has a hundred thousand rows, and changes little with each check.
  const ofLocations = share((input: Parameters<typeof locationHistories>[1]) => locationHistories(ctx, input), {
    keyOf: (input) => JSON.stringify(input),
    freshMs: 10_000,
    clock: ctx.clock,
  });
  return {
    locationHistories: (input) => ofLocations(input),
    monitorHistory: async (input) => presentHistory(await histories(input)),
    agentMetrics: (input) => agentMetrics(ctx, input),
    listChecks: async ({ failedOnly, ...page }) => {
      await flushPending();
      const checks = await (failedOnly ? listFailedChecks : listChecks)(ctx, page);
      return { checks: checks.map(presentCheck) };
    },
    checksAroundFailures: (input) => checksAroundFailures(ctx, input),
    listPings: async (page) => {
      await flushPending();
      return { pings: await listPings(ctx, page) };
    },
    incidentEvidence: async (span) => {
      await flushPending();
      const [evidence, paths] = await Promise.all([incidentEvidence(ctx, span), incidentPaths(ctx, span)]);
      return { ...evidence, paths: paths.length > 0 ? paths : undefined };
    },
    monitorRecentChecks: async ({ monitorIds }) => ({
      monitors: (await recentChecks(monitorIds)).map(({ monitorId, recentChecks: found }) => ({
        monitorId,
        recentChecks: found.map(presentRecentCheck),
      })),
    }),
    monitorResponseTimes: async ({ monitorIds }) => ({ monitors: await responseTimes(monitorIds) }),
    monitorTrends: async ({ monitorIds }) => {
      const known = await trends();
      return { trends: monitorIds.flatMap((id) => known.get(id) ?? []) };
    },
    slowerMonitors: async () => ({ monitorIds: slowerMonitors(await trends(), maxSorted) }),
    orderByTrend: async (input) => ({ monitorIds: orderByTrend(await trends(), input) }),
    monitorPhases: async ({ monitorIds }) => ({ monitors: await latestPhases(ctx, monitorIds) }),
    monitorUptimes: async ({ monitorIds }) => ({ uptimes: await uptimes(monitorIds) }),
    orderByUptime: async (input) => ({ monitorIds: await orderByUptime(uptimes, input) }),
    monitorDays: async (days) => ({ monitors: await monitorDays(ctx, days) }),
    countSlots: async (input) => ({ monitors: await countSlots(ctx, input) }),
    monitorSparklines: ({ monitorIds }) => monitorSparklines(ctx, monitorIds),
    agentDays: async (days) => ({ agents: await agentDays(ctx, days) }),
  };
}
