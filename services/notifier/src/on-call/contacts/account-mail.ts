import type { Database } from "@sonde/kit/postgres/database";
import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import type { UserAccount } from "../people.ts";

type MailChannel = { id: number; type: ChannelTypeName };

/** Returns the oldest channel that can send mail for users without contacts. */
export const findMailChannel = (db: Database): Promise<MailChannel | undefined> =>
  db("channels")
    .where({ enabled: true, userId: null })
    .whereIn("type", ["smtp", "resend"])
    .orderBy("id")
    .first<MailChannel | undefined>("id", "type");

/**
 * Returns for each user the channel that mails the account's address; it is created or corrected if needed. Users
 * without an address have none, and without a channel for mail nobody has.
 */
export async function accountChannels(
  trx: Database,
  people: readonly UserAccount[],
  nowMs: number,
): Promise<Map<number, number>> {
  const through = people.length === 0 ? undefined : await findMailChannel(trx);
  if (through === undefined) return new Map();
  const at = { createdAtMs: Math.round(nowMs), updatedAtMs: Math.round(nowMs) };
  const shared = { type: through.type, enabled: true, throughId: through.id, isAccount: true, ...at };
  const rows = people.flatMap(({ id, name, email }) =>
    email === undefined
      ? []
      : [{ ...shared, name: ownedName(name, "mail"), config: JSON.stringify({ to: email }), userId: id }],
  );
  if (rows.length === 0) return new Map();
  const saved = await trx("channels")
    .insert(rows)
    .onConflict(trx.raw("(user_id, through_id) where is_account"))
    .merge(["name", "config"])
    .returning<{ id: number; userId: number }[]>(["id", "user_id"]);
  return new Map(saved.map(({ id, userId }) => [userId, id]));
}

/** Name of a person's channel, as deliveries show it. */
export const ownedName = (name: string, via: string): string => `${name}${separator}${via}`;

const separator = " · ";

/** Returns the owner in the name of a person's channel. */
export const ownerIn = (name: string): string => name.split(separator).slice(0, -1).join(separator) || name;
