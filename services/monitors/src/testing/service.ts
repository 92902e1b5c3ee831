import { create, toBinary } from "@bufbuild/protobuf";
import { calloutIssuer } from "@sonde/kit/bus/callout";
import { newUserPasswords } from "@sonde/kit/bus/nats-users";
import { deriveKeys, type ServiceKeys } from "@sonde/kit/secret-keys";
import { type Bus, connectBus } from "@sonde/kit/bus/connect";
import type { Service } from "@sonde/kit/service/lifecycle";
import { silentLog } from "@sonde/kit/service/log";
import { type Client, client, serve } from "@sonde/kit/bus/rpc";
import { type CheckResult, CheckResultSchema, ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import { incidentsContract } from "@sonde/proto/rpc/incidents";
import { monitorsContract } from "@sonde/proto/rpc/monitors";
import { probesContract } from "@sonde/proto/rpc/probes";
import type { z } from "zod";
import { presentCheck } from "@sonde/domain/check-result";
import { partitionOf, runnerGroup, subjects } from "@sonde/proto/subjects";
import { startNats } from "@sonde/embedded/nats";
import { joinGroup } from "@sonde/kit/sharding/group";
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../config.ts";
import { start } from "../main.ts";

export const uniqueSchema = () => `monitors_${randomUUID().replace(/[^a-f]/g, "")}`;
const secretKey = randomBytes(32).toString("base64");

export type RunCheck = z.output<(typeof probesContract)["methods"]["runCheck"]["input"]>;
export type ResultFields = Partial<Omit<CheckResult, "$typeName" | "$unknown">>;

export type MonitorsTestbed = {
  bus: Bus;
  /** Address of the bus, without a user. */
  natsUrl: string;
  /** The keys of the service. */
  keys: ServiceKeys;
  schema: string;
  monitors: Client<typeof monitorsContract>;
  incidents: Client<typeof incidentsContract>;
  start(changes?: NodeJS.ProcessEnv): Promise<Service>;
  /** Publishes results like a runner; resolves when they are stored. */
  publish(...results: ResultFields[]): Promise<void>;
  /** Starts a runner that responds with the results of `answer` and publishes manual results. */
  serveProbes(location: string, answer: (request: RunCheck) => ResultFields): Promise<Service>;
  /** Stops the bus, and deletes its data if `wiped`; `back` starts it again at the same address. */
  stopBus(options?: { wiped: boolean }): Promise<{ back(): Promise<void> }>;
  stop(): Promise<void>;
};

/** @param withUsers the bus has users with the permissions of `proto/permissions.ts`, and lets remote runners connect */
export async function openTestbed(
  databaseUrl: string,
  environment: NodeJS.ProcessEnv = {},
  { withUsers = false } = {},
): Promise<MonitorsTestbed> {
  const dataDir = await mkdtemp(join(tmpdir(), "sonde-monitors-"));
  const keys = deriveKeys(secretKey);
  const users = newUserPasswords(["default"]);
  const issuer = calloutIssuer(keys.SONDE_KEY_CALLOUT).publicKey;
  let nats = await startNats({ dataDir, ...(withUsers && { password: "admin", users, issuer }) });
  const natsUrl = `nats://127.0.0.1:${nats.port}`;
  // Monitors may respond to the gateway.
  const user = withUsers ? "gateway" : undefined;
  const bus = await connectBus({ url: nats.url, name: "test", user, log: silentLog, shrink: 4 });
  const schema = uniqueSchema();
  const services: Service[] = [];
  const given = {
    NATS_URL: withUsers ? `nats://monitors:${users.monitors}@127.0.0.1:${nats.port}` : nats.url,
    DATABASE_URL: databaseUrl,
    ...keys,
    SONDE_LOCAL: "1",
    LOG_LEVEL: "silent",
    ...environment,
  };

  const publish: MonitorsTestbed["publish"] = async (...given) => {
    const results = given.map((one) => create(CheckResultSchema, { location: "default", ...one }));
    const bySubject = Map.groupBy(results, (one) => subjects.results(partitionOf(one.monitorId), one.location));
    for (const [subject, own] of bySubject) {
      const batch = {
        results: own.filter(({ confirms }) => confirms === undefined),
        opinions: own.filter(({ confirms }) => confirms !== undefined),
      };
      await bus.js.publish(subject, toBinary(ResultBatchSchema, create(ResultBatchSchema, batch)));
    }
  };

  // A live runner that runs no checks.
  const runner = await joinGroup({ bus, group: runnerGroup("default"), log: silentLog, listenMs: 0 });
  return {
    bus,
    natsUrl,
    keys,
    schema,
    // Generous, for busy machines.
    monitors: client(bus, monitorsContract, { timeoutMs: 30_000 }),
    incidents: client(bus, incidentsContract, { timeoutMs: 30_000, scope: "monitors" }),
    start: async (changes = {}) => {
      const service = await start(readConfig({ ...given, ...changes }), schema);
      services.push(service);
      return {
        stop: async () => {
          services.splice(services.indexOf(service), 1);
          await service.stop();
        },
      };
    },
    publish,
    serveProbes: async (location, answer) => {
      const served = await serve(
        bus,
        probesContract,
        {
          runCheck: async (request) => {
            const atMs = Date.now();
            const { monitorId, version, confirms } = request;
            const fields = {
              monitorId,
              version,
              confirms,
              location,
              slotMs: atMs,
              startedAtMs: atMs,
              manual: true,
              attempt: 1,
            };
            const result = { ...create(CheckResultSchema, fields), ...answer(request) };
            if (monitorId !== 0) await publish(result);
            return presentCheck(result);
          },
        },
        { scope: location },
      );
      const membership = await joinGroup({ bus, group: runnerGroup(location), log: silentLog, listenMs: 0 });
      return {
        stop: async () => {
          await served.stop();
          await membership.leave();
        },
      };
    },
    stopBus: async ({ wiped } = { wiped: false }) => {
      await nats.stop();
      if (wiped) await rm(join(dataDir, "jetstream"), { recursive: true, force: true });
      return { back: async () => void (nats = await startNats({ dataDir, port: nats.port })) };
    },
    stop: async () => {
      await runner.leave();
      await Promise.all(services.splice(0).map((service) => service.stop()));
      await bus.close();
      await nats.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
