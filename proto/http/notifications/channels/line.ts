import { trimmedLine } from "../../text.ts";
import { channel, requiredText, hostAt, httpUrl, originOf } from "./channel.ts";

/** A LINE user, group or room, with the token of an official account (Messaging API). */
export const line = channel({
  type: "line",
  fields: {
    channelAccessToken: requiredText(1000),
    to: trimmedLine().regex(/^[UCR][0-9a-f]{32}$/, "This is not a valid ID"),
    apiBaseUrl: httpUrl().optional(),
  },
  form: [
    { name: "channelAccessToken", input: "secret" },
    { name: "to", input: "text", placeholder: "U…" },
    { name: "apiBaseUrl", input: "url", placeholder: "https://api.line.me", advanced: true },
  ],
  hosts: ({ apiBaseUrl }) => hostAt("apiBaseUrl", apiBaseUrl),
  audience: ({ apiBaseUrl }) => originOf(apiBaseUrl),
});
