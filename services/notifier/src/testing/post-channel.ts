import type { AnyChannel } from "../channels/channel.ts";
import type { MailContent } from "@sonde/proto/rpc/notifications";
import type { ChannelMessage } from "../messages/message.ts";

export function postTo({ onAnswer = () => {} }: { onAnswer?: () => void } = {}): AnyChannel {
  return {
    type: "ntfy",
    reader: "machine",
    budgets: () => [],
    compose: ({ alerts }) => alerts.map(({ kind, target }) => `${kind} ${target.id}`).join(", "),
    composeMail: ({ to }) => `mail to ${to}`,
    send: async ({ egress, body, key, config, signal }) => {
      const url = String(Object(config)["serverUrl"]);
      try {
        const { statusCode } = await egress.request({ method: "POST", url, headers: { key }, body, signal });
        onAnswer();
        return { outcome: "delivered", statusCode, answer: "ok" };
      } catch (error) {
        return { outcome: "retry", answer: error instanceof Error ? error.message : "" };
      }
    },
  };
}

export const mailContent: MailContent = {
  to: "reader@example.com",
  subject: "Payments fail",
  text: "We are looking at it.",
  html: "",
  headers: [],
};

export const plainMessage = ({
  key,
  language,
  alerts,
  isTest,
}: Pick<ChannelMessage, "key" | "language" | "alerts" | "isTest">): ChannelMessage => ({
  key,
  language,
  alerts,
  isTest,
  tone: "bad",
  title: "",
  text: "",
  fields: [],
  entries: [],
  links: [],
  footer: "Sonde",
  atMs: 0,
});
