import { monitorAnswer } from "@sonde/proto/http/monitors/monitors";
import {
  pingKeyAnswer,
  pingKeyInput,
  pingsAnswer,
  pingsQuery,
  scheduleAnswer,
  scheduleQuery,
} from "@sonde/proto/http/monitors/pings";
import { secretMask } from "@sonde/proto/http/secrets";
import { route } from "../../route.ts";
import { mayChangeMonitors } from "../../sessions/scopes.ts";
import { missingOf, presentMonitor, readUptimes } from "../../uptimes/read.ts";

const params = { id: "Monitor does not exist" } as const;

export const pingRoutes = [
  route("GET /api/monitors/:id/pings", "session", {
    summary: "List a heartbeat's pings, newest first",
    description: "Lists pings before `before`. Output is only returned to users who may change monitors.",
    params,
    query: pingsQuery,
    answer: pingsAnswer,
    handle: async ({ services, session, params: { id }, query: { before, limit, only }, ask }) => {
      const beforeMs = before === undefined ? undefined : Date.parse(before);
      const [, { pings }] = await Promise.all([
        services.monitors.getMonitor({ id }, ask),
        services.metrics.listPings({ monitorId: id, beforeMs, limit, only }, ask),
      ]);
      return { pings: mayChangeMonitors(session) ? pings : pings.map(({ output: _output, ...ping }) => ping) };
    },
  }),
  route("POST /api/monitors/:id/ping-url", "write", {
    summary: "Replace the address of a heartbeat or inbound monitor; the old one keeps working for 24 hours",
    params,
    answer: monitorAnswer,
    handle: async ({ params: { id }, ...input }) => {
      const { services, ask } = input;
      const [monitor, uptimes] = await Promise.all([
        services.monitors.renewPingUrl({ id }, ask),
        readUptimes(services, [id], ask),
      ]);
      return { monitor: presentMonitor(input, monitor, uptimes), ...missingOf(uptimes) };
    },
  }),
  route("GET /api/schedule", "session", {
    summary: "Preview the next five times of a cron expression",
    query: scheduleQuery,
    answer: scheduleAnswer,
    handle: async ({ services, query, ask }) => services.monitors.schedule(query, ask),
  }),
  route("GET /api/ping-key", "session", {
    summary: "Get the ping key for addresses by slug, `/ping/{pingKey}/{slug}`",
    answer: pingKeyAnswer,
    handle: async ({ services, session, ask }) => {
      const { pingKey, creates } = await services.monitors.getPingKey({}, ask);
      return { pingKey: pingKey === null || mayChangeMonitors(session) ? pingKey : secretMask, creates };
    },
  }),
  route("PUT /api/ping-key", "admin", {
    summary: "Create or replace the ping key, and set if heartbeats are created on first ping",
    body: pingKeyInput,
    answer: pingKeyAnswer,
    handle: async ({ services, body, ask }) => services.monitors.setPingKey(body, ask),
  }),
];
