import { client } from "@sonde/kit/bus/rpc";
import { retryUntilReady } from "@sonde/kit/postgres/database";
import { startRelay } from "@sonde/kit/postgres/outbox-relay";
import { openServiceDatabase } from "@sonde/kit/postgres/service-database";
import { watchMaintenance } from "@sonde/domain/maintenance/watch";
import { createPasswords } from "@sonde/kit/passwords";
import { secretBox } from "@sonde/kit/secrets";
import { runMain, type Service } from "@sonde/kit/service/lifecycle";
import { type Foundation, startService } from "@sonde/kit/service/start";
import { agentsContract } from "@sonde/proto/rpc/agents";
import { incidentsContract } from "@sonde/proto/rpc/incidents";
import { monitorsContract } from "@sonde/proto/rpc/monitors";
import { metricsContract } from "@sonde/proto/rpc/metrics";
import { notificationsContract } from "@sonde/proto/rpc/notifications";
import { defaultSlug } from "@sonde/proto/http/status/snapshot";
import { statusContract } from "@sonde/proto/rpc/status";
import { migrations } from "../migrations/index.ts";
import { type Config, readConfig } from "./config.ts";
import type { Context } from "./context.ts";
import { endpoints } from "./endpoints.ts";
import { maintenanceProjections } from "./maintenance/projection.ts";
import { startHandOver } from "./mails/hand-over.ts";
import { startUpkeep } from "./maintenance/plan.ts";
import { startTagRefresh } from "./maintenance/tags.ts";
import { namesIn, withShownFacts } from "./collect/facts.ts";
import { startPages } from "./page-loop.ts";
import { openPreviews } from "./preview.ts";
import { createRenderer } from "./render/renderer.ts";

export const start = (config: Config, schema?: string): Promise<Service> =>
  startService({ name: "status-page", config, build: (service) => build(service, config, schema) });

async function build(service: Foundation, config: Config, schema: string | undefined): Promise<void> {
  const { log, clock, use } = service;
  const db = await openServiceDatabase(service, {
    url: config.DATABASE_URL,
    schema,
    migrations,
    poolSize: 6,
    camelCase: true,
  });
  const bus = await service.connectBus();
  const relay = use(startRelay({ db, bus, log, projections: maintenanceProjections(db, clock) }));
  await retryUntilReady(log, relay.reconcile);
  const ctx: Context = {
    db,
    clock,
    log,
    secrets: secretBox(config),
    passwords: await createPasswords("status-page"),
    sources: {
      monitors: client(bus, monitorsContract),
      agents: client(bus, agentsContract),
      incidents: client(bus, incidentsContract),
      metrics: client(bus, metricsContract, { timeoutMs: 20_000 }),
      notifications: client(bus, notificationsContract),
    },
    publicUrl: config.PUBLIC_URL?.replace(/\/+$/, "") ?? null,
    namesOf: async (config, slug = defaultSlug) =>
      namesIn(await withShownFacts(ctx, pages.factsOf(slug), config, { lenient: true }), config),
    committed: relay.nudge,
    changed: (slug) => pages.changed(slug),
    mailDue: () => mails.nudge(),
  };
  const maintenance = use(watchMaintenance(bus));
  // Started before any part that can report changes.
  const renderer = use(createRenderer());
  const pages = use(startPages(ctx, { bus, maintenance, renderer }));
  const mails = use(startHandOver(ctx));
  use(startTagRefresh(ctx));
  use(startUpkeep(ctx, { retentionDays: config.RETENTION_INCIDENT_DAYS }));
  const preview = openPreviews(ctx, { factsOf: pages.factsOf, maintenance, renderer });
  await service.serve(bus, statusContract, endpoints(ctx, { preview, published: pages.published }));
}

if (import.meta.main) await runMain("status-page", () => start(readConfig()));
