import type { Database } from "@sonde/kit/postgres/database";
import { openSecrets } from "@sonde/domain/sealed-config";
import { secretContexts } from "@sonde/kit/secrets";
import type { ChannelConfig } from "@sonde/proto/http/notifications/channel-types";
import type { StoredChannel } from "../channels/channels.ts";
import { telegramApi } from "../channels/telegram-api.ts";
import type { Context } from "../context.ts";
import { budgetKey } from "../deliveries/delivery-context.ts";

export type Bot = { key: string; api: string };

/** PostgreSQL's clock, since clocks of processes differ. */
const nowMs = "(extract(epoch from clock_timestamp()) * 1000)::bigint";
/** Longer than a request for taps takes. */
const leaseMs = 40_000;

export function botOf(config: ChannelConfig<"telegram">): Bot {
  const api = telegramApi(config);
  return { key: budgetKey("telegram", api), api };
}

/** Returns the bots of all enabled channels, by key. */
export async function listBots({ db, secrets: box }: Pick<Context, "db" | "secrets">): Promise<Map<string, Bot>> {
  const channels = await db("channels").where({ type: "telegram", enabled: true }).select<StoredChannel[]>("config");
  const bots = channels.flatMap(({ config: sealed }) => {
    try {
      const config = openSecrets({ box, context: secretContexts.channel }, sealed) as ChannelConfig<"telegram">;
      // A person's own contact has no token: the channel that sends for it has.
      return config.botToken === undefined ? [] : [botOf(config)];
    } catch {
      return [];
    }
  });
  return new Map(bots.map((bot) => [bot.key, bot]));
}

/** Takes or renews the lease of a bot. Returns whether this process has it. */
export async function takeLease(db: Database, key: string, lease: string): Promise<boolean> {
  const { rows } = await db.raw<{ rows: unknown[] }>(
    `insert into telegram_bots as bot (key, lease, lease_until_ms) values (:key, :lease, ${nowMs} + ${leaseMs})
     on conflict (key) do update set lease = excluded.lease, lease_until_ms = excluded.lease_until_ms
     where bot.lease = excluded.lease or not bot.lease_until_ms between ${nowMs} and ${nowMs} + ${leaseMs}
     returning key`,
    { key, lease },
  );
  return rows.length > 0;
}

export async function setWorks(db: Database, key: string, works: boolean): Promise<void> {
  await db("telegram_bots").where({ key }).whereNot({ works }).update({ works });
}

/** Ends all leases of this process. */
export async function endLeases(db: Database, lease: string): Promise<void> {
  await db("telegram_bots").where({ lease }).update({ leaseUntilMs: 0 });
}

/** Returns whether a process receives the taps of a channel's bot. */
export async function isPolled(db: Database, config: ChannelConfig<"telegram">): Promise<boolean> {
  const { rows } = await db.raw<{ rows: unknown[] }>(
    `select from telegram_bots where key = ? and works and lease_until_ms > ${nowMs}`,
    [botOf(config).key],
  );
  return rows.length > 0;
}
