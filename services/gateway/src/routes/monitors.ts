import { messageAnswer } from "@sonde/proto/http/auth";
import { monitorsQuery } from "@sonde/proto/http/monitor-lists";
import { createQuery, monitorAnswer, monitorInput, monitorPatch, monitorsAnswer } from "@sonde/proto/http/monitors";
import type { z } from "zod";
import { inBatches } from "../batches.ts";
import { checkChange, checkDependencies } from "../dependencies/check.ts";
import { inMaintenance } from "../maintenance/present.ts";
import { presentMonitor } from "../presenters/monitor.ts";
import { toMonitorFields } from "../presenters/monitor-fields.ts";
import { type Base, route } from "../route.ts";
import { readUptimes, sayMissing, type Uptimes } from "../uptimes.ts";

const params = { id: "Monitor does not exist" } as const;

export const monitorRoutes = [
  route({
    method: "GET",
    path: "/api/monitors",
    who: "session",
    summary: "List monitors with their state and uptime",
    query: monitorsQuery,
    refusals: ["impossible", "too_many"],
    answer: monitorsAnswer,
    handle: async ({ query: { compact, ...query }, ...input }) => {
      const { services, takeBatches, session, ctx, ask, maintenance, clock } = input;
      const isCompact = compact === "true";
      const first = await readPage(input, query, isCompact);
      const ids = [...first.monitors.map(({ id }) => id), ...first.restIds];
      const uptimes: Uptimes | null = ids.length === 0 ? new Map() : await readUptimes(services, ids, ask);
      const known = { total: first.total, ...sayMissing(uptimes) };
      const present = ({ monitors }: typeof first) =>
        monitors.map((monitor) =>
          presentMonitor(
            monitor,
            uptimes?.get(monitor.id),
            inMaintenance({ maintenance, clock }, "monitor", monitor.id),
          ),
        );
      if (first.restIds.length === 0) return { monitors: present(first), ...known };
      takeBatches(session.userId, ctx.res);
      const rest = (wanted: number[]) =>
        services.monitors.listMonitors({ ids: wanted, pageSize: wanted.length, compact: isCompact }, ask);
      return { monitors: inBatches(first, rest, present), ...known };
    },
  }),
  route({
    method: "POST",
    path: "/api/monitors",
    who: "write",
    idempotent: true,
    summary: "Create a monitor; its first check runs at once",
    description:
      "With `cloneOf` a masked header value stands for the one that this monitor has stored, unless it would be sent to another origin.",
    query: createQuery,
    body: monitorInput,
    status: 201,
    answer: monitorAnswer,
    handle: async ({ services, body, query: { cloneOf }, ask }) => {
      const dependsOn = await checkDependencies({ services, ask }, null, body.dependsOn);
      const fields = toMonitorFields({ ...body, dependsOn });
      const monitor = await services.monitors.createMonitor({ fields, cloneOf }, ask);
      return { message: "Monitor created", monitor: presentMonitor(monitor, undefined, undefined) };
    },
  }),
  route({
    method: "GET",
    path: "/api/monitors/:id",
    who: "session",
    summary: "A monitor with its state and uptime",
    params,
    answer: monitorAnswer,
    handle: async (input) => {
      const { id } = input.params;
      const [monitor, uptimes] = await Promise.all([
        input.services.monitors.getMonitor({ id }, input.ask),
        readUptimes(input.services, [id], input.ask),
      ]);
      const covered = inMaintenance(input, "monitor", id);
      return { monitor: presentMonitor(monitor, uptimes?.get(id), covered), ...sayMissing(uptimes) };
    },
  }),
  route({
    method: "PUT",
    path: "/api/monitors/:id",
    who: "write",
    summary: "Change a monitor, by a whole input or a part of one",
    params,
    body: monitorPatch,
    answer: monitorAnswer,
    handle: async ({ params: { id }, body, ...input }) => {
      const dependsOn = await checkChange(input, { type: "monitor", id }, body.dependsOn);
      const fields = toMonitorFields({ ...body, dependsOn });
      const monitor = await input.services.monitors.updateMonitor({ id, fields }, input.ask);
      return { message: "Monitor updated", ...(await withUptime(monitor, input)) };
    },
  }),
  route({
    method: "DELETE",
    path: "/api/monitors/:id",
    who: "write",
    summary: "Delete a monitor and its history",
    params,
    answer: messageAnswer,
    handle: async ({ services, params: { id }, ask }) => {
      await services.monitors.deleteMonitor({ id }, ask);
      return { message: "Monitor successfully deleted" };
    },
  }),
  route({
    method: "POST",
    path: "/api/monitors/:id/pause",
    who: "write",
    summary: "Pause a monitor",
    params,
    answer: monitorAnswer,
    handle: async ({ params: { id }, ...input }) => {
      const monitor = await input.services.monitors.pauseMonitor({ id }, input.ask);
      return { message: "Monitor paused", ...(await withUptime(monitor, input)) };
    },
  }),
  route({
    method: "POST",
    path: "/api/monitors/:id/resume",
    who: "write",
    summary: "Resume a monitor; a check runs at once",
    params,
    answer: monitorAnswer,
    handle: async ({ params: { id }, ...input }) => {
      const monitor = await input.services.monitors.resumeMonitor({ id }, input.ask);
      return { message: "Monitor resumed", ...(await withUptime(monitor, input)) };
    },
  }),
];

type ListQuery = Omit<z.output<typeof monitorsQuery>, "compact">;

/** A page; `metrics` alone knows the order by uptime. */
async function readPage(
  { services, uptimeOrder, ask }: Pick<Base, "services" | "uptimeOrder" | "ask">,
  { page, pageSize, sort, ...filter }: ListQuery,
  compact: boolean,
) {
  if (sort !== "uptime" && sort !== "-uptime") {
    return services.monitors.listMonitors({ page, pageSize, sort, ...filter, compact }, ask);
  }
  const order = await uptimeOrder(filter, sort === "-uptime", ask);
  const ids = order.slice((page - 1) * pageSize, page * pageSize);
  const known = { monitors: [], restIds: [], total: order.length };
  if (ids.length === 0) return known;
  const { monitors, restIds } = await services.monitors.listMonitors({ ids, pageSize, compact }, ask);
  return { ...known, monitors, restIds };
}

async function withUptime(
  monitor: Parameters<typeof presentMonitor>[0],
  { services, ask, maintenance, clock }: Pick<Base, "services" | "ask" | "maintenance" | "clock">,
) {
  const uptimes = await readUptimes(services, [monitor.id], ask);
  const covered = inMaintenance({ maintenance, clock }, "monitor", monitor.id);
  return { monitor: presentMonitor(monitor, uptimes?.get(monitor.id), covered), ...sayMissing(uptimes) };
}
