import { channel, hostAt, secretUrl } from "../channel.ts";

/** A webhook of a space in Google Chat; its address holds a key and a token. */
export const googlechat = channel({
  type: "googlechat",
  fields: { webhookUrl: secretUrl() },
  form: [
    { name: "webhookUrl", input: "secret", placeholder: "https://chat.googleapis.com/v1/spaces/…/messages?key=…" },
  ],
  hosts: ({ webhookUrl }) => hostAt("webhookUrl", webhookUrl),
});
