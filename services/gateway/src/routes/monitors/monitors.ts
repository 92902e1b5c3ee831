import type { AskOptions } from "@sonde/kit/bus/rpc";
import { AppError, toAppError } from "@sonde/kit/errors";
import type { MessageParams } from "@sonde/proto/http/fill";
import { isMessage, type Language, translate } from "@sonde/proto/http/messages";
import {
  type BulkUndo,
  bulkAnswer,
  bulkInput,
  monitorCountsAnswer,
  monitorCountsQuery,
  monitorsQuery,
  maxMatched,
  tagsAnswer,
  tagsQuery,
} from "@sonde/proto/http/monitors/lists";
import {
  confirmAnswer,
  confirmInput,
  createQuery,
  type KnownMonitor,
  monitorAnswer,
  monitorInput,
  monitorPatch,
  monitorsAnswer,
} from "@sonde/proto/http/monitors/monitors";
import type { z } from "zod";
import { readInBatches } from "../../middleware/batches.ts";
import { command, type HandlerBase, route } from "../../route.ts";
import { type Services, timeouts } from "../../services.ts";
import { isId } from "../../validate.ts";
import { checkChange, checkDependencies } from "../dependencies.ts";
import { figureSortOf } from "../../uptimes/order.ts";
import { missingOf, presentMonitor, type Presenting, readUptimes } from "../../uptimes/read.ts";
import { readTrends, withSlower } from "../../uptimes/trends.ts";

const params = { id: "Monitor does not exist" } as const;

