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
import { type CheckType, isPassive, type PassiveType } from "@sonde/proto/http/monitors/kinds";
import { recentChecksAnswer, recentChecksQuery } from "@sonde/proto/http/monitors/recent-checks";
import { limitTexts } from "../../middleware/limits.ts";
import { missingOf, presentMonitor, readUptimes } from "../../uptimes/read.ts";
import { route } from "../../route.ts";
import { checkLimitMs } from "../../services.ts";
import { isId } from "../../validate.ts";

const params = { id: "Monitor does not exist" } as const;

export const checkRoutes = [
  route("POST /api/monitors/:id/check", "write", {
    summary: "Run one check now; a failing one is an answer too",
    description: `A failure is repeated as the schedule would, \`retries\` times and two seconds apart, while that takes less than a minute; the last attempt is the answer. Each attempt is told as an event of /api/events. ${limitTexts.check}`,
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
    summary: "Check an input that is saved nowhere; `monitorId` lets its masked values stand for the stored ones",
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
    summary: "Availability, coverage, response times and their phases by steps of a range, and as a whole",
    description:
      "A step is never shorter than the monitor's interval: `step` says what it is. Percentiles and phases are exact over 1h and 24h; over 7d and 30d they are read from hourly figures in steps of 8 %, and `previous` begins with a whole hour. There, an hour that midnight of `timeZone` cuts, as where its offset is no whole hour, counts for the day in which the hour began.",
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
    summary: "Uptime and response times of each location, side by side",
    description:
      "Of single checks, which are kept for 30 days unless set otherwise. Locations at which the monitor is checked no longer are there as long as the period has checks of theirs.",
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
    summary: "Raw results, newest first",
    description:
      "Those before `before`, which takes the `slot` of a page's last result. Results of one slot at several locations are never cut, so that a page may hold a few more than `limit`.",
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
    summary: "The newest slots of many monitors, for a bar beside each name",
    query: recentChecksQuery,
    answer: recentChecksAnswer,
    handle: async ({ services, query: { ids }, ask }) => {
      const { monitors } = await services.metrics.monitorRecentChecks({ monitorIds: ids.filter(isId) }, ask);
      const found = new Map(monitors.map(({ monitorId, recentChecks }) => [monitorId, recentChecks]));
      return { recentChecks: Object.fromEntries(ids.map((id) => [id, found.get(id) ?? []])) };
    },
  }),
];

/** The check could not be run; the details contain a reason that the user can act on, if there is one. */
function throwCheckFailed(error: unknown): never {
  if (error instanceof AppError && error.code === "unavailable") {
    throw new AppError("unavailable", "Check failed", { cause: error, details: error.details });
  }
  throw error;
}

/** @throws AppError impossible for what no runner checks */
function refusePassive<Checked extends { type: CheckType }>(checked: Checked): Exclude<Checked, { type: PassiveType }> {
  if (isPassive(checked.type))
    throw new AppError("impossible", "Heartbeats cannot be checked: the job pings the heartbeat's address");
  return checked as Exclude<Checked, { type: PassiveType }>;
}
