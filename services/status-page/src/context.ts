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

export type PageSources = {
  monitors: Client<typeof monitorsContract>;
  agents: Client<typeof agentsContract>;
  /** Calls specify the producer as `scope`. */
  incidents: Client<typeof incidentsContract>;
  metrics: Client<typeof metricsContract>;
  notifications: Client<typeof notificationsContract>;
};

export type Context = {
  db: Database;
  clock: TimerClock;
  log: Log;
  secrets: SecretBox;
  passwords: Passwords;
  sources: PageSources;
  /** Base of links, without a trailing slash; `null` if not configured. */
  publicUrl: string | null;
  /** Returns display names for a configuration: cached, or queried from the services. Unknown names are left out. */
  namesOf(config: StatusConfig, slug?: string): Promise<DisplayNames>;
  /** Notifies the outbox relay of new rows. */
  committed(): void;
  /** Renders all pages, or one of them, soon. */
  changed(slug?: string): void;
  /** Wakes the hand-over to the notifier, because a mail may be due. */
  mailDue(): void;
};

/** Returns a context within a transaction, whose callbacks wait for the commit. */
export const within = (ctx: Context, db: Database, afterwards: Afterwards): Context => ({
  ...ctx,
  db,
  committed: afterwards(ctx.committed),
  changed: afterwards(ctx.changed),
  mailDue: afterwards(ctx.mailDue),
});

/** Runs a change in one transaction; publishing and mails follow. @throws AppError `unavailable` */
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
