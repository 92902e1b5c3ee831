import { AppError } from "@sonde/kit/errors";
import { checkAnswer, checksAnswer, checksQuery, historyAnswer, historyQuery } from "@sonde/proto/http/checks";
import { checkNowAnswer, monitorInput, testQuery } from "@sonde/proto/http/monitors";
import { limitsOf } from "../limits/manual-checks.ts";
import { inMaintenance } from "../maintenance/present.ts";
import { presentBucket, presentCheck } from "../presenters/check.ts";
import { presentMonitor } from "../presenters/monitor.ts";
import { toMonitorFields } from "../presenters/monitor-fields.ts";
import { present } from "../presenters/present.ts";
import { route } from "../route.ts";
import { checkMarginMs } from "../services.ts";
import { readUptimes, sayMissing } from "../uptimes.ts";

const params = { id: "Monitor does not exist" } as const;

export const checkRoutes = [
  route({
    method: "POST",
    path: "/api/monitors/:id/check",
    who: "write",
    summary: "Run one check now; a failing one is an answer too",
    description: limitsOf("check"),
    params,
    within: ({ manualChecks }, { userId }, request) => manualChecks.within("check", userId, request),
    answer: checkNowAnswer,
    handle: async ({ services, manualChecks, session, params: { id }, ask, maintenance, clock }) => {
      const { fields } = await services.monitors.getMonitor({ id }, ask);
      const timeoutMs = (fields?.timeoutSeconds ?? 10) * 1000 + checkMarginMs;
      await manualChecks.take("check", session.userId);
      const [{ result, monitor }, uptimes] = await Promise.all([
        services.monitors.checkNow({ id }, { ...ask, timeoutMs }).catch(sayCheckFailed),
        readUptimes(services, [id], ask),
      ]);
      return {
        message: "Monitor check completed",
        result: presentCheck(present(result)),
        monitor: presentMonitor(
          present(monitor),
          uptimes?.get(id),
          inMaintenance({ maintenance, clock }, "monitor", id),
        ),
        ...sayMissing(uptimes),
      };
    },
  }),
  route({
    method: "POST",
    path: "/api/monitors/test",
    who: "write",
    summary: "Check an input that is saved nowhere; `monitorId` lets its masked values stand for the stored ones",
    description: limitsOf("test"),
    query: testQuery,
    within: ({ manualChecks }, { userId }, request) => manualChecks.within("test", userId, request),
    refusals: ["not_found"],
    body: monitorInput,
    answer: checkAnswer,
    handle: async ({ services, manualChecks, session, body, query: { monitorId }, ask }) => {
      const timeoutMs = body.timeout * 1000 + checkMarginMs;
      const request = { fields: toMonitorFields(body), monitorId };
      await manualChecks.take("test", session.userId);
      const result = await services.monitors.testMonitor(request, { ...ask, timeoutMs });
      return { result: presentCheck(result) };
    },
  }),
  route({
    method: "GET",
    path: "/api/monitors/:id/history",
    who: "session",
    summary: "Availability, coverage and response times by steps of a range",
    params,
    query: historyQuery,
    answer: historyAnswer,
    handle: async ({ services, params: { id }, query: { range }, ask }) => {
      const [, { stepMs, buckets }] = await Promise.all([
        services.monitors.getMonitor({ id }, ask),
        services.metrics.monitorHistory({ monitorId: id, range }, ask),
      ]);
      return { range, step: Math.round(stepMs / 1000), buckets: buckets.map(presentBucket) };
    },
  }),
  route({
    method: "GET",
    path: "/api/monitors/:id/checks",
    who: "session",
    summary: "Raw results, newest first",
    params,
    query: checksQuery,
    answer: checksAnswer,
    handle: async ({ services, params: { id }, query: { before, limit }, ask }) => {
      const beforeMs = before === undefined ? undefined : Date.parse(before);
      const [, { checks }] = await Promise.all([
        services.monitors.getMonitor({ id }, ask),
        services.metrics.listChecks({ monitorId: id, limit, beforeMs }, ask),
      ]);
      return { checks: checks.map(presentCheck) };
    },
  }),
];

/** Nobody could run the check; the details say why where a person can do something with it. */
function sayCheckFailed(error: unknown): never {
  if (error instanceof AppError && error.code === "unavailable") {
    throw new AppError("unavailable", "Check failed", { cause: error, details: error.details });
  }
  throw error;
}
