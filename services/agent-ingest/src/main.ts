import { client } from "@sonde/kit/bus/rpc";
import { incidentEndpoints } from "@sonde/domain/incidents/endpoints";
import { retryUntilReady } from "@sonde/kit/postgres/database";
import { startRelay } from "@sonde/kit/postgres/outbox-relay";
import { openServiceDatabase } from "@sonde/kit/postgres/service-database";
import { runMain, type Service } from "@sonde/kit/service/lifecycle";
import type { Log } from "@sonde/kit/service/log";
import { type Foundation, startService } from "@sonde/kit/service/start";
import { incidentsContract } from "@sonde/proto/rpc/incidents";
import { agentsContract } from "@sonde/proto/rpc/agents";
import { authContract } from "@sonde/proto/rpc/auth";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { migrations } from "../migrations/index.ts";
import { startSweep } from "./agents/sweep.ts";
import { type Config, readConfig } from "./config.ts";
import type { Context } from "./context.ts";
import { endpoints } from "./endpoints.ts";
import { incidents } from "./incidents/store.ts";
import { startAgentListener } from "./http/listener.ts";
import { watchIngestPath } from "./ingest-path.ts";
import { watchKeys } from "./keys/keys.ts";
import { findKey, keyProjections } from "./keys/store.ts";
import { startOwners } from "./owners.ts";
import { startReportIntake } from "./report/report.ts";
import { watchLimits } from "./state/limits.ts";
import { startLive } from "./state/live.ts";
import { askCreators } from "./tokens/tokens.ts";

const drainMs = 15_000;
const reconnectMs = 2_000;
const authMs = 2_000;
const maxWaitMs = 3_000;

type Own = { address: AddressInfo };

export const start = (config: Config, schema?: string): Promise<Service & Own> =>
  startService({ name: "agent-ingest", config, staysReady: true, build: (service) => build(service, config, schema) });

async function build(service: Foundation, config: Config, schema: string | undefined): Promise<Own> {
  const { log, clock, use } = service;
  const db = await openServiceDatabase(service, {
    url: config.DATABASE_URL,
    schema,
    migrations,
    poolSize: 12,
    camelCase: true,
  });
  const bus = await service.connectBus();
  const live = use(startLive(bus));
  const limits = use(watchLimits(bus));
  const relay = use(startRelay({ db, bus, log, projections: keyProjections(db) }));
  await retryUntilReady(log, relay.reconcile);
  const intake = use(startReportIntake(bus, clock, config));
  const ingestPath = use(watchIngestPath(bus, clock));
  const takesReports = () => ingestPath.isOpen() && !intake.pressure.isHigh();
  const owners = use(startOwners({ db, bus, live, limits, clock, takesReports, nudge: relay.nudge }));
  const keys = use(watchKeys(bus, { onAgent: owners.reread, find: (hash) => findKey(db, hash) }));
  service.check("keys", keys.current);
  const committed = (agentId: number) => (relay.nudge(), owners.reread(agentId));
  const published = (agentId: number) => (committed(agentId), waitBriefly(relay.drained(), log));
  const creators = askCreators(client(bus, authContract, { timeoutMs: authMs }));
  const ctx: Context = { db, clock, keys, creators, limits, committed, published };
  use(startSweep({ db, clock, log, incidentDays: config.RETENTION_INCIDENT_DAYS }));
  await service.serve(bus, agentsContract, endpoints(ctx));
  await service.serve(
    bus,
    incidentsContract,
    incidentEndpoints({ ...ctx, targets: incidents.targets, nudge: relay.nudge }),
    "agents",
  );
  const { AGENT_INGEST_HOST: host, AGENT_INGEST_PORT: port, AGENT_REPORTS_PER_MINUTE: reportsPerMinute } = config;
  const trustedProxies = config.TRUSTED_PROXIES;
  const http = await startAgentListener({ ...ctx, intake, reportsPerMinute, trustedProxies }, { host, port, log });
  use({ stop: () => http.drain(drainMs) });
  // Clients with open connections reconnect elsewhere while we still accept reports. Without a readiness check nothing
  // would redirect them.
  if (config.OPS_PORT !== 0) use({ stop: () => (http.retire(), sleep(reconnectMs)) });
  return { address: http.address };
}

/** Waits at most three seconds; a slow task continues in the background. */
export async function waitBriefly(run: Promise<void>, log: Log): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, maxWaitMs);
  const quiet = run.catch((error: unknown) =>
    log.warn({ err: error }, "NATS is unreachable: change stays in the outbox"),
  );
  await Promise.race([quiet, over.promise]);
  clearTimeout(timer);
}

if (import.meta.main) await runMain("agent-ingest", () => start(readConfig()));
