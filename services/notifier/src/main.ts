import { createGuard } from "@sonde/kit/egress/guard";
import { startRelay } from "@sonde/kit/postgres/outbox-relay";
import { openServiceDatabase } from "@sonde/kit/postgres/service-database";
import { secretBox } from "@sonde/kit/secrets";
import { denied } from "@sonde/kit/service/config";
import { runMain, type Service } from "@sonde/kit/service/lifecycle";
import { startService } from "@sonde/kit/service/start";
import { NotificationsService } from "@sonde/proto/gen/notifications/v1/notifications";
import { migrations } from "../migrations/index.ts";
import { type Config, readConfig } from "./config.ts";
import type { Context } from "./context.ts";
import { endpoints } from "./endpoints.ts";

/** Channels, settings, templates; alerts and their deliveries. */
export const start = (config: Config, schema?: string): Promise<Service> =>
  startService({
    name: "notifier",
    config,
    async build(service) {
      const { log, clock, use } = service;
      const db = await openServiceDatabase(service, { url: config.DATABASE_URL, schema, migrations });
      const bus = await service.connectBus();
      const relay = use(startRelay({ db, bus, log, projections: {} }));
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
      await service.serve(bus, NotificationsService, endpoints(ctx));
    },
  });

if (import.meta.main) await runMain("notifier", () => start(readConfig()));