export const monitorRoutes = [
  route("GET /api/monitors", "session", {
    summary: "List monitors with their state and uptime",
    query: monitorsQuery,
    refusals: ["impossible", "too_many"],
    answer: monitorsAnswer,
    handle: async ({ query: { compact, ...query }, ...input }) => {
      const { services, ask } = input;
      const isCompact = compact === "true";
      const first = await readPage(input, query, isCompact);
      const ids = [...first.monitors.map(({ id }) => id), ...first.restIds];
      const [uptimes, trends] =
        ids.length === 0
          ? [new Map(), new Map()]
          : await Promise.all([readUptimes(services, ids, ask), readTrends(services, ids, ask)]);
      const known = { total: first.total, ...missingOf(uptimes, trends) };
      const list = (wanted: { ids: number[]; pageSize: number }) =>
        services.monitors.listMonitors({ ...wanted, compact: isCompact }, ask);
      const present = ({ monitors }: typeof first) =>
        monitors.map((monitor) => presentMonitor(input, monitor, uptimes, trends));
      return { monitors: readInBatches(input, first, list, present), ...known };
    },
  }),
  route("POST /api/monitors", "write", {
    idempotent: true,
    summary: "Create a monitor; its first check runs immediately",
    description:
      "With `cloneOf`, masked header values use the values stored for that monitor, unless they would be sent to another origin.",
    query: createQuery,
    body: monitorInput,
    status: 201,
    answer: monitorAnswer,
    message: "Monitor created",
    handle: async ({ services, body, query: { cloneOf }, ask, ...input }) => {
      const dependsOn = await checkDependencies({ services, ask }, null, body.dependsOn);
      const monitor = await services.monitors.createMonitor({ monitor: { ...body, dependsOn }, cloneOf }, ask);
      return { monitor: presentMonitor(input, monitor, new Map()) };
    },
  }),
  route("GET /api/monitors/:id", "session", {
    summary: "Get a monitor with its state and uptime",
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
  route("PUT /api/monitors/:id", "write", {
    summary: "Change all or some fields of a monitor",
    params,
    body: monitorPatch,
    answer: monitorAnswer,
    message: "Monitor updated",
    handle: async ({ params: { id }, body, ...input }) => {
      const dependsOn = await checkChange(input, { type: "monitor", id }, body.dependsOn);
      const patch = { ...body, dependsOn };
      const monitor = await input.services.monitors.updateMonitor({ id, patch }, input.ask);
      return withUptime(monitor, input);
    },
  }),
  command("DELETE /api/monitors/:id", "write", {
    summary: "Delete a monitor and its history",
    params,
    message: "Monitor successfully deleted",
    handle: ({ services, params: { id }, ask }) => services.monitors.deleteMonitor({ id }, ask),
  }),
  route("POST /api/monitors/:id/pause", "write", {
    summary: "Pause a monitor",
    params,
    answer: monitorAnswer,
    message: "Monitor paused",
    handle: async ({ params: { id }, ...input }) => {
      const monitor = await input.services.monitors.pauseMonitor({ id }, input.ask);
      return withUptime(monitor, input);
    },
  }),
  route("POST /api/monitors/:id/resume", "write", {
    summary: "Resume a monitor; a check runs immediately",
    params,
    answer: monitorAnswer,
    message: "Monitor resumed",
    handle: async ({ params: { id }, ...input }) => {
      const monitor = await input.services.monitors.resumeMonitor({ id }, input.ask);
      return withUptime(monitor, input);
    },
  }),
  route("GET /api/monitors/tags", "session", {
    summary: "List monitors' tags, most used first",
    query: tagsQuery,
    answer: tagsAnswer,
    handle: ({ services, query, ask }) => services.monitors.listTags(query, ask),
  }),
  route("GET /api/monitors/counts", "session", {
    summary: "Count all or matching monitors by state",
    query: monitorCountsQuery,
    answer: monitorCountsAnswer,
    handle: async ({ services, query, ask }) =>
      services.monitors.countMonitors(await withSlower(services, query, ask), ask),
  }),
  route("GET /api/monitors/confirm", "session", {
    summary: "Get the second opinion for monitors without their own",
    answer: confirmAnswer,
    handle: ({ services, ask }) => services.monitors.getConfirm({}, ask),
  }),
  route("PUT /api/monitors/confirm", "write", {
    summary: "Set the second opinion for monitors without their own",
    description:
      "Null disables it. A location that already checks a monitor is skipped for that monitor. Changes apply within seconds and do not reset states. A location without a runner is 422.",
    body: confirmInput,
    refusals: ["impossible"],
    answer: confirmAnswer,
    handle: ({ services, body, ask }) => services.monitors.setConfirm(body, ask),
  }),
  route("POST /api/monitors/bulk", "write", {
    summary: "Pause, resume, edit or delete several monitors",
    description:
      "Selects monitors by ids or a filter. Each monitor is changed independently; those that could not be changed are listed in `failed` with the reason. `edit` adds and removes tags and sets interval, timeout and locations; `undo` contains the edits that revert it. Changes by filter take up to a minute, one at a time per user, otherwise 429.",
    body: bulkInput,
    refusals: ["conflict", "impossible", "too_many"],
    answer: bulkAnswer,
    handle: async ({ services, body, ctx, ask, session, bulkChanges }) => {
      const { ids } = body;
      const { language } = ctx.state;
      const context = { services, ask, language };
      if (body.preview) return { done: [], failed: [], openIncidents: await countEnding(context, body) };
      const answer =
        ids === undefined
          ? await bulkChanges.run(session.userId, () => changeMatching(context, body))
          : await changeNamed(context, ids, body);
      return inWords(answer, language);
    },
  }),
];

type ListQuery = Omit<z.output<typeof monitorsQuery>, "compact">;

async function readPage(
  { services, monitorOrder, ask }: Pick<HandlerBase, "services" | "monitorOrder" | "ask">,
  { page, pageSize, sort, ids: wanted, ...filter }: ListQuery,
  compact: boolean,
) {
  const byFigure = figureSortOf(sort);
  if (byFigure === undefined) {
    const matching = await withSlower(services, filter, ask);
    return services.monitors.listMonitors({ page, pageSize, sort, ids: wanted, ...matching, compact }, ask);
  }
  const all = await monitorOrder(filter, byFigure, ask);
  const order = wanted === undefined ? all : all.filter((id) => wanted.includes(id));
  const ids = order.slice((page - 1) * pageSize, page * pageSize);
  const known = { monitors: [], restIds: [], total: order.length };
  if (ids.length === 0) return known;
  const { monitors, restIds } = await services.monitors.listMonitors({ ids, pageSize, compact }, ask);
  return { ...known, monitors, restIds };
}

async function withUptime(
  monitor: KnownMonitor,
  { services, ask, ...known }: Pick<HandlerBase, "services" | "ask"> & Presenting,
) {
  const uptimes = await readUptimes(services, [monitor.id], ask);
  return { monitor: presentMonitor(known, monitor, uptimes), ...missingOf(uptimes) };
}

type BulkInput = z.output<typeof bulkInput>;
type BulkFailure = { id: number; name?: string | undefined; message: string; params?: MessageParams | undefined };
type BulkResult = {
  done: number[];
  failed: BulkFailure[];
  unchanged?: number[] | undefined;
  undo?: BulkUndo[] | undefined;
};
type CallContext = { services: Pick<Services, "monitors" | "metrics">; ask: AskOptions; language: Language };

const chunkIds = 500;

async function changeNamed(context: CallContext, ids: readonly number[], body: BulkInput): Promise<BulkResult> {
  const { failed, ...answer } = await change(context, [...new Set(ids.filter(isId))], body);
  const impossible = ids.filter((id) => !isId(id)).map((id) => ({ id, message: "Monitor does not exist" }));
  return { ...answer, failed: [...failed, ...impossible] };
}

async function countEnding({ services, ask }: CallContext, { ids, filter = {} }: BulkInput): Promise<number> {
  const meant = ids ?? (await matching({ services, ask }, filter)).ids;
  return (await services.monitors.countOpenIncidents({ ids: meant.filter(isId) }, ask)).count;
}

async function matching({ services, ask }: Pick<CallContext, "services" | "ask">, filter: BulkInput["filter"] & {}) {
  const query = await withSlower(services, filter, ask);
  const { ids, total } = await services.monitors.matchMonitors({ ...query, limit: maxMatched }, ask);
  // The previous version of `monitors` ignores the filter.
  const slower = query.slower && new Set(query.slower);
  return { ids: slower === undefined ? ids : ids.filter((id) => slower.has(id)), total };
}

/** Matches first, because changes may affect which monitors match. @throws AppError conflict, impossible */
async function changeMatching(context: CallContext, body: BulkInput): Promise<BulkResult> {
  const { filter = {}, atMost } = body;
  const { ids, total } = await matching(context, filter);
  if (total > maxMatched) {
    const params = { count: total, max: maxMatched };
    throw new AppError("impossible", "{count} monitors match, but at most {max} can be changed at once", { params });
  }
  if (atMost !== undefined && total > atMost) {
    const params = { count: total };
    throw new AppError("conflict", "{count} monitors match now: please review the list again", { params });
  }
  const answer = { done: [] as number[], failed: [] as BulkFailure[], unchanged: [] as number[] };
  const back: BulkUndo[] = [];
  for (let first = 0; first < ids.length; first += chunkIds) {
    try {
      const {
        done,
        failed,
        unchanged = [],
        undo = [],
      } = await change(context, ids.slice(first, first + chunkIds), body);
      answer.done.push(...done);
      answer.failed.push(...failed);
      answer.unchanged.push(...unchanged);
      back.push(...undo);
    } catch (thrown) {
      const error = toAppError(thrown);
      if (first === 0 || error.code === "internal") throw thrown;
      // Some monitors are already changed: report which, and why the others are not.
      const message = translate(error.key, context.language, error.params);
      answer.failed.push(...ids.slice(first).map((id) => ({ id, message })));
      break;
    }
  }
  return back.length === 0 ? answer : { ...answer, undo: back };
}

const change = ({ services, ask }: CallContext, ids: number[], { action, changes }: BulkInput): Promise<BulkResult> =>
  services.monitors.bulkMonitors({ ids, action, changes }, { ...ask, timeoutMs: timeouts.bulkMs });

function inWords({ failed, ...rest }: BulkResult, language: Language) {
  const words = ({ params, message, ...rest }: BulkFailure) => ({
    ...rest,
    message: isMessage(message) ? translate(message, language, params) : message,
  });
  return { ...rest, failed: failed.map(words) };
}
