import type { Delivery } from "@sonde/proto/http/notifications/deliveries";
import type { ExplainedDecision, IncidentExplanation } from "@sonde/proto/rpc/notifications";
import { explainAnswer, nothingToSend } from "@sonde/proto/http/notifications/delivery-answers";
import { incidentText } from "@sonde/proto/http/incidents/messages";
import type { Incident, TimelineEntry } from "@sonde/proto/http/incidents/incidents";
import type { Language } from "@sonde/proto/http/messages";
import { instantOf } from "../presenters/instant.ts";
import { alertOf, nameOfAlert, whyNot } from "./words.ts";

const mostAttempts = 20;

/** Of each, decisions and deliveries: an incident that is open for months has thousands of reminders. */
const mostShown = 250;
/** The first ones are shown: the beginning matters more than its repetitions. */
const firstShown = 50;

/**
 * The channels that the notifier notified of an incident, when and how, those that it did not and why; and how many
 * entries are left out.
 */
export function notifiedEntries(
  incident: Incident,
  explained: IncidentExplanation,
  language: Language,
): { entries: TimelineEntry[]; omitted: number } {
  const decisions = endsOf(explained.decisions.toSorted((one, other) => one.at.localeCompare(other.at)));
  const deliveries = endsOf(
    explained.deliveries.toSorted((one, other) => one.createdAt.localeCompare(other.createdAt)),
  );
  const moments = [...new Set(decisions.map(({ moment }) => moment))];
  const entries = [
    ...moments.flatMap((moment) => {
      const own = decisions.filter((decision) => decision.moment === moment);
      return [...changesOf(own, language), ...alertsOf(incident, own, language)];
    }),
    ...withoutRepeats(decisions).flatMap((decision) => notSentEntry(incident, decision, language)),
    ...deliveries.map((delivery) => deliveryEntry(delivery, language)),
  ];
  const known = explained.decisions.length + explained.deliveries.length;
  return { entries, omitted: known - decisions.length - deliveries.length };
}

const endsOf = <Item>(items: readonly Item[]): Item[] =>
  items.length <= mostShown ? [...items] : [...items.slice(0, firstShown), ...items.slice(firstShown - mostShown)];

/** The reason why a channel is left out is shown once, not again at each reminder. */
function withoutRepeats(decisions: readonly ExplainedDecision[]): ExplainedDecision[] {
  const said = new Set<string>();
  return decisions.filter(({ moment, outcome, channelId, reason }) => {
    const key = `${channelId} ${outcome} ${reason}`;
    const isRepeat = moment.startsWith("reminder") && outcome === "skipped" && said.has(key);
    said.add(key);
    return !isRepeat;
  });
}

/** The start and end of flapping, from the decisions about them, whichever channels they concern. */
function changesOf(decisions: readonly ExplainedDecision[], language: Language): TimelineEntry[] {
  const at = decisions.map((decision) => decision.at).toSorted()[0] ?? "";
  switch (decisions[0]?.moment.split(":")[0]) {
    case "flapping":
      return [
        {
          at,
          type: "flapping",
          text: incidentText("It goes up and down: the incident stays open until it is stable again", language),
        },
      ];
    case "steady":
      return [
        { at, type: "steady", text: incidentText("It no longer goes up and down, but is still not well", language) },
      ];
    default:
      return [];
  }
}

/** One entry for all channels that are notified of a moment at the same time. */
function alertsOf(incident: Incident, decisions: readonly ExplainedDecision[], language: Language): TimelineEntry[] {
  const sent = decisions.filter(({ outcome }) => outcome === "sent");
  return [...new Set(sent.map(({ at }) => at))].map((at) => {
    const own = sent.filter((decision) => decision.at === at);
    const { kind, reminder } = alertOf(incident, own[0]?.moment ?? "");
    const channels = own.map(({ channelId, channelName }) => channelName || `#${channelId}`).join(", ");
    const alert = nameOfAlert(kind, reminder, language);
    return {
      at,
      type: "alert",
      kind,
      text: incidentText("“{alert}” goes to {channels}", language, { alert, channels }),
    };
  });
}

function notSentEntry(incident: Incident, decision: ExplainedDecision, language: Language): TimelineEntry[] {
  if (decision.outcome === "sent") return [];
  const { channelId, channelName } = decision;
  return [
    {
      at: decision.at,
      type: "not_sent",
      text: whyText(incident, decision, channelId === undefined ? undefined : channelName, language),
      channelId,
      channelName: channelId === undefined ? undefined : channelName,
      kind: alertOf(incident, decision.moment).kind,
      reason: decision.reason,
      heldUntil: deferredUntil(decision),
    },
  ];
}

/** When what is held is looked at again, where that is known. */
export const deferredUntil = ({ outcome, until }: ExplainedDecision): string | undefined =>
  outcome === "held" ? until : undefined;

/** Why a channel, or without one any channel, was or was not notified of a moment. */
export function whyText(
  incident: Incident,
  { moment, reason, parentName }: ExplainedDecision,
  channel: string | undefined,
  language: Language,
): string {
  const { kind, reminder } = alertOf(incident, moment);
  const alert = nameOfAlert(kind, reminder, language);
  if (reason === "sent")
    return incidentText("“{alert}” goes to {channels}", language, { alert, channels: channel ?? "" });
  const parent = parentName || incidentText("what it depends on", language);
  const { [channel === undefined ? "nobody" : "channel"]: message } = whyNot[reason];
  return incidentText(message, language, { alert, parent, channel: channel ?? "" });
}

function deliveryEntry(delivery: Delivery, language: Language): TimelineEntry {
  const last = delivery.attempts.at(-1);
  return {
    at: last === undefined ? delivery.createdAt : instantOf(Date.parse(last.at) + last.durationMs),
    type: "delivery",
    text: deliveryText(delivery, language),
    channelId: delivery.channelId,
    channelName: delivery.channelName,
    deliveryId: delivery.id,
    status: delivery.status,
    kind: delivery.kind,
    detail: last?.answer || undefined,
    attempts: delivery.attempts.slice(-mostAttempts),
  };
}

/** What became of a delivery, in words. */
export function deliveryText(delivery: Delivery, language: Language): string {
  const { status, attempts, channelName: channel } = delivery;
  const count = attempts.length;
  const alert = nameOfAlert(delivery.kind, delivery.reminder ?? 0, language);
  const last = attempts.at(-1)?.answer ?? "";
  const said = explainAnswer(last, language);
  const answer = said || incidentText("the answer is not known", language);
  switch (status) {
    case "delivered":
      // No request was sent to PagerDuty, so "delivered" would be wrong for such a reminder.
      if (last === nothingToSend)
        return incidentText("“{alert}” was not sent to {channel}: PagerDuty reminds by its own rules", language, {
          alert,
          channel,
        });
      return count > 1
        ? incidentText("“{alert}” was delivered to {channel} at attempt {count}", language, { alert, channel, count })
        : incidentText("“{alert}” was delivered to {channel}", language, { alert, channel });
    case "failed":
      return count > 1
        ? incidentText("“{alert}” was not delivered to {channel} in {count} attempts: {answer}", language, {
            alert,
            channel,
            count,
            answer,
          })
        : incidentText("“{alert}” was not delivered to {channel}: {answer}", language, { alert, channel, answer });
    case "pending":
      return count === 0
        ? incidentText("“{alert}” waits to be sent to {channel}", language, { alert, channel })
        : incidentText("“{alert}” is not delivered to {channel} yet, and is tried again: {answer}", language, {
            alert,
            channel,
            answer,
          });
  }
}
