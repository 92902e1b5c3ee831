import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { incidentText } from "@sonde/proto/http/incidents/messages";
import type { Language } from "@sonde/proto/http/messages";
import type { NotificationChannel } from "@sonde/proto/http/notifications/channels";
import type { IncidentExplanation } from "@sonde/proto/rpc/notifications";
import { deliveryText, deferredUntil, whyText } from "./notified.ts";

/** Why one channel was, or was not, notified of an incident, in one sentence. */
export type ChannelAnswer = { channelId: number; channelName: string; told: boolean; text: string; heldUntil?: string };

/** The answer for every existing channel, and for deleted ones with decisions. */
export function channelAnswers(
  incident: Incident,
  explained: IncidentExplanation,
  channels: readonly Pick<NotificationChannel, "id" | "name">[],
  language: Language,
): ChannelAnswer[] {
  const names = new Map(channels.map(({ id, name }) => [id, name]));
  for (const { channelId, channelName } of [...explained.decisions, ...explained.deliveries]) {
    if (channelId !== undefined && !names.has(channelId)) names.set(channelId, channelName || `#${channelId}`);
  }
  return [...names].map(([id, name]) => answerOf(incident, explained, { id, name }, language));
}

function answerOf(
  incident: Incident,
  { decisions, deliveries }: IncidentExplanation,
  channel: { id: number; name: string },
  language: Language,
): ChannelAnswer {
  const answer = { channelId: channel.id, channelName: channel.name };
  const own = deliveries
    .filter(({ channelId }) => channelId === channel.id)
    .toSorted((one, other) => one.createdAt.localeCompare(other.createdAt) || one.id - other.id);
  // The first that was delivered counts; if there is none, the first gives the reason.
  const delivered = own.find(({ status }) => status === "delivered");
  const delivery = delivered ?? own[0];
  if (delivery !== undefined) {
    return { ...answer, told: delivered !== undefined, text: deliveryText(delivery, language) };
  }
  const about = decisions.filter(({ channelId }) => channelId === undefined || channelId === channel.id);
  const decision = about.find(({ moment }) => moment === "opened") ?? about[0];
  if (decision !== undefined) {
    const text = whyText(incident, decision, channel.name, language);
    return { ...answer, told: false, text, heldUntil: deferredUntil(decision) };
  }
  const nothing = decisions.length === 0;
  const text = nothing
    ? "No decision about notifications is recorded for this incident"
    : "The notification settings do not include this channel";
  return { ...answer, told: false, text: incidentText(text, language) };
}
