import { createGuard } from "@sonde/kit/egress/guard";
import { whileAway } from "@sonde/kit/postgres/database";
import { startRelay } from "@sonde/kit/postgres/outbox-relay";
import { openServiceDatabase } from "@sonde/kit/postgres/service-database";
import { secretBox } from "@sonde/kit/secrets";
import { denied } from "@sonde/kit/service/config";
import { runMain, type Service } from "@sonde/kit/service/lifecycle";
import { type Foundation, startService } from "@sonde/kit/service/start";
import { NotificationsService } from "@sonde/proto/gen/notifications/v1/notifications";
import type { ChannelTypeName } from "@sonde/proto/http/channel-types";
import { migrations } from "../migrations/index.ts";
import { startRetention } from "./alerts/retention.ts";
import { startTicks } from "./alerts/ticks.ts";
import { channelOf } from "./channels/registry.ts";
import { type Config, readConfig } from "./config.ts";
import type { Context } from "./context.ts";
import { endpoints } from "./endpoints.ts";
import { startEvents } from "./events/start.ts";
import { thresholdProjections } from "./settings/projection.ts";

/** Channels, settings, templates; alerts and their deliveries. */
export const start = (config: Config, schema?: string): Promise<Service> =>
  startService({ name: "notifier", config, build: (service) => build(service, config, schema) });

async function build(service: Foundation, config: Config, schema: string | undefined): Promise<void> {
  const { log, clock, use } = service;
  const db = await openServiceDatabase(service, { url: config.DATABASE_URL, schema, migrations, poolSize: 12 });
  const bus = await service.connectBus();
  const relay = use(startRelay({ db, bus, log, projections: thresholdProjections(db) }));
  await whileAway(log, relay.reconcile);
  const ctx: Context = {
    db,
    clock,
    log,
    secrets: secretBox(config.SONDE_SECRET_KEY),
    guard: createGuard({ denyCidrs: denied(config) }),
    publicUrl: config.PUBLIC_URL?.replace(/\/+$/, "") ?? null,
    committed: relay.nudge,
    due: () => {},
  };
  const deciding = { ...ctx, readerOf: (type: ChannelTypeName) => channelOf(type).reader };
  use(startRetention({ db, clock, log, incidentDays: config.RETENTION_INCIDENT_DAYS }));
  use(startTicks(deciding));
  use(startEvents(bus, deciding));
  await service.serve(bus, NotificationsService, endpoints(ctx));
}

if (import.meta.main) await runMain("notifier", () => start(readConfig()));
