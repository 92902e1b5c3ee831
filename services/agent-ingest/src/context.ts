import type { Cidr } from "@sonde/kit/addresses";
import type { Clock } from "@sonde/kit/time/clock";
import type { Database } from "@sonde/kit/postgres/database";
import type { Language } from "@sonde/proto/http/messages";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AgentKeys } from "./keys/keys.ts";
import type { KnownThresholds } from "./state/limits.ts";
import type { IntakeContext } from "./report/report.ts";

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

/** Whether the users who made tokens may still make some. */
export type Creators = {
  /**
   * Those of these users who were deleted, disabled, or may only read.
   * @throws AppError unavailable
   */
  gone(userIds: readonly number[]): Promise<Set<number>>;
};

/** What requests of agents are answered with. */
export type HttpContext = Pick<Context, "db" | "clock" | "published" | "keys" | "creators"> & {
  intake: IntakeContext;
  reportsPerMinute: number;
  trustedProxies: readonly Cidr[];
};
export type Exchange = { request: IncomingMessage; response: ServerResponse; language: Language };
export type ExchangeResponse = { status: number; body: object };
