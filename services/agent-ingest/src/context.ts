import type { Cidr } from "@sonde/kit/addresses";
import type { Clock } from "@sonde/kit/time/clock";
import type { Database } from "@sonde/kit/postgres/database";
import type { Language } from "@sonde/proto/http/messages";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AgentKeys } from "./keys/keys.ts";
import type { EffectiveThresholds } from "./state/limits.ts";
import type { IntakeContext } from "./report/report.ts";

export type Context = {
  db: Database;
  clock: Clock;
  keys: AgentKeys;
  creators: Creators;
  limits: Pick<EffectiveThresholds, "of" | "hasOwn">;
  /** Sends the outbox and reloads the agent after a commit. */
  committed(agentId: number): void;
  /** Like `committed`; resolves when the bus has the change, after a few seconds at most. */
  published(agentId: number): Promise<void>;
};

export type Creators = {
  /**
   * Returns the users who were deleted, disabled, or may only read.
   * @throws AppError unavailable
   */
  gone(userIds: readonly number[]): Promise<Set<number>>;
};

export type HttpContext = Pick<Context, "db" | "clock" | "published" | "keys" | "creators"> & {
  intake: IntakeContext;
  reportsPerMinute: number;
  trustedProxies: readonly Cidr[];
};
export type Exchange = { request: IncomingMessage; response: ServerResponse; language: Language };
export type ExchangeResponse = { status: number; body: object };
