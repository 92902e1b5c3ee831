import type { Database } from "@sonde/kit/postgres/database";
import type { Language } from "@sonde/proto/http/messages";
import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import { randomUUID } from "node:crypto";
import { type AlertFacts, targetKey } from "../alerts/incident.ts";
import type { AnyChannel } from "../channels/channel.ts";

export type NewDelivery = AddressedAlert & { alertId: number; channelType: ChannelTypeName; channelName: string };

const nothingWaits = { open: [], latest: new Map<string, number>() };
export const giveUpAfterMs = 24 * 3_600_000;

/**
 * Adds alerts to a channel, in order, within the transaction that decided them. For a channel that people read, the
 * first alert is due now, and those of the next 10 s share one message, due at their end. Machines and drills get
 * a message per alert. An alert that already has a delivery to the channel gets no second one. The channel stays locked until the
 * transaction ends, so lock several by ascending id. Wake the sender (`ctx.due`) after the commit.
 */
export async function addDeliveries(
  trx: Database,
  channelId: number,
  given: readonly NewDelivery[],
  nowMs: number,
): Promise<void> {
  const channel = trx("channels").where({ id: channelId }).forUpdate();
  const groupUntilMs = (await channel.first<{ until: number } | undefined>("group_until_ms as until"))?.until ?? 0;
  const alertIds = given.map(({ alertId }) => alertId);
  const added = trx("deliveries").where({ channelId }).whereRaw("alert_id = any(?)", [alertIds]);
  const known = new Set(await added.pluck<number[]>("alert_id"));
  const fresh = given.filter(({ alertId }) => !known.has(alertId));
  if (fresh.length === 0) return;
  const targets = fresh.filter(({ reader }) => reader === "people").map(({ facts }) => targetKey(facts.target));
  const waiting = targets.length > 0 ? await findWaiting(trx, channelId, targets) : nothingWaits;
  const grouped = groupAlerts(fresh, { ...waiting, groupUntilMs, nowMs });
  const messageIds = await saveMessages(trx, channelId, grouped.messages, nowMs);
  if (grouped.groupUntilMs !== groupUntilMs) {
    await trx("channels")
      .where({ id: channelId })
      .update({ groupUntilMs: Math.round(grouped.groupUntilMs) });
  }
  const rows = fresh.map(({ alertId, channelType, channelName, facts }, index) => ({
    alertId,
    messageId: messageIds[grouped.messageOf[index] ?? 0],
    channelId,
    channelType,
    channelName,
    // A drill has no target, and lists show it as a test.
    ...(facts.drill !== undefined
      ? { kind: "test" }
      : {
          kind: facts.kind,
          targetType: facts.target.type,
          targetId: facts.target.id,
          targetName: facts.target.name,
        }),
    incidentId: facts.incidentId,
    reminder: facts.reminder,
    status: "pending",
    createdAtMs: Math.round(nowMs),
  }));
  await trx("deliveries").insert(rows);
}

/** How long alerts after a channel's first are collected into one message. */
const groupMs = 10_000;
/** Maximum number of alerts in a message, since each is read again when it is rendered. */
const maxAlerts = 500;

type OpenMessage = { id: number; language: Language; templateId: number | null; alerts: number };

type GroupedMessage = {
  id: number | null;
  key: string;
  language: Language;
  templateId: number | null;
  dueAtMs: number;
  takesAlerts: boolean;
  targets: string[];
};

type WaitingMessages = {
  open: readonly OpenMessage[];
  latest: ReadonlyMap<string, number>;
};

const firstNewId = Number.MAX_SAFE_INTEGER / 2;

type AddressedAlert = {
  facts: AlertFacts;
  reader: AnyChannel["reader"];
  language: Language;
  templateId: number | null;
};

/**
 * Assigns alerts of a channel to messages. Pure.
 * @param groupUntilMs until when alerts of the channel are collected
 * @returns the messages in order, the index of each alert's message, and the new `groupUntilMs`
 */
