import { openServiceDatabase } from "@sonde/kit/postgres/service-database";
import { runMain, type Service } from "@sonde/kit/service/lifecycle";
import { startService } from "@sonde/kit/service/start";
import { authContract } from "@sonde/proto/rpc/auth";
import { keysContract } from "@sonde/proto/rpc/keys";
import { migrations } from "../migrations/index.ts";
import { type Config, readConfig } from "./config.ts";
import { type Deps, createStore } from "./context.ts";
import { endpoints, keyEndpoints } from "./endpoints.ts";
import { createPasswords } from "./passwords/passwords.ts";
import { openBucket } from "./sessions/bucket.ts";
import { createDoubt, startBucketSync } from "./sessions/bucket-sync.ts";

/** Users, passwords, sessions. Resolves when every method answers. */
export const start = (config: Config): Promise<Service> =>
  startService({
    name: "auth",
    config,
    async build(service) {
      const { log, clock } = service;
      const db = await openServiceDatabase(service, { url: config.DATABASE_URL, migrations, camelCase: true });
      const bus = await service.connectBus();
      const doubt = createDoubt();
      const deps: Deps = {
        store: createStore(db),
        bucket: openBucket(bus),
        passwords: await createPasswords(),
        policy: { registration: config.AUTH_REGISTRATION, setupCode: config.AUTH_SETUP_CODE },
        doubt: doubt.raise,
        clock,
        log,
      };
      const bucketSync = service.use(await startBucketSync(bus, deps, doubt));
      service.check("sessions", bucketSync.inStep);
      await service.serve(bus, authContract, endpoints(deps));
      await service.serve(bus, keysContract, keyEndpoints(deps));
    },
  });

if (import.meta.main) await runMain("auth", () => start(readConfig()));
