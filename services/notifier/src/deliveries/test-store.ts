import type { Database } from "@sonde/kit/postgres/database";
import type { Language } from "@sonde/proto/http/messages";
import type { AlertFacts } from "../alerts/alert.ts";
import type { StoredChannel } from "../channels/stored-channel.ts";
import type { ClaimedMessage } from "./claim-store.ts";

export type TestDelivery = {
  channel: Pick<StoredChannel, "id" | "type" | "name">;
  facts: AlertFacts;
  language: Language;
  key: string;
  lease: string;
  nowMs: number;
  leaseUntilMs: number;
  givesUpAtMs: number;
  /** Why it is not sent at all; null: its attempt begins now. */
  unsent: string | null;
};

/** A delivery of a test, claimed by its caller; if it is not sent it has already failed. */
export async function insertTest(
  trx: Database,
  test: TestDelivery,
): Promise<{ deliveryId: number; message: ClaimedMessage }> {
  const { channel, facts, language, key, lease, unsent } = test;
  const [nowMs, givesUpAtMs] = [Math.round(test.nowMs), Math.round(test.givesUpAtMs)];
  const { rows } = await trx.raw<{ rows: { deliveryId: number; messageId: number }[] }>(
    `with alert as (
       insert into alerts (moment, kind, facts, created_at_ms) values ('test', 'test', :facts::jsonb, :nowMs) returning id
     ), message as (
       insert into messages
         (key, channel_id, targets, language, status, created_at_ms, due_at_ms, gives_up_at_ms, attempts, lease,
          lease_until_ms, settled_at_ms)
       values (:key, :channelId, '{}', :language, :status, :nowMs, :nowMs, :givesUpAtMs, 1, :lease, :leaseUntilMs,
         :settledAtMs)
       returning id
     ), begun as (
       insert into attempts (message_id, number, started_at_ms, ended_at_ms, answer)
       select id, 1, :nowMs::bigint, :settledAtMs::bigint, :answer from message
     )
     insert into deliveries
       (alert_id, message_id, channel_id, channel_type, channel_name, kind, status, created_at_ms)
     select alert.id, message.id, :channelId, :channelType, :channelName, 'test', :status, :nowMs from alert, message
     returning id as "deliveryId", message_id as "messageId"`,
    {
      facts: JSON.stringify(facts),
      nowMs,
      key,
      channelId: channel.id,
      channelType: channel.type,
      channelName: channel.name,
      language,
      status: unsent === null ? "pending" : "failed",
      givesUpAtMs,
      lease: unsent === null ? lease : null,
      leaseUntilMs: unsent === null ? Math.round(test.leaseUntilMs) : null,
      settledAtMs: unsent === null ? null : nowMs,
      answer: unsent ?? "",
    },
  );
  const [made] = rows;
  if (made === undefined) throw new Error("a test got no delivery");
  const message: ClaimedMessage = {
    id: made.messageId,
    key,
    language,
    templateId: null,
    body: null,
    attempts: 1,
    lease,
    createdAtMs: nowMs,
    givesUpAtMs,
    startedAtMs: nowMs,
  };
  return { deliveryId: made.deliveryId, message };
}
