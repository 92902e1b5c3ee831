import { channel, hostAt, secretUrl } from "../channel.ts";

/** A Google Chat space webhook; its address contains a key and a token. */
export const googlechat = channel({
  type: "googlechat",
  fields: { webhookUrl: secretUrl() },
  form: [
    { name: "webhookUrl", input: "secret", placeholder: "https://chat.googleapis.com/v1/spaces/…/messages?key=…" },
  ],
  hosts: ({ webhookUrl }) => hostAt("webhookUrl", webhookUrl),
});
