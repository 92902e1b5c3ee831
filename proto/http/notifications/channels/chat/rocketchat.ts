import { channel, hostAt, secretUrl } from "../channel.ts";

/** A Rocket.Chat incoming webhook; its address is the secret. */
export const rocketchat = channel({
  type: "rocketchat",
  fields: { webhookUrl: secretUrl() },
  form: [{ name: "webhookUrl", input: "secret", placeholder: "https://chat.example.com/hooks/…/…" }],
  hosts: ({ webhookUrl }) => hostAt("webhookUrl", webhookUrl),
});
