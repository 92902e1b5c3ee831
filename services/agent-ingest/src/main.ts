import { connectBus } from "@sonde/kit/bus/connect";
import { systemClock } from "@sonde/kit/time/clock";
import { opsServer, runMain, type Service } from "@sonde/kit/service/lifecycle";
import { createLog } from "@sonde/kit/service/log";
import { incidentEndpoints } from "@sonde/kit/incidents/endpoints";
import { startRelay } from "@sonde/kit/postgres/outbox-relay";
import { databaseAlive, openDatabase, whileAway } from "@sonde/kit/postgres/database";
import { client, serve } from "@sonde/kit/bus/rpc";
import { AgentsService } from "@sonde/proto/gen/agents/v1/agents";
import { AuthService } from "@sonde/proto/gen/auth/v1/auth";
import { IncidentsService } from "@sonde/proto/gen/incidents/v1/incidents";
import type { AddressInfo } from "node:net";
import { migrations } from "../migrations/index.ts";
import { startSweep } from "./agents/sweep.ts";
import { type Config, readConfig } from "./config.ts";
import type { Context } from "./context.ts";
import { endpoints } from "./endpoints.ts";
import { incidents } from "./incidents/store.ts";
import { listen } from "./http/listener.ts";
import { startIntake } from "./intake.ts";
import { keyProjections } from "./keys/projection-store.ts";
import { watchKeys } from "./keys/keys.ts";
import { findKey } from "./keys/store.ts";
import { waitBriefly } from "./wait-briefly.ts";
import { askCreators } from "./tokens/creators.ts";
import { watchLimits } from "./state/limits.ts";
import { startLive } from "./state/live.ts";
import { startOwners } from "./state/owners.ts";
import { watchIngestPath } from "./state/ingest-path.ts";

const drainMs = 15_000;
const authMs = 2_000;

/** Agents, their tokens and keys, their samples on the way in, their state and their incidents. */
export async function start(config: Config, schema = "agent_ingest"): Promise<Service & { address: AddressInfo }> {
  const log = createLog("agent-ingest", config.LOG_LEVEL);
  const db = await openDatabase({ url: config.DATABASE_URL, schema, migrations, log, poolSize: 12 });
  const bus = await connectBus({ url: config.NATS_URL, name: "agent-ingest", log, shrink: config.SONDE_LOCAL ? 4 : 1 });
  const clock = systemClock;
  const live = startLive(bus);
  const limits = watchLimits(bus);
  const relay = startRelay({ db, bus, log, projections: keyProjections(db) });
  await whileAway(log, relay.reconcile);
  const intake = startIntake(bus, clock, config);
  const ingestPath = watchIngestPath(bus, clock);
  const takesReports = () => ingestPath.isOpen() && !intake.pressure.isHigh();
  const owners = startOwners({ db, bus, live, limits, clock, takesReports, nudge: relay.nudge });
  const keys = watchKeys(bus, { onAgent: owners.heard, find: (hash) => findKey(db, hash) });
  const committed = (agentId: number) => (relay.nudge(), owners.heard(agentId));
  const published = (agentId: number) => (committed(agentId), waitBriefly(relay.drained(), log));
  const creators = askCreators(client(bus, AuthService, { timeoutMs: authMs }));
  const ctx: Context = { db, clock, keys, creators, committed, published };
  const sweep = startSweep({ db, clock, log, incidentDays: config.RETENTION_INCIDENT_DAYS });
  const served = await serve(bus, AgentsService, endpoints(ctx), { log });
  const told = await serve(bus, IncidentsService, incidentEndpoints(db, incidents.targets), { scope: "agents", log });
  const { AGENT_INGEST_HOST: host, AGENT_INGEST_PORT: port, AGENT_REPORTS_PER_MINUTE: reportsPerMinute } = config;
  const http = await listen({ ...ctx, intake, reportsPerMinute }, { host, port, log });
  const checks = { bus: bus.connected, database: () => databaseAlive(db), keys: keys.current };
  const ops = await opsServer({ port: config.OPS_PORT, checks, log });
  return {
    address: http.address,
    async stop() {
      await http.drain(drainMs);
      for (const part of [intake, served, told, sweep, owners, keys, limits, relay, ops]) await part.stop();
      for (const part of [live, ingestPath]) part.stop();
      await bus.close();
      await db.destroy();
    },
  };
}

if (import.meta.main) await runMain("agent-ingest", () => start(readConfig()));
