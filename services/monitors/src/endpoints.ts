import type { Handlers } from "@sonde/kit/bus/rpc";
import { createIdempotency } from "@sonde/kit/postgres/idempotency";
import { MonitorSchema, type MonitorsService } from "@sonde/proto/gen/monitors/v1/monitors";
import type { Context } from "./context.ts";
import { checkImport } from "./import/check.ts";
import { importMonitors, reserveMonitorIds } from "./import/import.ts";
import { bulkMonitors } from "./monitors/bulk.ts";
import { checkNow } from "./monitors/check-now.ts";
import { createMonitor } from "./monitors/create.ts";
import { getMonitor } from "./monitors/get.ts";
import { listMonitors, listTags, matchMonitors } from "./monitors/list.ts";
import { pauseMonitor, resumeMonitor } from "./monitors/pause.ts";
import { removeMonitor } from "./monitors/remove.ts";
import { summarize } from "./monitors/summary.ts";
import { testMonitor } from "./monitors/test.ts";
import { updateMonitor } from "./monitors/update.ts";

/** The bus table: method → verb. */
export function endpoints(ctx: Context): Handlers<typeof MonitorsService> {
  const idempotent = createIdempotency(ctx);
  return {
    createMonitor: (request, call) =>
      idempotent(call, MonitorSchema, (db, afterwards) =>
        createMonitor({ ...ctx, db, committed: afterwards(ctx.committed) }, request),
      ),
    getMonitor: (request) => getMonitor(ctx, request),
    listMonitors: (request) => listMonitors(ctx, request),
    matchMonitors: (request) => matchMonitors(ctx, request),
    listTags: (request) => listTags(ctx, request),
    updateMonitor: (request) => updateMonitor(ctx, request),
    deleteMonitor: async (request) => {
      await removeMonitor(ctx, request);
      return {};
    },
    pauseMonitor: (request) => pauseMonitor(ctx, request),
    resumeMonitor: (request) => resumeMonitor(ctx, request),
    bulkMonitors: (request) => bulkMonitors(ctx, request),
    checkImport: (request) => checkImport(ctx, request),
    reserveMonitorIds: (request) => reserveMonitorIds(ctx, request),
    importMonitors: async (request, { signal }) => {
      await importMonitors(ctx, request, signal);
      return {};
    },
    checkNow: (request) => checkNow(ctx, request),
    testMonitor: (request) => testMonitor(ctx, request),
    listLocations: async () => ({ locations: ctx.unserved.list() }),
    summary: (query) => summarize(ctx, query),
  };
}
