import { channel, hostAt, secretUrl } from "../channel.ts";

/** A Mattermost incoming webhook; its address is the secret. */
export const mattermost = channel({
  type: "mattermost",
  fields: { webhookUrl: secretUrl() },
  form: [{ name: "webhookUrl", input: "secret", placeholder: "https://mattermost.example.com/hooks/…" }],
  hosts: ({ webhookUrl }) => hostAt("webhookUrl", webhookUrl),
});
