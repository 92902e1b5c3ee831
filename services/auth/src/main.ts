import { retryUntilReady } from "@sonde/kit/postgres/database";
import { refuseUnknownKey } from "@sonde/kit/postgres/known-key";
import { openServiceDatabase } from "@sonde/kit/postgres/service-database";
import { client } from "@sonde/kit/bus/rpc";
import { runMain, type Service } from "@sonde/kit/service/lifecycle";
import { startService } from "@sonde/kit/service/start";
import { authContract } from "@sonde/proto/rpc/auth";
import { auditContract } from "@sonde/proto/rpc/audit";
import { factorsContract } from "@sonde/proto/rpc/factors";
import { invitesContract } from "@sonde/proto/rpc/invites";
import { keysContract } from "@sonde/proto/rpc/keys";
import { notificationsContract } from "@sonde/proto/rpc/notifications";
import { signInContract } from "@sonde/proto/rpc/sign-in";
import { createGuard } from "@sonde/kit/egress/guard";
import { createEgress } from "@sonde/kit/egress/requests";
import { createResolver } from "@sonde/kit/egress/resolver";
import { secretBox } from "@sonde/kit/secrets";
import { denied } from "@sonde/kit/service/config";
import { startLoop } from "@sonde/kit/time/loop";
import { migrations } from "../migrations/index.ts";
import { startAuditIntake } from "./audit/intake.ts";
import { maintainMonths } from "./audit/months.ts";
import { type Config, readConfig, readDatabaseUrl } from "./config.ts";
import { type Deps, createStore } from "./context.ts";
import {
  auditEndpoints,
  endpoints,
  factorEndpoints,
  inviteEndpoints,
  keyEndpoints,
  signInEndpoints,
} from "./endpoints.ts";
import { createConnections } from "./oidc/connection.ts";
import { resealProviders } from "./oidc/providers.ts";
import { refreshRoles } from "./oidc/refresh.ts";
import { createPasswords } from "@sonde/kit/passwords";
import { describeRecovered, recoverAdmin, recoverCommand } from "./recover/recover-admin.ts";
import { openSessionBucket } from "./sessions/bucket.ts";
import { resealFactors, sealedTexts } from "./factors/secrets.ts";
import { createDoubt, startBucketSync } from "./sessions/bucket-sync.ts";

/** Mail servers can be slow; the notifier takes up to 35 s. */
const mailMs = 40_000;
const hourMs = 3_600_000;
const refreshMs = 60_000;

export const start = (config: Config): Promise<Service> =>
  startService({
    name: "auth",
    config,
    async build(service) {
      const { log, clock } = service;
      const db = await openServiceDatabase(service, { url: config.DATABASE_URL, migrations, camelCase: true });
      const secrets = config.SONDE_KEY_SIGNIN === undefined ? null : secretBox(config);
      const isAbandoned = config.SONDE_ABANDON_SECRETS;
      if (secrets !== null) await refuseUnknownKey({ db, log, secrets, texts: sealedTexts, isAbandoned });
      const bus = await service.connectBus();
      const keepAudit = () => maintainMonths(db, clock.now(), config.RETENTION_AUDIT_DAYS);
      await retryUntilReady(log, keepAudit);
      service.use(
        startLoop({ work: "audit partitions", log, everyMs: hourMs, retryMs: 10_000, clock, run: keepAudit }),
      );
      const doubt = createDoubt();
      const resolver = createResolver({ clock });
      service.use({ stop: async () => resolver.close() });
      const guard = createGuard({ denyCidrs: denied(config) });
      const deps: Deps = {
        store: createStore(db),
        bucket: openSessionBucket(bus),
        passwords: await createPasswords("auth"),
        secrets,
        factorPolicy: config.AUTH_FACTOR,
        signIn: {
          passwords: config.AUTH_PASSWORDS,
          publicUrl: config.PUBLIC_URL?.replace(/\/+$/, "") ?? null,
          environment: config.provider,
          connections: createConnections(createEgress({ resolver, guard }, clock), clock),
        },
        // An account with a password that cannot sign in would be useless.
        policy: {
          registration: config.AUTH_PASSWORDS === "on" ? config.AUTH_REGISTRATION : "closed",
          setupCode: config.AUTH_SETUP_CODE,
        },
        notifications: client(bus, notificationsContract, { timeoutMs: mailMs }),
        doubt: doubt.raise,
        clock,
        log,
      };
      await retryUntilReady(log, () => resealFactors(deps));
      await retryUntilReady(log, () => resealProviders(deps));
      const bucketSync = service.use(await startBucketSync(bus, deps, doubt));
      service.check("sessions", bucketSync.inStep);
      await service.serve(bus, authContract, endpoints(deps));
      await service.serve(bus, invitesContract, inviteEndpoints(deps));
      await service.serve(bus, keysContract, keyEndpoints(deps));
      await service.serve(bus, factorsContract, factorEndpoints(deps));
      await service.serve(bus, signInContract, signInEndpoints(deps));
      await service.serve(bus, auditContract, auditEndpoints(deps));
      service.use(startAuditIntake(bus, deps.store));
      const refreshDue = () => refreshRoles(deps);
      service.use(startLoop({ work: "provider roles", log, everyMs: refreshMs, clock, run: refreshDue }));
    },
  });

if (import.meta.main) {
  const [word, username] = process.argv.slice(2);
  if (word === recoverCommand) process.stdout.write(describeRecovered(await recoverAdmin(readDatabaseUrl(), username)));
  else await runMain("auth", () => start(readConfig()));
}
