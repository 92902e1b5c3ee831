import { trimmedLine } from "../../text.ts";
import { channel, requiredText, hostAt, httpUrl, originOf, phoneNumber } from "./channel.ts";

const recipientPattern = String.raw`(?:\+\d{5,15}|group\.[A-Za-z0-9+/=_-]{1,200}|[A-Za-z_][A-Za-z0-9_]{2,31}\.\d{2,9})`;
const areRecipients = new RegExp(`^${recipientPattern}(?: *, *${recipientPattern}){0,19}$`);

/** Signal users and groups, through a self-hosted signal-cli-rest-api. */
export const signal = channel({
  type: "signal",
  fields: {
    serverUrl: httpUrl(),
    number: phoneNumber(),
    /** Numbers, user names or group ids, separated by commas. */
    recipients: trimmedLine()
      .max(2000)
      .regex(areRecipients, "Enter phone numbers, usernames or group IDs, separated by commas"),
    username: requiredText().optional(),
    password: requiredText().optional(),
  },
  form: [
    { name: "serverUrl", input: "url", placeholder: "http://signal-api:8080" },
    { name: "number", input: "text", placeholder: "+491701234567" },
    { name: "recipients", input: "text", placeholder: "+491707654321, group.…" },
    { name: "username", input: "text", advanced: true },
    { name: "password", input: "secret", advanced: true },
  ],
  hosts: ({ serverUrl }) => hostAt("serverUrl", serverUrl),
  audience: ({ serverUrl }) => originOf(serverUrl),
});
