import { type Bus, connectBus } from "@sonde/kit/bus/connect";
import { createGuard } from "@sonde/kit/egress/guard";
import { createEgress } from "@sonde/kit/egress/requests";
import { createResolver } from "@sonde/kit/egress/resolver";
import { secretBox } from "@sonde/kit/secrets";
import { systemClock } from "@sonde/kit/time/clock";
import { silentLog } from "@sonde/kit/service/log";
import { type Database, openDatabase } from "@sonde/kit/postgres/database";
import { type Actor, type Client, client } from "@sonde/kit/bus/rpc";
import { type EmbeddedServer, startNats } from "@sonde/embedded/nats";
import { authContract } from "@sonde/proto/rpc/auth";
import { invitesContract } from "@sonde/proto/rpc/invites";
import { factorsContract } from "@sonde/proto/rpc/factors";
import { notificationsContract } from "@sonde/proto/rpc/notifications";
import { signInContract } from "@sonde/proto/rpc/sign-in";
import { buckets } from "@sonde/proto/streams";
import { randomUUID } from "node:crypto";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { inject, vi } from "vitest";
import { migrations } from "../../migrations/index.ts";
import { readConfig } from "../config.ts";
import { type Deps, createStore } from "../context.ts";
import { start } from "../main.ts";
import { createConnections } from "../oidc/connection.ts";
import { createPasswords } from "@sonde/kit/passwords";
import { openSessionBucket } from "../sessions/bucket.ts";
import { hashToken } from "../sessions/sessions.ts";

const signInKey = { SONDE_KEY_SIGNIN: Buffer.alloc(32, 7).toString("base64") };
export const password = "correct horse battery";

/** An auth service with its own database and bus. */
export type TestAuth = {
  auth: Client<typeof authContract>;
  factors: Client<typeof factorsContract>;
  invites: Client<typeof invitesContract>;
  signIn: Client<typeof signInContract>;
  bus: Bus;
  databaseUrl: string;
  db: Database;
  nats: EmbeddedServer;
  /** The service's connection to the database; the test's own `db` is separate. */
  way: { cut(): void; restore(): void };
  signInDeps(): Promise<Deps>;
  startAnother(): Promise<{ stop(): Promise<void> }>;
  inBucket(token: string): Promise<boolean>;
  stop(): Promise<void>;
};

/** The service's parts on the test's own connections, for what no call reaches. */
export async function depsOf({ db, bus }: Pick<TestAuth, "db" | "bus">): Promise<Deps> {
  return {
    store: createStore(db),
    bucket: openSessionBucket(bus),
    passwords: await createPasswords("auth"),
    factorPolicy: "off",
    policy: { registration: "open", setupCode: undefined },
    signIn: {
      passwords: "on",
      publicUrl: null,
      environment: null,
      connections: { connect: () => Promise.reject(new Error("there is no provider")), fetch },
    },
    secrets: null,
    notifications: client(bus, notificationsContract),
    doubt: () => {},
    clock: systemClock,
    log: silentLog,
  };
}

export async function startAuth(environment: Record<string, string> = {}): Promise<TestAuth> {
  const nats = await startNats();
  const name = `auth_${randomUUID().replaceAll("-", "")}`;
  const url = new URL(inject("databaseUrl"));
  const admin = await openDatabase({ url: url.href, schema: "auth_tests", migrations: {}, log: silentLog });
  await admin.raw("create database ??", [name]);
  url.pathname = `/${name}`;
  const config = readConfig({
    DATABASE_URL: url.href,
    NATS_URL: nats.url,
    LOG_LEVEL: "silent",
    ...signInKey,
    ...environment,
  });
  const way = await cuttableDatabase(url.href);
  const service = await start({ ...config, DATABASE_URL: way.url });
  const bus = await connectBus({ url: nats.url, name: "test", log: silentLog, streams: [], buckets: [] });
  const db = await openDatabase({ url: url.href, schema: "auth", migrations, log: silentLog, camelCase: true });
  const others: { stop(): Promise<void> }[] = [];
  return {
    // Tests may run on a busy machine.
    auth: client(bus, authContract, { timeoutMs: 30_000 }),
    factors: client(bus, factorsContract, { timeoutMs: 30_000 }),
    invites: client(bus, invitesContract, { timeoutMs: 30_000 }),
    signIn: client(bus, signInContract, { timeoutMs: 30_000 }),
    bus,
    databaseUrl: url.href,
    db,
    nats,
    way,
    signInDeps: async () => ({
      ...(await depsOf({ db, bus })),
      secrets: secretBox(config),
      signIn: {
        passwords: "on",
        publicUrl: null,
        environment: null,
        connections: createConnections(createEgress({ resolver: createResolver(), guard: createGuard() })),
      },
    }),
    startAnother: async () => {
      const other = await start(config);
      others.push(other);
      return other;
    },
    inBucket: async (token) => {
      const entry = await (await bus.kv(buckets.sessions)).get(hashToken(token));
      return entry?.operation === "PUT";
    },
    stop: async () => {
      await bus.close();
      await Promise.all([service, ...others].map((running) => running.stop()));
      way.close();
      await db.destroy();
      await admin.raw("drop database ?? with (force)", [name]);
      await admin.destroy();
      await nats.stop();
    },
  };
}

/** A database URL whose connections can be cut. */
export async function cuttableDatabase(
  url: string,
): Promise<{ url: string; cut(): void; restore(): void; close(): void }> {
  const target = new URL(url);
  const open = new Set<Socket>();
  let whole = true;
  const server = createServer((near) => {
    if (!whole) return near.destroy();
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => [near, far].forEach((end) => end.destroy()));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const way = new URL(url);
  way.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cut = () => {
    whole = false;
    for (const socket of open) socket.destroy();
    open.clear();
  };
  return {
    url: way.href,
    cut,
    restore: () => void (whole = true),
    close: () => {
      cut();
      server.close();
    },
  };
}

/** Resolves when this many statements wait for a lock. */
export async function waitForLocks({ db }: Pick<TestAuth, "db">, count: number): Promise<void> {
  const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await vi.waitFor(
    async () => {
      const { rows } = await db.raw(waiting);
      if (rows.length < count) throw new Error(`${rows.length} of ${count} statements wait`);
    },
    { timeout: 30_000, interval: 20 },
  );
}

export const as = (user: { id: number; username: string; role: string }) => ({ call: { actor: user as Actor } });

let addresses = 0;
/** Unique per file, so that limits do not interfere. */
export const freshAddress = (): string => `198.51.${Math.floor(++addresses / 250)}.${(addresses % 250) + 1}`;

export async function join({ auth }: Pick<TestAuth, "auth">, username: string) {
  const user = await auth.register({ username, password, address: freshAddress() });
  return { user, actor: as(user) };
}

export async function enter({ auth }: Pick<TestAuth, "auth">, username: string, secret = password) {
  const { token = "" } = await auth.login({ username, password: secret, address: freshAddress() });
  return { token, tokenHash: hashToken(token) };
}
