import { connectBus } from "@sonde/kit/bus/connect";
import { systemClock } from "@sonde/kit/time/clock";
import { opsServer, runMain, type Service } from "@sonde/kit/service/lifecycle";
import { createLog } from "@sonde/kit/service/log";
import { databaseAlive, openDatabase } from "@sonde/kit/postgres/database";
import { serve } from "@sonde/kit/bus/rpc";
import { AuthService } from "@sonde/proto/gen/auth/v1/auth";
import { migrations } from "../migrations/index.ts";
import { type Config, readConfig } from "./config.ts";
import type { Deps } from "./context.ts";
import { endpoints } from "./endpoints.ts";
import { createPasswords } from "./passwords/passwords.ts";
import { openBucket } from "./sessions/bucket.ts";
import { createDoubt, startBucketSync } from "./sessions/bucket-sync.ts";
import { createStore } from "./store.ts";

/** Users, passwords, sessions. Resolves when every method answers. */
export async function start(config: Config): Promise<Service> {
  const log = createLog("auth", config.LOG_LEVEL);
  const [db, bus] = await Promise.all([
    openDatabase({ url: config.DATABASE_URL, schema: "auth", migrations, log }),
    connectBus({ url: config.NATS_URL, name: "auth", log }),
  ]);
  const doubt = createDoubt();
  const deps: Deps = {
    store: createStore(db),
    bucket: openBucket(bus),
    passwords: await createPasswords(),
    policy: { registration: config.AUTH_REGISTRATION, setupCode: config.AUTH_SETUP_CODE },
    doubt: doubt.raise,
    clock: systemClock,
    log,
  };
  const bucketSync = await startBucketSync(bus, deps, doubt);
  const served = await serve(bus, AuthService, endpoints(deps), { log });
  const ops = await opsServer({
    port: config.OPS_PORT,
    checks: { bus: bus.connected, database: () => databaseAlive(db), sessions: bucketSync.inStep },
    log,
  });
  return {
    stop: async () => {
      await ops.stop();
      await served.stop();
      await bucketSync.stop();
      await bus.close();
      await db.destroy();
    },
  };
}

if (import.meta.main) await runMain("auth", () => start(readConfig()));
