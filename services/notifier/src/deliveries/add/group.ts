import type { Language } from "@sonde/proto/http/messages";
import { randomUUID } from "node:crypto";
import type { AlertFacts } from "../../alerts/alert.ts";
import { targetKey } from "../../alerts/incident.ts";
import type { AnyChannel } from "../../channels/channel.ts";

/** How long alerts after the first of a channel are collected into one message. */
const groupMs = 10_000;
/** The most alerts that share a message: each is read again when the message is composed. */
const mostAlerts = 500;

/** A message that was not tried yet, and that alerts may join. */
export type OpenMessage = { id: number; language: Language; templateId: number | null; alerts: number };

/** A message as alerts are added to it: one that is there (`id`), or a new one. */
export type GroupedMessage = {
  id: number | null;
  key: string;
  language: Language;
  templateId: number | null;
  dueAtMs: number;
  takesAlerts: boolean;
  /** Of the added alerts: `monitor:12`. */
  targets: string[];
};

/** What waits to be sent to a channel. */
export type WaitingMessages = {
  /** Oldest first. */
  open: readonly OpenMessage[];
  /** By target the id of the last message about it. */
  latest: ReadonlyMap<string, number>;
};

/** New messages are after all existing ones. */
const firstNewId = Number.MAX_SAFE_INTEGER / 2;

export type AddressedAlert = {
  facts: AlertFacts;
  reader: AnyChannel["reader"];
  language: Language;
  templateId: number | null;
};

/**
 * Which message carries which alert of a channel. Pure.
 * @param groupUntilMs until when alerts of the channel are collected
 * @returns the messages in order, the index of each alert's message among them, and until when alerts are collected then
 */
export function groupAlerts(
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
    const index = reader === "machine" ? addOwn(language, templateId) : join(target, language, templateId);
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
        message.alerts < mostAlerts &&
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
