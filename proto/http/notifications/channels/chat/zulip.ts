import { trimmedLine } from "../../../text.ts";
import { channel, requiredText, hostAt, httpUrl, mailAddress, originOf } from "../channel.ts";

/** A topic in a Zulip channel, with a bot of the organisation. */
export const zulip = channel({
  type: "zulip",
  fields: {
    serverUrl: httpUrl(),
    botEmail: trimmedLine().max(320).regex(mailAddress, "Please enter a valid email address"),
    apiKey: requiredText(),
    channel: requiredText(60),
    topic: requiredText(60).default("Sonde"),
  },
  form: [
    { name: "serverUrl", input: "url", placeholder: "https://example.zulipchat.com" },
    { name: "botEmail", input: "text", placeholder: "sonde-bot@example.zulipchat.com" },
    { name: "apiKey", input: "secret" },
    { name: "channel", input: "text", placeholder: "alerts" },
    { name: "topic", input: "text" },
  ],
  hosts: ({ serverUrl }) => hostAt("serverUrl", serverUrl),
  audience: ({ serverUrl }) => originOf(serverUrl),
});