function groupAlerts(
  alerts: readonly AddressedAlert[],
  { open, latest, groupUntilMs: untilMs, nowMs }: WaitingMessages & { groupUntilMs: number; nowMs: number },
): { messages: GroupedMessage[]; messageOf: number[]; groupUntilMs: number } {
  const messages: GroupedMessage[] = [];
  const taking = open.map((message) => ({ ...message, index: -1 }));
  const last = new Map(latest);
  let groupUntilMs = untilMs;
  const add = (message: Omit<GroupedMessage, "key" | "targets">): number =>
    messages.push({ ...message, key: randomUUID(), targets: [] }) - 1;

  const messageOf = alerts.map(({ facts, reader, language, templateId }) => {
    const target = targetKey(facts.target);
    const index =
      reader === "machine" || facts.drill !== undefined
        ? addOwn(language, templateId)
        : join(target, language, templateId);
    const message = messages[index];
    message?.targets.push(target);
    last.set(target, message?.id ?? firstNewId + index);
    return index;
  });
  return { messages, messageOf, groupUntilMs };

  function addOwn(language: Language, templateId: number | null): number {
    return add({ id: null, language, templateId, dueAtMs: nowMs, takesAlerts: false });
  }

  function join(target: string, language: Language, templateId: number | null): number {
    const found = taking.find(
      (message) =>
        message.language === language &&
        message.templateId === templateId &&
        message.alerts < maxAlerts &&
        // Otherwise a later alert about this target would be sent first.
        message.id >= (last.get(target) ?? 0),
    );
    if (found !== undefined) {
      found.alerts += 1;
      if (found.index === -1) found.index = add({ id: found.id, language, templateId, dueAtMs: 0, takesAlerts: true });
      return found.index;
    }
    if (nowMs >= groupUntilMs) {
      groupUntilMs = nowMs + groupMs;
      return addOwn(language, templateId);
    }
    const index = add({ id: null, language, templateId, dueAtMs: groupUntilMs, takesAlerts: true });
    taking.push({ id: firstNewId + index, language, templateId, alerts: 1, index });
    return index;
  }
}

/** Returns messages that accept alerts, locked against sending, and the latest message about each target. */
async function findWaiting(trx: Database, channelId: number, targets: readonly string[]): Promise<WaitingMessages> {
  const { rows: open } = await trx.raw<{ rows: OpenMessage[] }>(
    `select id, language, template_id, cardinality(targets) as alerts from messages
     where channel_id = ? and status = 'pending' and takes_alerts order by id for update`,
    [channelId],
  );
  if (open.length === 0) return { open, latest: new Map() };
  const { rows } = await trx.raw<{ rows: { target: string; id: number }[] }>(
    `select target, max(id) as id from messages cross join unnest(targets) as target
     where channel_id = ? and status = 'pending' and target = any(?) group by target`,
    [channelId, [...targets]],
  );
  return { open, latest: new Map(rows.map(({ target, id }) => [target, id])) };
}

async function saveMessages(
  trx: Database,
  channelId: number,
  messages: readonly GroupedMessage[],
  nowMs: number,
): Promise<number[]> {
  const joined = messages.filter(({ id }) => id !== null);
  if (joined.length > 0) {
    await trx.raw(
      `update messages set targets = messages.targets || joined.targets
       from jsonb_to_recordset(?::jsonb) as joined (id bigint, targets text[]) where messages.id = joined.id`,
      [JSON.stringify(joined)],
    );
  }
  const rows = messages.flatMap(({ id, dueAtMs, ...message }) => {
    if (id !== null) return [];
    const [createdAtMs, givesUpAtMs] = [Math.round(nowMs), Math.round(nowMs + giveUpAfterMs)];
    return [{ ...message, channelId, status: "pending", createdAtMs, dueAtMs: Math.round(dueAtMs), givesUpAtMs }];
  });
  const added =
    rows.length === 0 ? [] : await trx("messages").insert(rows).returning<{ id: number; key: string }[]>(["id", "key"]);
  const ids = new Map(added.map(({ id, key }) => [key, id]));
  return messages.map(({ id, key }) => id ?? ids.get(key) ?? 0);
}
