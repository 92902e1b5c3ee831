import type { AgentStatus } from "@sonde/proto/http/agents/agents";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";

/** What an agent reports about itself when it registers. */
export type RegisteredHost = {
  name: string;
  hostname: string;
  ipAddresses: string[];
  os: string;
  version: string;
  intervalMs: number;
};

/** What people may change of an agent. */
export type EditableFields = {
  name: string;
  /** What its host needs in order to work. */
  dependsOn: TargetRef[];
};

/** An agent as it is stored. */
export type StoredAgent = RegisteredHost &
  EditableFields & {
    id: number;
    status: AgentStatus;
    statusSinceMs: number;
    revision: number;
    createdAtMs: number;
    updatedAtMs: number;
    /** When two machines were last seen to report by its key. */
    duplicateKeyAtMs: number | null;
    /** When incidents of it were last deferred. */
    incidentsHeldBackAtMs: number | null;
  };
