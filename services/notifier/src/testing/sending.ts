import type { AlertKind } from "@sonde/proto/http/incidents/alerts";
import type { ChannelConfig, ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import type { Language } from "@sonde/proto/http/messages";
import type { AlertFacts } from "../alerts/incident.ts";
import type { Channel, SendOutcome } from "../channels/channel.ts";
import type { ChannelMessage } from "../messages/message.ts";
import { renderMessage } from "../messages/render.ts";
import { sampleFacts } from "../messages/sample.ts";
import { testEgress } from "./egress.ts";

type MessageOptions = { language?: Language; isTest?: boolean; count?: number } & Partial<AlertFacts>;

export function messageOf(
  kind: AlertKind,
  { language = "en-US", isTest = false, count = 1, ...facts }: MessageOptions = {},
): ChannelMessage {
  const alert = { ...sampleFacts(kind, language, Date.now()), incidentId: "m12", ...facts };
  const alerts = Array.from({ length: count }, (_, index) =>
    index === 0 ? alert : { ...alert, incidentId: `m${12 + index}` },
  );
  const linksOf = (id: string) => ({
    incidentUrl: `https://sonde.example.com/incidents/${id}`,
    acknowledgeUrl: "https://sonde.example.com/acknowledge?token=v1.abc",
  });
  return renderMessage({ key: "msg_1", alerts, language, linksOf, isTest });
}

export async function sendOnce<Type extends ChannelTypeName>(
  channel: Channel<Type>,
  config: ChannelConfig<Type>,
  message: ChannelMessage,
  { atMs = Date.now(), signal = AbortSignal.timeout(5000) } = {},
): Promise<SendOutcome> {
  const body = channel.compose(message, config, undefined);
  return channel.send({ body, config, key: message.key, atMs, egress: testEgress, signal });
}

const long = "🦉👩‍👩‍👧‍👦漢字".repeat(1500);
export const hostile = `</font><b>x</b> [a](http://evil.example) *_~\`#> <@all> {{name}} "\\ \u202e ${long}`;

export const hostileMessage = (language: Language, count = 1): ChannelMessage =>
  messageOf("down", {
    language,
    count,
    target: { type: "monitor", id: 1, name: hostile },
    cause: hostile,
    address: hostile,
    tags: Array.from({ length: 50 }, () => hostile),
    locations: [hostile],
    note: `${hostile}\n`.repeat(20),
    dependents: { names: Array.from({ length: 50 }, () => hostile), count: 5000 },
  });
