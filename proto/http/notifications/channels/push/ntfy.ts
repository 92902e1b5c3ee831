import { trimmedLine } from "../../../text.ts";
import { channel, requiredText, hostAt, httpUrl, originOf } from "../channel.ts";

/** A topic on ntfy.sh or a self-hosted ntfy server. */
export const ntfy = channel({
  type: "ntfy",
  fields: {
    serverUrl: httpUrl().default("https://ntfy.sh"),
    topic: trimmedLine().regex(/^[-_A-Za-z0-9]{1,64}$/, "This is not a valid topic"),
    token: requiredText().optional(),
  },
  form: [
    { name: "topic", input: "text", placeholder: "sonde-alerts" },
    { name: "serverUrl", input: "url" },
    { name: "token", input: "secret", advanced: true },
  ],
  hosts: ({ serverUrl }) => hostAt("serverUrl", serverUrl),
  audience: ({ serverUrl }) => originOf(serverUrl),
});
