import type { EgressGuard } from "@sonde/kit/egress/guard";
import type { Database } from "@sonde/kit/postgres/database";
import type { SecretBox } from "@sonde/kit/secrets";
import type { Log } from "@sonde/kit/service/log";
import type { TimerClock } from "@sonde/kit/time/clock";

export type Context = {
  db: Database;
  clock: TimerClock;
  log: Log;
  secrets: SecretBox;
  guard: EgressGuard;
  /** What links in messages begin with, without a slash at its end; null: messages have none. */
  publicUrl: string | null;
  /** The outbox has something to send. */
  committed(): void;
  /** A message may be due: wakes the sender. */
  due(): void;
};
