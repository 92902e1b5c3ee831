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
  /** Base of links in messages, without a trailing slash; `null` for no links. */
  publicUrl: string | null;
  /** Hosts of push services, in addition to the browsers' own. */
  pushServices: readonly string[];
  /** Notifies the outbox relay of new rows. */
  committed(): void;
  /** Wakes the sender, because a message may be due. */
  due(): void;
};
