import type { Clock } from "@sonde/kit/time/clock";
import type { Database } from "@sonde/kit/postgres/database";
import type { AgentKeys } from "./keys/keys.ts";
import type { KnownThresholds } from "./state/limits.ts";
import type { Creators } from "./tokens/creators.ts";

/** What verbs take. */
export type Context = {
  db: Database;
  clock: Clock;
  keys: AgentKeys;
  creators: Creators;
  limits: Pick<KnownThresholds, "of" | "hasOwn">;
  /** A change was committed: the outbox has something, and this agent reads differently. */
  committed(agentId: number): void;
  /** The same, and settles when the bus has it, or after some seconds at most. */
  published(agentId: number): Promise<void>;
};
