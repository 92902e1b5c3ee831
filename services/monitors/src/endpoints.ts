import type { Handlers } from "@sonde/kit/bus/rpc";
import { createIdempotency } from "@sonde/kit/postgres/idempotency";
import type { monitorsContract } from "@sonde/proto/rpc/monitors";
import type { Context } from "./context.ts";
import { checkImport } from "./import/check.ts";
import { importMonitors, reserveMonitorIds } from "./import/import.ts";
import {
  bulkMonitors,
  createMonitor,
  deleteMonitor,
  getMonitor,
  pauseMonitor,
  resumeMonitor,
  updateMonitor,
} from "./monitors/monitors.ts";
import { checkNow, testMonitor } from "./monitors/check-now.ts";
import { countMonitors, countOpen, listMonitors, listTags, matchMonitors, summarize } from "./monitors/list.ts";

/** The bus table: method → verb. */
export function endpoints(ctx: Context): Handlers<typeof monitorsContract> {
  const idempotent = createIdempotency(ctx);
  const on =
    <Input, Answer>(verb: (ctx: Context, input: Input) => Promise<Answer>) =>
    (input: Input): Promise<Answer> =>
      verb(ctx, input);
  return {
    createMonitor: (input, call) =>
      idempotent(call, (db, afterwards) => createMonitor({ ...ctx, db, committed: afterwards(ctx.committed) }, input)),
    getMonitor: on(getMonitor),
    listMonitors: on(listMonitors),
    matchMonitors: on(matchMonitors),
    countMonitors: on(countMonitors),
    countOpenIncidents: on(countOpen),
    listTags: on(listTags),
    updateMonitor: on(updateMonitor),
    deleteMonitor: async (input) => {
      await deleteMonitor(ctx, input);
      return {};
    },
    pauseMonitor: on(pauseMonitor),
    resumeMonitor: on(resumeMonitor),
    bulkMonitors: on(bulkMonitors),
    checkImport: on(checkImport),
    reserveMonitorIds: on(reserveMonitorIds),
    importMonitors: async (input, { signal }) => {
      await importMonitors(ctx, input, signal);
      return {};
    },
    checkNow: on(checkNow),
    testMonitor: on(testMonitor),
    listLocations: async () => ({ locations: ctx.unserved.list() }),
    summary: on(summarize),
  };
}
