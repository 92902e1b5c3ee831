import type { ChangedDelivery, DeliveryContext } from "./delivering.ts";
import type { ClaimedMessage } from "./claim-store.ts";
import { type MessagePart, subjectOf, templateOf } from "./compose-store.ts";
import { failDeliveries } from "./fail-store.ts";
import type { ReadyChannel } from "./ready-channel.ts";

/** Why the end of an incident is not sent if its opening was not delivered. */
const beginningFailed = "Not sent: its opening could not be delivered here";

/** The body of a message, why it is not sent at all, or the fault of our own code. */
export type ComposedMessage = { body: string } | { unsent: string } | { fault: unknown };

/**
 * Composes a message of its alerts, in its channel's own form. The end of an incident is left out if its opening failed
 * for good (`all`: its alerts): its recipients do not know of it. Rejects only if the database is unavailable.
 */
export async function compose(
  deps: DeliveryContext,
  { id, key, language, templateId }: ClaimedMessage,
  channel: ReadyChannel,
  all: readonly MessagePart[],
): Promise<ComposedMessage> {
  const parts = all.filter(({ moment, before }) => moment !== "closed" || before !== "failed");
  const [first] = parts;
  if (first === undefined) return { unsent: beginningFailed };
  const unsent = all.filter((part) => !parts.includes(part));
  if (unsent.length > 0) deps.changed(await leaveOut(deps, id, unsent));
  const template = templateId === null ? null : await templateOf(deps.db, templateId);
  const answered = answeredBy(parts);
  const isMail = channel.type.composeMail !== undefined;
  const answers = isMail && answered !== null ? await subjectOf(deps.db, answered.id) : undefined;
  try {
    const message = deps.render({
      key,
      alerts: parts.map(({ facts }) => facts),
      language,
      template,
      linksOf: deps.linksOf(channel.id),
      isTest: first.facts.kind === "test",
    });
    return { body: channel.type.compose(message, channel.config, answered?.reference, answers) };
  } catch (fault) {
    return { fault };
  }
}

function leaveOut(
  { db, clock }: DeliveryContext,
  messageId: number,
  parts: readonly MessagePart[],
): Promise<ChangedDelivery[]> {
  const ids = parts.map(({ deliveryId }) => deliveryId);
  return failDeliveries(db, messageId, { ids, nowMs: clock.now(), answer: beginningFailed });
}

/** The message that this one replies to: the one that opened all of its incidents. Null if there is none. */
function answeredBy(parts: readonly MessagePart[]): { reference: string; id: number } | null {
  const [first] = parts;
  if (first === undefined || parts.some(({ reference }) => reference !== first.reference)) return null;
  const { reference, referenceId: id } = first;
  return reference === null || id === null ? null : { reference, id };
}
