import { type Bus, connectBus } from "@sonde/kit/bus/connect";
import type { Service } from "@sonde/kit/service/lifecycle";
import { silentLog } from "@sonde/kit/service/log";
import { type Client, client } from "@sonde/kit/bus/rpc";
import { startNats } from "@sonde/embedded/nats";
import { incidentsContract } from "@sonde/proto/rpc/incidents";
import { agentsContract } from "@sonde/proto/rpc/agents";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../config.ts";
import { start } from "../main.ts";

type ServiceResponse = { status: number; headers: Headers; body: Record<string, unknown> };
export type Replica = Service & { url: string };
export type Post = { key?: string; type?: string; headers?: Record<string, string> };

export type AgentsTestbed = {
  bus: Bus;
  agents: Client<typeof agentsContract>;
  incidents: Client<typeof incidentsContract>;
  schema: string;
  natsUrl: string;
  environment: NodeJS.ProcessEnv;
  start(): Promise<Replica>;
  /** Posts to `replica`, by default the newest. */
  post(path: string, body: unknown, options?: Post, replica?: Replica): Promise<ServiceResponse>;
  report(key: string, body: unknown, replica?: Replica): Promise<ServiceResponse>;
  register(more?: Record<string, unknown>, replica?: Replica): Promise<{ id: number; key: string }>;
  stopBus(): Promise<{ back(): Promise<void> }>;
  stop(): Promise<void>;
};

export async function openTestbed(databaseUrl: string, more: NodeJS.ProcessEnv = {}): Promise<AgentsTestbed> {
  const dataDir = await mkdtemp(join(tmpdir(), "sonde-agents-"));
  let nats = await startNats({ dataDir });
  const bus = await connectBus({ url: nats.url, name: "test", log: silentLog, shrink: 4 });
  const schema = `agents_${randomUUID().replace(/[^a-f]/g, "")}`;
  const replicas: Replica[] = [];
  const environment = {
    NATS_URL: nats.url,
    DATABASE_URL: databaseUrl,
    SONDE_LOCAL: "1",
    LOG_LEVEL: "silent",
    AGENT_INGEST_PORT: "0",
    ...more,
  };
  // Generous, for busy machines.
  const agents = client(bus, agentsContract, { timeoutMs: 30_000 });
  const incidents = client(bus, incidentsContract, { timeoutMs: 30_000, scope: "agents" });

  const post: AgentsTestbed["post"] = async (path, body, { key, type = "application/json", headers } = {}, replica) => {
    const response = await fetch((replica ?? replicas.at(-1))?.url + path, {
      method: "POST",
      headers: {
        "content-type": type,
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...headers,
      },
      body:
        typeof body === "string" || body instanceof Uint8Array
          ? (body as RequestInit["body"] & {})
          : JSON.stringify(body),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as ServiceResponse["body"],
    };
  };

  return {
    bus,
    agents,
    incidents,
    schema,
    natsUrl: nats.url,
    environment,
    start: async () => {
      const service = await start(readConfig(environment), schema);
      const replica: Replica = {
        url: `http://127.0.0.1:${service.address.port}`,
        stop: async () => {
          replicas.splice(replicas.indexOf(replica), 1);
          await service.stop();
        },
      };
      replicas.push(replica);
      return replica;
    },
    post,
    report: (key, body, replica) => post("/agent/v1/report", body, { key }, replica),
    register: async (given = {}, replica) => {
      const { token } = await agents.createToken({});
      const answer = await post("/agent/v1/register", { ...registration(token), ...given }, {}, replica);
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
      return { id: Number(answer.body["agentId"]), key: String(answer.body["key"]) };
    },
    stopBus: async () => {
      await nats.stop();
      return { back: async () => void (nats = await startNats({ dataDir, port: nats.port })) };
    },
    stop: async () => {
      await Promise.all([...replicas].map((replica) => replica.stop()));
      await bus.close();
      await nats.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export const registration = (token: string) => ({
  token,
  hostname: "web-1",
  ipAddresses: ["192.0.2.7", "2001:db8::7"],
  os: "Debian 12",
  version: "1.2.3",
  interval: 10,
});

export const sampleOf = (more: Record<string, unknown> = {}) => ({
  at: new Date().toISOString(),
  cpu: { usage: 12.5, cores: 4, model: "a processor" },
  memory: { total: 1000, used: 300, free: 100, usage: 30, available: 700 },
  disks: [{ device: "/dev/sda1", mountPoint: "/", fsType: "ext4", total: 100, used: 40, free: 60, usage: 40 }],
  network: [
    {
      interface: "eth0",
      receiveRate: 10,
      sendRate: 5,
      received: 1000,
      sent: 500,
      packetsReceived: 10,
      packetsSent: 5,
    },
  ],
  load: { one: 0.5, five: 0.4, fifteen: 0.3 },
  uptime: 3600,
  ...more,
});
