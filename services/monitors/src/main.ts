import { client } from "@sonde/kit/bus/rpc";
import { createGuard } from "@sonde/kit/egress/guard";
import { waitForMaintenance, watchMaintenance } from "@sonde/domain/maintenance/watch";
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
import { agentsContract } from "@sonde/proto/rpc/agents";
import { incidentsContract } from "@sonde/proto/rpc/incidents";
import { metricsContract } from "@sonde/proto/rpc/metrics";
import { monitorsContract } from "@sonde/proto/rpc/monitors";
import { probesContract } from "@sonde/proto/rpc/probes";
import { buckets } from "@sonde/proto/streams";
import { migrations } from "../migrations/index.ts";
import { type Config, readConfig } from "./config.ts";
import { createCausePass } from "./causes/pass.ts";
import type { Context } from "./context.ts";
import { endpoints } from "./endpoints.ts";
import { sealAddresses } from "./heartbeats/targets.ts";
import { pingsProjection } from "./heartbeats/projection.ts";
import { createGroupPass } from "./groups/settle.ts";
import { createInboundWatch } from "./inbound/watch.ts";
import { incidents } from "./incidents/facts.ts";
import { getMonitor } from "./monitors/monitors.ts";
import { withOpinions } from "./opinions/store.ts";
import { trackUnserved, watchLocations } from "./locations/locations.ts";
import { monitorProjections } from "./monitors/projections.ts";
import { sealChecks, sealedTexts } from "./monitors/seal-secrets.ts";
import { countByLocation } from "./monitors/store.ts";
import { startSweep } from "./monitors/sweep.ts";
import { startRunners } from "./runners/connections.ts";
import { createLocationSeals, sealedProbes } from "./runners/seal.ts";
import { runnersProjection } from "./runners/store.ts";
import { startOpinions } from "./opinions/ask.ts";
import { decideBurnAlerts } from "./slos/pass.ts";
import { createSlotReader } from "./slos/slots.ts";
import { startLive } from "./state/live.ts";
import { startHeartbeatOwners, startOwners } from "./owners.ts";
import { createSilentLocations } from "./state/silent-locations.ts";

const lookForUnservedMs = 5_000;
const watchInboundMs = 5_000;
const decideBurnAlertsMs = 60_000;
/** Changes of members are decided at once; this often maintenance begins and ends for them. */
const watchGroupsMs = 5_000;
const agentNamesMs = 1_000;
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
  const seals = createLocationSeals(db, secrets, config.SONDE_KEY_CHECK);
  const projections = {
    ...monitorProjections(db, seals),
    [buckets.pings]: pingsProjection(db),
    [buckets.runners]: runnersProjection(db),
  };
  const relay = use(startRelay({ db, bus, log, projections }));
  const runners = use(startRunners({ db, bus, clock, log, locations, config }));
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
  const probes = sealedProbes(client(bus, probesContract), seals);
  const opinions = use(startOpinions({ db, probes, clock, log }));
  const maintenance = use(watchMaintenance(bus));
  await waitForMaintenance(bus, maintenance);
  const decideGroups = createGroupPass({ db, clock, maintenance, nudge: relay.nudge });
  const agents = client(bus, agentsContract, { timeoutMs: agentNamesMs });
  const namesOf = async (ids: readonly number[]) =>
    new Map(
      (await agents.listAgents({ ids: [...ids], pageSize: ids.length })).agents.map(({ id, name }) => [id, name]),
    );
  const findCauses = createCausePass({ db, clock, live, namesOf });
  const decideAll = async () => {
    await decideGroups();
    // Must not delay groups.
    await findCauses().catch((err: unknown) => log.warn({ err }, "finding shared causes failed"));
  };
  const groups = use(startLoop({ work: "groups", log, everyMs: watchGroupsMs, run: decideAll }));
  groups.nudge();
  const nudge = () => {
    relay.nudge();
    groups.nudge();
  };
  const owners = use(startOwners({ db, bus, live, opinions, silentLocations, clock, nudge, onLeft }));
  const heartbeats = use(startHeartbeatOwners({ db, bus, live, clock, nudge }));
  const watchInbound = createInboundWatch({ db, bus, clock, nudge });
  use(startLoop({ work: "inbound monitors", log, everyMs: watchInboundMs, run: watchInbound }));
  const { countSlots, checksAroundFailures } = client(bus, metricsContract, { timeoutMs: 20_000 });
  const slots = createSlotReader(countSlots);
  const decideBurns = () => decideBurnAlerts({ db, clock, reader: slots, nudge: relay.nudge });
  use(startLoop({ work: "service levels", log, everyMs: decideBurnAlertsMs, run: decideBurns }));
  use(startSweep({ db, clock, log, incidentDays: config.RETENTION_INCIDENT_DAYS }));
  const ctx: Context = {
    db,
    clock,
    live,
    locations,
    maintenance,
    guard: createGuard({ denyCidrs: denied(config) }),
    secrets,
    minIntervalMs: config.MONITOR_MIN_INTERVAL_SECONDS * 1_000,
    nowMs: clock.now,
    patterns: use(createPatternChecker()),
    runners,
    unserved,
    opinions,
    probes,
    slots,
    countSlots,
    findCauses,
    checksAroundFailures,
    nudge,
    committed: (id, revision) => {
      nudge();
      owners.reread(id, revision);
      heartbeats.reread(id, revision);
    },
  };
  await service.serve(bus, monitorsContract, endpoints(ctx));
  await service.serve(
    bus,
    incidentsContract,
    withOpinions(
      db,
      incidentEndpoints({ ...ctx, targets: incidents.targets, nudge: relay.nudge }),
      async (id) => (await getMonitor(ctx, { id })).recovery,
    ),
    "monitors",
  );
}

if (import.meta.main) await runMain("monitors", () => start(readConfig()));
