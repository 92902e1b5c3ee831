import { bindVerbs, type Handlers } from "@sonde/kit/bus/rpc";
import { countOwned, idsOfKeys, releaseOwned } from "@sonde/domain/managed/table";
import { createIdempotency } from "@sonde/kit/postgres/idempotency";
import { monitorsContract } from "@sonde/proto/rpc/monitors";
import * as apply from "./apply/monitors.ts";
import * as sources from "./apply/sources.ts";
import { listSharedCauses } from "./causes/pass.ts";
import type { Context } from "./context.ts";
import * as addresses from "./heartbeats/addresses.ts";
import * as slugs from "./heartbeats/by-slug.ts";
import { createReceiver } from "./inbound/receive.ts";
import { bulkMonitors } from "./monitors/bulk.ts";
import * as checks from "./monitors/check-now.ts";
import * as lists from "./monitors/list.ts";
import * as monitors from "./monitors/monitors.ts";
import * as slos from "./slos/slos.ts";
import * as noise from "./noise/noise.ts";
import * as confirm from "./opinions/confirm.ts";
import * as locations from "./runners/list.ts";
import * as runners from "./runners/register.ts";

export function endpoints(ctx: Context): Handlers<typeof monitorsContract> {
  const idempotent = createIdempotency(ctx);
  const { receiveAlerts } = createReceiver(ctx);
  return bindVerbs(monitorsContract, ctx, {
    ...addresses,
    ...apply,
    bulkMonitors,
    ...checks,
    listSharedCauses,
    ...confirm,
    ...lists,
    ...locations,
    ...monitors,
    ...noise,
    ...runners,
    ...slugs,
    ...slos,
    ...sources,
    createMonitor: (_ctx, input, call) =>
      idempotent(call, (db, afterwards) =>
        monitors.createMonitor({ ...ctx, db, committed: afterwards(ctx.committed) }, input),
      ),
    createSlo: (_ctx, input, call) =>
      idempotent(call, (db, afterwards) => slos.createSlo({ ...ctx, db, nudge: afterwards(ctx.nudge) }, input)),
    receiveAlerts: (_ctx, input) => receiveAlerts(input),
    idsOfRefs: async ({ db }, { kind, refs }) => ({ ids: await idsOfKeys(db, kind, refs) }),
    countOwned: ({ db }) => countOwned(db),
    release: async ({ db }, input) => ({ released: await releaseOwned(db, "monitors", input) }),
  });
}
