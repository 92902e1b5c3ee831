import { messageAnswer } from "@sonde/proto/http/auth";
import { monitorsQuery, tagsAnswer, tagsQuery } from "@sonde/proto/http/monitors/lists";
import {
  createQuery,
  type KnownMonitor,
  locationsAnswer,
  monitorAnswer,
  monitorInput,
  monitorPatch,
  monitorsAnswer,
} from "@sonde/proto/http/monitors/monitors";
import type { z } from "zod";
import { inBatches } from "../batches.ts";
import { checkChange, checkDependencies } from "./dependencies.ts";
import { missingOf, presentMonitor, readUptimes, type Uptimes } from "../presenters/monitor.ts";
import { type HandlerBase, route } from "../route.ts";

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
      const { services, takeBatches, session, ctx, ask } = input;
      const isCompact = compact === "true";
      const first = await readPage(input, query, isCompact);
      const ids = [...first.monitors.map(({ id }) => id), ...first.restIds];
      const uptimes: Uptimes | null = ids.length === 0 ? new Map() : await readUptimes(services, ids, ask);
      const known = { total: first.total, ...missingOf(uptimes) };
      const present = ({ monitors }: typeof first) =>
        monitors.map((monitor) => presentMonitor(input, monitor, uptimes));
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
    handle: async ({ services, body, query: { cloneOf }, ask, ...input }) => {
      const dependsOn = await checkDependencies({ services, ask }, null, body.dependsOn);
      const monitor = await services.monitors.createMonitor({ monitor: { ...body, dependsOn }, cloneOf }, ask);
      return { message: "Monitor created", monitor: presentMonitor(input, monitor, new Map()) };
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
      return { monitor: presentMonitor(input, monitor, uptimes), ...missingOf(uptimes) };
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
      const patch = { ...body, dependsOn };
      const monitor = await input.services.monitors.updateMonitor({ id, patch }, input.ask);
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

export const monitorTagRoutes = [
  route({
    method: "GET",
    path: "/api/monitors/tags",
    who: "session",
    summary: "The tags that monitors have, those of most monitors first",
    query: tagsQuery,
    answer: tagsAnswer,
    handle: ({ services, query, ask }) => services.monitors.listTags(query, ask),
  }),
];

export const locationRoutes = [
  route({
    method: "GET",
    path: "/api/locations",
    who: "session",
    summary: "Where probe runners are, how many, and how many active monitors name each location",
    answer: locationsAnswer,
    handle: ({ services, ask }) => services.monitors.listLocations({}, ask),
  }),
];

type ListQuery = Omit<z.output<typeof monitorsQuery>, "compact">;

/** A page; `metrics` alone knows the order by uptime. */
async function readPage(
  { services, uptimeOrder, ask }: Pick<HandlerBase, "services" | "uptimeOrder" | "ask">,
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
  monitor: KnownMonitor,
  { services, ask, ...known }: Pick<HandlerBase, "services" | "ask" | "maintenance" | "clock">,
) {
  const uptimes = await readUptimes(services, [monitor.id], ask);
  return { monitor: presentMonitor(known, monitor, uptimes), ...missingOf(uptimes) };
}
