import { client } from "@sonde/kit/bus/rpc";
import { createGuard } from "@sonde/kit/egress/guard";
import { incidentEndpoints } from "@sonde/domain/incidents/endpoints";
import { createPatternChecker } from "@sonde/kit/patterns/checker";
import { retryUntilReady } from "@sonde/kit/postgres/database";
import { refuseUnknownKey } from "@sonde/kit/postgres/known-key";
import { startRelay } from "@sonde/kit/postgres/outbox-relay";
import { openServiceDatabase } from "@sonde/kit/postgres/service-database";
import { secretBox } from "@sonde/kit/secrets";
import { denied } from "@sonde/kit/service/config";
import { runMain, type Service } from "@sonde/kit/service/lifecycle";
import { type Foundation, startService } from "@sonde/kit/service/start";
import { startLoop } from "@sonde/kit/time/loop";
import { incidentsContract } from "@sonde/proto/rpc/incidents";
import { monitorsContract } from "@sonde/proto/rpc/monitors";
import { probesContract } from "@sonde/proto/rpc/probes";
import { buckets } from "@sonde/proto/streams";
import { migrations } from "../migrations/index.ts";
import { type Config, readConfig } from "./config.ts";
import type { Context } from "./context.ts";
import { endpoints } from "./endpoints.ts";
import { sealAddresses } from "./heartbeats/targets.ts";
import { pingsProjection } from "./heartbeats/projection.ts";
import { createInboundWatch } from "./inbound/watch.ts";
import { incidents } from "./incidents/facts.ts";
import { withOpinions } from "./opinions/store.ts";
import { trackUnserved, watchLocations } from "./locations/locations.ts";
import { monitorProjections } from "./monitors/projections.ts";
import { sealChecks, sealedTexts } from "./monitors/seal-secrets.ts";
import { countByLocation } from "./monitors/store.ts";
import { startSweep } from "./monitors/sweep.ts";
import { startOpinions } from "./opinions/ask.ts";
import { startLive } from "./state/live.ts";
import { startHeartbeatOwners, startOwners } from "./owners.ts";
import { createSilentLocations } from "./state/silent-locations.ts";

const lookForUnservedMs = 5_000;
const watchInboundMs = 5_000;
/** Long enough for a rolling upgrade: replicas of the previous version cannot open resealed secrets. */
const sealEveryMs = 600_000;

export const start = (config: Config, schema?: string): Promise<Service> =>
  startService({ name: "monitors", config, build: (service) => build(service, config, schema) });

async function build(service: Foundation, config: Config, schema: string | undefined): Promise<void> {
  const { log, clock, use } = service;
  const db = await openServiceDatabase(service, {
    url: config.DATABASE_URL,
    schema,
    migrations,
    poolSize: 12,
    camelCase: true,
  });
  const secrets = secretBox(config);
  await refuseUnknownKey({ db, log, secrets, texts: sealedTexts, isAbandoned: config.SONDE_ABANDON_SECRETS });
  const bus = await service.connectBus();
  const live = use(startLive(bus));
  const locations = use(watchLocations(bus));
  const unserved = trackUnserved({ clock, log, locations, count: () => countByLocation(db) });
  use(startLoop({ work: "locations without runners", log, everyMs: lookForUnservedMs, run: unserved.look }));
  const silentLocations = createSilentLocations({ db, bus, clock, locations });
  use(startLoop({ work: "silent locations", log, everyMs: lookForUnservedMs, run: silentLocations.look })).nudge();
  const relay = use(
    startRelay({
      db,
      bus,
      log,
      projections: { ...monitorProjections(db, secrets), [buckets.pings]: pingsProjection(db) },
    }),
  );
  const sealAll = async (former: boolean) => {
    const changed = await sealChecks({ db, log, secrets }, former);
    await sealAddresses(db, secrets);
    return changed;
  };
  await retryUntilReady(log, () => sealAll(false));
  const seal = async () => {
    if ((await sealAll(true)) > 0) relay.nudge();
  };
  use(startLoop({ work: "sealing secrets of monitors", log, everyMs: sealEveryMs, run: seal }));
  await retryUntilReady(log, relay.reconcile);
  // A replica of the previous version wrote no definitions per location (unused since 0.2.0).
  const onLeft = () => relay.reconcile().catch((err: unknown) => log.warn({ err }, "reconciling buckets failed"));
  const probes = client(bus, probesContract);
  const opinions = use(startOpinions({ db, probes, clock, log }));
  const owners = use(startOwners({ db, bus, live, opinions, silentLocations, clock, nudge: relay.nudge, onLeft }));
  const heartbeats = use(startHeartbeatOwners({ db, bus, live, clock, nudge: relay.nudge }));
  const watchInbound = createInboundWatch({ db, bus, clock, nudge: relay.nudge });
  use(startLoop({ work: "inbound monitors", log, everyMs: watchInboundMs, run: watchInbound }));
  use(startSweep({ db, clock, log, incidentDays: config.RETENTION_INCIDENT_DAYS }));
  const ctx: Context = {
    db,
    clock,
    live,
    locations,
    guard: createGuard({ denyCidrs: denied(config) }),
    secrets,
    minIntervalMs: config.MONITOR_MIN_INTERVAL_SECONDS * 1_000,
    nowMs: clock.now,
    patterns: use(createPatternChecker()),
    unserved,
    opinions,
    probes,
    nudge: relay.nudge,
    committed: (id, revision) => {
      relay.nudge();
      owners.reread(id, revision);
      heartbeats.reread(id, revision);
    },
  };
  await service.serve(bus, monitorsContract, endpoints(ctx));
  await service.serve(
    bus,
    incidentsContract,
    withOpinions(db, incidentEndpoints({ ...ctx, targets: incidents.targets, nudge: relay.nudge })),
    "monitors",
  );
}

if (import.meta.main) await runMain("monitors", () => start(readConfig()));
