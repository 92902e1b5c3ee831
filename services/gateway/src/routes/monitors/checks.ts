import { AppError } from "@sonde/kit/errors";
import {
  checkAnswer,
  checksAnswer,
  checksQuery,
  historyAnswer,
  historyQuery,
  locationHistoriesAnswer,
  locationsQuery,
} from "@sonde/proto/http/monitors/checks";
import { checkNowAnswer, monitorInput, testQuery } from "@sonde/proto/http/monitors/monitors";
import { type CheckType, isPassive, notChecked, type PassiveType } from "@sonde/proto/http/monitors/kinds";
import { recentChecksAnswer, recentChecksQuery } from "@sonde/proto/http/monitors/recent-checks";
import { limitTexts } from "../../middleware/limits.ts";
import { missingOf, presentMonitor, readUptimes } from "../../uptimes/read.ts";
import { route } from "../../route.ts";
import { checkLimitMs } from "../../services.ts";
import { isId } from "../../validate.ts";

const params = { id: "Monitor does not exist" } as const;

export const checkRoutes = [
  route("POST /api/monitors/:id/check", "write", {
    summary: "Run a check now; a failed check is also a 200",
    description: `A failed check is retried as on schedule, \`retries\` times at intervals of 2 seconds, for less than a minute. The last attempt is returned. Each attempt is an event on /api/events. ${limitTexts.check}`,
    params,
    within: ({ manualChecks }, { userId }, request) => manualChecks.within("check", userId, request),
    refusals: ["impossible"],
    answer: checkNowAnswer,
    handle: async ({ services, manualChecks, session, params: { id }, ask, ...input }) => {
      const { timeout, retries } = refusePassive(await services.monitors.getMonitor({ id }, ask));
      const timeoutMs = checkLimitMs(timeout, retries);
      await manualChecks.take("check", session.userId);
      const [{ result, monitor }, uptimes] = await Promise.all([
        services.monitors.checkNow({ id }, { ...ask, timeoutMs }).catch(throwCheckFailed),
        readUptimes(services, [id], ask),
      ]);
      return {
        message: "Monitor check completed",
        result,
        monitor: presentMonitor({ ...input, session }, monitor, uptimes),
        ...missingOf(uptimes),
      };
    },
  }),
  route("POST /api/monitors/test", "write", {
    summary: "Test a monitor input without saving it; with `monitorId`, masked values use its stored secrets",
    description: limitTexts.test,
    query: testQuery,
    within: ({ manualChecks }, { userId }, request) => manualChecks.within("test", userId, request),
    refusals: ["not_found", "impossible"],
    body: monitorInput,
    answer: checkAnswer,
    handle: async ({ services, manualChecks, session, body, query: { monitorId }, ask }) => {
      const timeoutMs = checkLimitMs(refusePassive(body).timeout, 0);
      await manualChecks.take("test", session.userId);
      const request = { monitor: body, monitorId };
      return { result: await services.monitors.testMonitor(request, { ...ask, timeoutMs }) };
    },
  }),
  route("GET /api/monitors/:id/history", "session", {
    summary: "Get availability, coverage, response times and phases by steps of a range, and in total",
    description:
      "A step is never shorter than the monitor's interval; `step` is the actual one. Percentiles and phases are exact for 1h and 24h. For 7d and 30d they come from hourly figures with 8 % resolution, and `previous` starts at a full hour. There, if the offset of `timeZone` is not a whole number of hours, the hour around midnight counts for the day in which it started.",
    params,
    query: historyQuery,
    answer: historyAnswer,
    handle: async ({ services, params: { id }, query, ask }) => {
      const [, history] = await Promise.all([
        services.monitors.getMonitor({ id }, ask),
        services.metrics.monitorHistory({ monitorId: id, ...query }, ask),
      ]);
      return { range: query.range, timeZone: query.timeZone, ...history };
    },
  }),
  route("GET /api/monitors/:id/history/locations", "session", {
    summary: "Compare uptime and response times by location",
    description:
      "Computed from single checks, which are kept for 30 days by default. Former locations are included while the period contains their checks.",
    params,
    query: locationsQuery,
    answer: locationHistoriesAnswer,
    handle: async ({ services, params: { id }, query, ask }) => {
      const [, histories] = await Promise.all([
        services.monitors.getMonitor({ id }, ask),
        services.metrics.locationHistories({ monitorId: id, ...query }, ask),
      ]);
      return histories;
    },
  }),
  route("GET /api/monitors/:id/checks", "session", {
    summary: "List raw results, newest first",
    description:
      "Lists results before `before`, which takes the `slot` of the last result of a page. Results of one slot from several locations are never split, so a page can exceed `limit` slightly.",
    params,
    query: checksQuery,
    answer: checksAnswer,
    handle: async ({ services, params: { id }, query: { before, from, limit, failed }, ask }) => {
      const [beforeMs, fromMs] = [before, from].map((at) => (at === undefined ? undefined : Date.parse(at)));
      const [, { checks }] = await Promise.all([
        services.monitors.getMonitor({ id }, ask),
        services.metrics.listChecks({ monitorId: id, limit, beforeMs, fromMs, failedOnly: failed === "true" }, ask),
      ]);
      return { checks };
    },
  }),
  route("GET /api/monitors/recent-checks", "session", {
    summary: "Get the newest slots of many monitors, for the bars in lists",
    query: recentChecksQuery,
    answer: recentChecksAnswer,
    handle: async ({ services, query: { ids }, ask }) => {
      const { monitors } = await services.metrics.monitorRecentChecks({ monitorIds: ids.filter(isId) }, ask);
      const found = new Map(monitors.map(({ monitorId, recentChecks }) => [monitorId, recentChecks]));
      return { recentChecks: Object.fromEntries(ids.map((id) => [id, found.get(id) ?? []])) };
    },
  }),
];

/** Adds details with the reason, if there is one that the user can act on. */
function throwCheckFailed(error: unknown): never {
  if (error instanceof AppError && error.code === "unavailable") {
    throw new AppError("unavailable", "Check failed", { cause: error, details: error.details });
  }
  throw error;
}

/** @throws AppError impossible for passive kinds */
function refusePassive<Checked extends { type: CheckType }>(checked: Checked): Exclude<Checked, { type: PassiveType }> {
  if (isPassive(checked.type)) throw new AppError("impossible", notChecked[checked.type]);
  return checked as Exclude<Checked, { type: PassiveType }>;
}
