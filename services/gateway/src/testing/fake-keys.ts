import type { Handlers } from "@sonde/kit/bus/rpc";
import type { ApiKey } from "@sonde/proto/http/keys";
import type { auditContract } from "@sonde/proto/rpc/audit";
import type { keysContract } from "@sonde/proto/rpc/keys";

const at = "2026-11-20T00:00:00.000Z";
const key: ApiKey = {
  id: 7,
  name: "CI",
  prefix: "sonde_abcdef",
  scopes: ["read"],
  allowFrom: [],
  owner: { id: 2, username: "ugo" },
  createdAt: at,
  createdBy: "ugo",
};
const account = { id: 8, username: "grafana", role: "viewer", createdAt: at, keys: 1 } as const;

export const keyHandlers: Handlers<typeof keysContract> = {
  listKeys: async () => ({ keys: [key] }),
  createKey: async ({ name }) => ({ key: { ...key, name }, secret: "sonde_secret" }),
  updateKey: async ({ name }) => ({ ...key, name }),
  deleteKey: async () => ({}),
  rotateKey: async () => ({ key, secret: "sonde_secret" }),
  markKeysUsed: async () => ({}),
  listServiceAccounts: async () => ({ accounts: [account] }),
  createServiceAccount: async ({ name }) => ({ ...account, username: name }),
  deleteServiceAccount: async () => ({}),
};

export const auditHandlers: Handlers<typeof auditContract> = {
  listEntries: async () => ({ entries: [], total: 0 }),
  pageEntries: async () => ({ entries: [], more: false }),
  listEdits: async () => ({ edits: [] }),
  recordExport: async () => ({}),
};
