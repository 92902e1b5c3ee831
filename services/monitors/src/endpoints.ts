import type { Handlers } from "@sonde/kit/bus/rpc";
import { createIdempotency } from "@sonde/kit/postgres/idempotency";
import type { monitorsContract } from "@sonde/proto/rpc/monitors";
import type { Context } from "./context.ts";
import { countOwned, idsOfKeys, releaseOwned } from "@sonde/kit/managed/table";
import { getPingKey, renewPingUrl, setPingKey } from "./heartbeats/addresses.ts";
import { heartbeatOfSlug, schedule } from "./heartbeats/by-slug.ts";
import { applyMonitors } from "./apply/monitors.ts";
import { beginApply, endApply, listSources, noteSource } from "./apply/sources.ts";
import {
  bulkMonitors,
  createMonitor,
  deleteMonitor,
  getMonitor,
  pauseMonitor,
  resumeMonitor,
  updateMonitor,
} from "./monitors/monitors.ts";
import { getConfirm, setConfirm } from "./opinions/confirm.ts";
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
    applyMonitors: (input, { signal }) => applyMonitors(ctx, input, signal),
    beginApply: on(beginApply),
    endApply: (input) => endApply(ctx, input).then(() => ({})),
    noteSource: (input) => noteSource(ctx, input).then(() => ({})),
    listSources: () => listSources(ctx),
    idsOfRefs: async ({ kind, refs }) => ({ ids: await idsOfKeys(ctx.db, kind, refs) }),
    countOwned: () => countOwned(ctx.db),
    release: async (input) => ({ released: await releaseOwned(ctx.db, "monitors", input) }),
    checkNow: on(checkNow),
    testMonitor: on(testMonitor),
    renewPingUrl: on(renewPingUrl),
    schedule: on(schedule),
    getPingKey: () => getPingKey(ctx),
    setPingKey: on(setPingKey),
    heartbeatOfSlug: on(heartbeatOfSlug),
    getConfirm: () => getConfirm(ctx),
    setConfirm: on(setConfirm),
    listLocations: async () => ({ locations: ctx.unserved.list() }),
    summary: on(summarize),
  };
}
