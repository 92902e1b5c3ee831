import { AppError } from "@sonde/kit/errors";
import type { Handlers } from "@sonde/kit/bus/rpc";

import type { agentsContract, KnownAgent } from "@sonde/proto/rpc/agents";
import type { AgentSeries } from "@sonde/proto/rpc/metrics";

const atMs = Date.UTC(2026, 0, 31, 12);

const at = new Date(atMs).toISOString();

/** The only agent of the fakes, id 7. */
export const fakeAgent = (id: number): KnownAgent => {
  if (id !== 7) throw new AppError("not_found", "Agent with ID {id} not found", { params: { id } });
  return {
    id,
    name: "web-1",
    hostname: "web-1.example.com",
    ipAddresses: ["192.0.2.7"],
    os: "Debian GNU/Linux 13",
    version: "1.0.0",
    status: "online",
    statusSince: at,
    lastSeen: at,
    uptime: 86_400,
    registeredAt: "2026-01-02T00:00:00.000Z",
    duplicateKey: true,
    interval: 15,
    dependsOn: [],
    tags: ["eu"],
    createdAt: at,
    updatedAt: at,
    thresholds: { cpu: 95, memory: null, disk: 90, scope: "agent" },
  };
};

export const agentHandlers: Handlers<typeof agentsContract> = {
  listAgents: async () => ({ agents: [fakeAgent(7)], total: 1, restIds: [] }),
  listAgentTags: async () => ({ tags: [{ name: "eu", agents: 1 }], more: false }),
  getAgent: async ({ id }) => fakeAgent(id),
  updateAgent: async ({ id, name, tags = [], dependsOn = [] }) => {
    return { ...fakeAgent(id), ...(name === undefined ? {} : { name }), tags, dependsOn };
  },
  deleteAgent: async ({ id }) => (fakeAgent(id), {}),
  createToken: async () => ({ token: "a-token-that-is-told-once", expiresAt: at }),
  listTokens: async () => ({
    tokens: [{ id: 7, name: "web-2", createdBy: "ugo", createdAt: at, expiresAt: "2026-02-01T12:00:00.000Z" }],
    total: 1,
  }),
  revokeToken: async ({ id }) => {
    if (id === 7) return {};
    throw new AppError("not_found", "The registration token does not exist, has expired or was already used");
  },
  revokeTokensOf: async () => ({}),
  agentsSummary: async ({ worst }) => {
    const latest = {
      at,
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
    const agent = { ...fakeAgent(7), latest };
    return { total: 3, online: 1, connecting: 1, offline: 1, openIncidents: 1, worst: worst > 0 ? [agent] : [] };
  },
};

const none = { steps: [], avg: [], max: [] };
/** Three steps, with gaps and unordered. */
export const fakeAgentMetrics: AgentSeries = {
  fromMs: atMs,
  stepMs: 60_000,
  stepCount: 3,
  cpu: { steps: [2, 0], avg: [12.3456, 10], max: [20, 10] },
  memory: { steps: [1], avg: [50], max: [60] },
  loadOne: { steps: [0], avg: [1 / 3], max: [0.5] },
  loadFive: none,
  loadFifteen: none,
  disks: [
    {
      mountPoint: "/",
      usage: { steps: [0], avg: [40], max: [40] },
      inodes: { steps: [0], avg: [12.5], max: [13] },
    },
    { mountPoint: "/btrfs", usage: { steps: [0], avg: [40], max: [40] } },
  ],
  network: [{ interface: "eth0", receiveRate: { steps: [1], avg: [1000.4], max: [2000] }, sendRate: none }],
};
