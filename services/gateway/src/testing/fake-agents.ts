import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { AppError } from "@sonde/kit/errors";
import type { Handlers } from "@sonde/kit/bus/rpc";
import type { AgentSchema, AgentsService } from "@sonde/proto/gen/agents/v1/agents";
import type { AgentMetricsResponseSchema } from "@sonde/proto/gen/metrics/v1/metrics";

const atMs = Date.UTC(2026, 0, 31, 12);

/** The one agent that the fakes know, id 7. */
export const fakeAgent = (id: number): MessageInitShape<typeof AgentSchema> => {
  if (id !== 7) throw new AppError("not_found", "Agent with ID {id} not found", { params: { id } });
  return {
    id,
    name: "web-1",
    hostname: "web-1.example.com",
    ipAddresses: ["192.0.2.7"],
    os: "Debian GNU/Linux 13",
    version: "1.0.0",
    status: "online",
    statusSinceMs: atMs,
    lastSeenMs: atMs,
    uptimeSeconds: 86_400,
    registeredAtMs: Date.UTC(2026, 0, 2),
    duplicateKey: true,
    intervalSeconds: 15,
    createdAtMs: atMs,
    updatedAtMs: atMs,
    thresholds: { cpu: 95, disk: 90, scope: "agent" },
  };
};

export const agentHandlers: Handlers<typeof AgentsService> = {
  listAgents: async () => ({ agents: [fakeAgent(7)], total: 1 }),
  getAgent: async ({ id }) => fakeAgent(id),
  updateAgent: async ({ id, name, dependsOn }) => {
    return { ...fakeAgent(id), ...(name === undefined ? {} : { name }), dependsOn: dependsOn?.values ?? [] };
  },
  deleteAgent: async ({ id }) => (fakeAgent(id), {}),
  createToken: async () => ({ token: "a-token-that-is-told-once", expiresAtMs: atMs }),
  listTokens: async () => ({
    tokens: [{ id: 7, name: "web-2", createdBy: "ugo", createdAtMs: atMs, expiresAtMs: atMs + 86_400_000 }],
    total: 1,
  }),
  revokeToken: async ({ id }) => {
    if (id === 7) return {};
    throw new AppError("not_found", "The registration token does not exist, was used or has expired");
  },
  revokeTokensOf: async () => ({}),
  agentsSummary: async ({ worst }) => {
    const latest = {
      at: timestampFromMs(atMs),
      cpu: { usage: 12.5 },
      memory: { total: 100, used: 50, free: 50, usage: 50 },
      disks: [40, 93.2].map((usage) => ({
        device: "sda",
        mountPoint: "/",
        fsType: "ext4",
        total: 1,
        used: 1,
        free: 0,
        usage,
      })),
    };
    const agent = { ...fakeAgent(7), latest } as MessageInitShape<typeof AgentSchema>;
    return { total: 3, online: 1, connecting: 1, offline: 1, openIncidents: 1, worst: worst > 0 ? [agent] : [] };
  },
};

/** Three steps; only some have values, and in no order. */
export const fakeAgentMetrics: MessageInitShape<typeof AgentMetricsResponseSchema> = {
  fromMs: atMs,
  stepMs: 60_000,
  stepCount: 3,
  cpu: { steps: [2, 0], avg: [12.3456, 10], max: [20, 10] },
  memory: { steps: [1], avg: [50], max: [60] },
  loadOne: { steps: [0], avg: [1 / 3], max: [0.5] },
  disks: [{ mountPoint: "/", usage: { steps: [0], avg: [40], max: [40] } }],
  network: [{ interface: "eth0", receiveRate: { steps: [1], avg: [1000.4], max: [2000] } }],
};
