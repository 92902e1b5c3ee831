import type { Client } from "@sonde/kit/bus/rpc";
import { type Database, orUnavailable } from "@sonde/kit/postgres/database";
import type { Afterwards } from "@sonde/kit/postgres/idempotency";
import type { Passwords } from "@sonde/kit/passwords";
import type { SecretBox } from "@sonde/kit/secrets";
import type { Log } from "@sonde/kit/service/log";
import type { TimerClock } from "@sonde/kit/time/clock";
import type { agentsContract } from "@sonde/proto/rpc/agents";
import type { incidentsContract } from "@sonde/proto/rpc/incidents";
import type { monitorsContract } from "@sonde/proto/rpc/monitors";
import type { metricsContract } from "@sonde/proto/rpc/metrics";
import type { notificationsContract } from "@sonde/proto/rpc/notifications";
import type { StatusConfig } from "@sonde/proto/http/status/config";
import type { DisplayNames } from "./collect/targets.ts";

/** The services that the page is made from. */
export type PageSources = {
  monitors: Client<typeof monitorsContract>;
  agents: Client<typeof agentsContract>;
  /** A call names the producer that it asks as its `scope`. */
  incidents: Client<typeof incidentsContract>;
  metrics: Client<typeof metricsContract>;
  notifications: Client<typeof notificationsContract>;
};

/** What verbs take. */
export type Context = {
  db: Database;
  clock: TimerClock;
  log: Log;
  secrets: SecretBox;
  passwords: Passwords;
  sources: PageSources;
  /** Base of links, without a trailing slash; null if not configured. */
  publicUrl: string | null;
  /**
   * Display names of what a page of this configuration shows: last known, else requested from the services. Unknown names are
   * left out.
   */
  namesOf(config: StatusConfig, slug?: string): Promise<DisplayNames>;
  /** The outbox has something to send. */
  committed(): void;
  /** What all pages list, or one of them, was changed: it is rendered again soon. */
  changed(slug?: string): void;
  /** A mail may be due: wakes the hand-over to the notifier. */
  mailDue(): void;
};

/** The context of a verb that runs within a transaction: its hooks wait for the commit. */
export const within = (ctx: Context, db: Database, afterwards: Afterwards): Context => ({
  ...ctx,
  db,
  committed: afterwards(ctx.committed),
  changed: afterwards(ctx.changed),
  mailDue: afterwards(ctx.mailDue),
});

/**
 * Runs a change in one transaction; what was published, mailed or shown follows it after the commit.
 * @throws AppError `unavailable` while PostgreSQL is
 */
export async function changing<Result>(
  ctx: Context,
  change: (trx: Database, nowMs: number) => Promise<Result>,
): Promise<Result> {
  const result = await orUnavailable(() => ctx.db.transaction((trx) => change(trx, ctx.clock.now())));
  ctx.committed();
  ctx.changed();
  ctx.mailDue();
  return result;
}
