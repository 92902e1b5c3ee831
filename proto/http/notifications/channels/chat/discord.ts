import { channel, hostAt, secretUrl } from "../channel.ts";
import { trimmedLine } from "../../../text.ts";

/** A Discord webhook; its address is the secret. In a forum, messages go to one thread. */
export const discord = channel({
  type: "discord",
  fields: {
    webhookUrl: secretUrl(),
    threadId: trimmedLine()
      .regex(/^\d{5,25}$/, "This is not a valid ID")
      .optional(),
  },
  form: [
    { name: "webhookUrl", input: "secret", placeholder: "https://discord.com/api/webhooks/…" },
    { name: "threadId", input: "text", advanced: true },
  ],
  hosts: ({ webhookUrl }) => hostAt("webhookUrl", webhookUrl),
});
