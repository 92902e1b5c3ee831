import { channel, hostAt, secretUrl } from "../channel.ts";

/** A Slack incoming webhook; its address is the secret. */
export const slack = channel({
  type: "slack",
  fields: { webhookUrl: secretUrl() },
  form: [{ name: "webhookUrl", input: "secret", placeholder: "https://hooks.slack.com/services/…" }],
  hosts: ({ webhookUrl }) => hostAt("webhookUrl", webhookUrl),
});
