import { connectBus } from "@sonde/kit/bus/connect";
import { systemClock } from "@sonde/kit/time/clock";
import { denied } from "@sonde/kit/service/config";
import { every } from "@sonde/kit/time/every";
import { createGuard } from "@sonde/kit/egress/guard";
import { opsServer, runMain, type Service } from "@sonde/kit/service/lifecycle";
import { createLog } from "@sonde/kit/service/log";
import { incidentEndpoints } from "@sonde/kit/incidents/endpoints";
import { startRelay } from "@sonde/kit/postgres/outbox-relay";
import { createPatternChecker } from "@sonde/kit/patterns/checker";
import { databaseAlive, openDatabase, whileAway } from "@sonde/kit/postgres/database";
import { client, serve } from "@sonde/kit/bus/rpc";
import { secretBox } from "@sonde/kit/secrets";
import { IncidentsService } from "@sonde/proto/gen/incidents/v1/incidents";
import { MonitorsService } from "@sonde/proto/gen/monitors/v1/monitors";
import { ProbesService } from "@sonde/proto/gen/probes/v1/probes";
import { migrations } from "../migrations/index.ts";
import { type Config, readConfig } from "./config.ts";
import type { Context } from "./context.ts";
import { endpoints } from "./endpoints.ts";
import { incidents } from "./incidents/store.ts";
import { watchLocations } from "./locations/locations.ts";
import { trackLost } from "./locations/lost.ts";
import { countByLocation } from "./locations/store.ts";
import { monitorProjections } from "./monitors/projections.ts";
import { sealOpenHeaders } from "./monitors/seal-headers.ts";
import { startSweep } from "./monitors/sweep.ts";
import { startLive } from "./state/live.ts";
import { startOwners } from "./state/owners.ts";

const lookForLostMs = 5_000;

/** Monitor definitions, their state and their incidents. */
export async function start(config: Config, schema = "monitors"): Promise<Service> {
  const log = createLog("monitors", config.LOG_LEVEL);
  const db = await openDatabase({ url: config.DATABASE_URL, schema, migrations, log, poolSize: 12 });
  const bus = await connectBus({ url: config.NATS_URL, name: "monitors", log, shrink: config.SONDE_LOCAL ? 4 : 1 });
  const clock = systemClock;
  const live = startLive(bus);
  const locations = watchLocations(bus);
  const lost = trackLost({ clock, log, locations, count: () => countByLocation(db) });
  const stopLooking = every(lookForLostMs, { work: "locations without runners", log, run: lost.look });
  const relay = startRelay({ db, bus, log, projections: monitorProjections(db) });
  const secrets = secretBox(config.SONDE_SECRET_KEY);
  await whileAway(log, async () => {
    const sealed = await sealOpenHeaders(db, secrets);
    if (sealed > 0) log.info({ monitors: sealed }, "header values whose names now count as secret were encrypted");
  });
  await whileAway(log, relay.reconcile);
  const owners = startOwners({ db, bus, live, clock, nudge: relay.nudge });
  const sweep = startSweep({ db, clock, log, incidentDays: config.RETENTION_INCIDENT_DAYS });
  const patterns = createPatternChecker();
  const ctx: Context = {
    db,
    clock,
    live,
    locations,
    guard: createGuard({ denyCidrs: denied(config) }),
    secrets,
    minIntervalMs: config.MONITOR_MIN_INTERVAL_SECONDS * 1_000,
    patterns,
    lost,
    probes: client(bus, ProbesService),
    committed: (id, revision) => (relay.nudge(), owners.heard(id, revision)),
  };
  const served = await serve(bus, MonitorsService, endpoints(ctx), { log });
  const told = await serve(bus, IncidentsService, incidentEndpoints(db, incidents.targets), { scope: "monitors", log });
  const checks = { bus: bus.connected, database: () => databaseAlive(db) };
  const ops = await opsServer({ port: config.OPS_PORT, checks, log });
  return {
    async stop() {
      stopLooking();
      for (const part of [served, told, sweep, owners, relay, ops]) await part.stop();
      for (const part of [live, locations, patterns]) part.stop();
      await bus.close();
      await db.destroy();
    },
  };
}

if (import.meta.main) await runMain("monitors", () => start(readConfig()));
