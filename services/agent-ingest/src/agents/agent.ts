import type { AgentStatus } from "@sonde/proto/http/agents";

/** What an agent says of itself when it registers. */
export type Registered = {
  name: string;
  hostname: string;
  ipAddresses: string[];
  os: string;
  version: string;
  intervalMs: number;
};

/** An agent as it is stored. */
export type StoredAgent = Registered & {
  id: number;
  status: AgentStatus;
  statusSinceMs: number;
  revision: number;
  createdAtMs: number;
  updatedAtMs: number;
  /** When two machines were last seen to report by its key. */
  duplicateKeyAtMs: number | null;
  /** When incidents of it were last held back. */
  incidentsHeldBackAtMs: number | null;
};
