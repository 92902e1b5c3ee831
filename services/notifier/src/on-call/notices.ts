import type { Database } from "@sonde/kit/postgres/database";
import type { Language } from "@sonde/proto/http/messages";
import { quietUntil } from "../alerts/decide.ts";
import type { DecisionContext } from "../alerts/deciding.ts";
import type { StoredChannel } from "../channels/channels.ts";
import { giveUpAfterMs } from "../deliveries/add.ts";
import { accountChannels } from "./contacts/account-mail.ts";
import { readContacts, readDevices } from "./load.ts";
import type { UserAccount } from "./people.ts";
import type { StoredRule, Urgency } from "./recipients.ts";

/** A message to a person that is about no incident. Its text is written when it is sent. */
export type Notice = { userId: number } & (
  | { kind: "handoff"; scheduleId: number; startMs: number }
  /** `device`: name of a device that was removed. */
  | { kind: "device-removed"; device: string }
);
/** Also those to a channel. */
export type ChannelNotice = Notice | { kind: "report"; reportId: number; period: string };

type Way = "low" | "mail" | "high";

type NewNotice = {
  /** Unique: with the same key, nothing is added again. */
  key: string;
  notice: Notice;
  /** Absent if auth does not know the user at the moment. */
  person: UserAccount | undefined;
  /** Contacts of an urgency, or mail to the account's address. The first that can be used gets it. */
  ways: readonly Way[];
};

/**
 * Adds a message to a person, at the end of their night. Wake the sender after the commit. Returns whether
 * the person has a contact for it.
 */
export async function addNotice(
  trx: Database,
  { clock, readerOf }: Pick<DecisionContext, "clock" | "readerOf">,
  { key, notice, person, ways }: NewNotice,
): Promise<boolean> {
  const nowMs = Math.round(clock.now());
  const { userId } = notice;
  const own = (await readContacts(trx, [userId])).get(userId);
  const devices = (await readDevices(trx, [userId])).get(userId) ?? [];
  const channelIds = await firstUsable(trx, readerOf, async function* () {
    for (const way of ways) {
      if (way === "mail") yield person === undefined ? [] : [...(await accountChannels(trx, [person], nowMs)).values()];
      else
        for (const rule of rulesOf(own?.rules ?? [], way)) yield rule.via === "push" ? devices : [rule.channelId ?? 0];
    }
  });
  const night = own?.night ? { ...own.night, timeZone: own.timeZone } : undefined;
  const dueAtMs = (night && quietUntil(night, nowMs)) ?? nowMs;
  for (const channelId of channelIds)
    await addMessage(trx, channelId, { key: `${key}-${channelId}`, target: key, notice, nowMs, dueAtMs });
  return channelIds.length > 0;
}

type NoticeMessage = { key: string; target?: string; notice: ChannelNotice; nowMs: number; dueAtMs?: number };

/** Adds a notice for a channel once. Those with the same target are sent in order. */
export async function addMessage(
  trx: Database,
  channelId: number,
  { key, target = key, notice, nowMs, dueAtMs = nowMs }: NoticeMessage,
): Promise<void> {
  const row = {
    key,
    channelId,
    targets: [target],
    language: "en-US",
    status: "pending",
    notice: JSON.stringify(notice),
    createdAtMs: nowMs,
    dueAtMs: Math.ceil(dueAtMs),
    givesUpAtMs: Math.ceil(dueAtMs + giveUpAfterMs),
  };
  await trx("messages").insert(row).onConflict("key").ignore();
}

const rulesOf = (rules: readonly StoredRule[], urgency: Urgency): StoredRule[] =>
  rules.filter((rule) => rule.urgency === urgency).toSorted((one, other) => one.after - other.after);

/** Machines expect an incident in each message. */
async function firstUsable(
  trx: Database,
  readerOf: DecisionContext["readerOf"],
  candidates: () => AsyncIterable<number[]>,
): Promise<number[]> {
  for await (const ids of candidates()) {
    const rows = await trx("channels")
      .leftJoin("channels as through", "through.id", "channels.through_id")
      .whereRaw("channels.id = any(?) and channels.enabled and not channels.is_dead", [ids])
      .whereRaw("(channels.through_id is null or through.enabled)")
      .orderBy("channels.id")
      .select<Pick<StoredChannel, "id" | "type">[]>("channels.id", "channels.type");
    const usable = rows.filter(({ type }) => readerOf(type) === "people").map(({ id }) => id);
    if (usable.length > 0) return usable;
  }
  return [];
}

/** Returns the language that a person chose for messages to them. */
export const languageOfPerson = async (db: Database, userId: number): Promise<Language | undefined> =>
  (await readContacts(db, [userId])).get(userId)?.language;

/** Deletes old notices that were sent or failed. Until then, their keys prevent a second one. */
export const pruneNotices = (db: Database, beforeMs: number): Promise<number> =>
  db("messages")
    .whereNotNull("notice")
    .whereNot({ status: "pending" })
    .where("created_at_ms", "<", Math.round(beforeMs))
    .delete();
