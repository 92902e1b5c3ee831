import { channel, requiredText, hostAt, httpUrl, mailRecipients, mailSender, originOf } from "./channel.ts";

/** Mail through Resend's HTTP API. */
export const resend = channel({
  type: "resend",
  fields: {
    apiKey: requiredText(),
    from: mailSender(),
    to: mailRecipients(50),
    apiBaseUrl: httpUrl().optional(),
  },
  form: [
    { name: "apiKey", input: "secret", placeholder: "re_…" },
    { name: "from", input: "text", placeholder: "Sonde <alerts@example.com>" },
    { name: "to", input: "text", placeholder: "ops@example.com" },
    { name: "apiBaseUrl", input: "url", placeholder: "https://api.resend.com", advanced: true },
  ],
  hosts: ({ apiBaseUrl }) => hostAt("apiBaseUrl", apiBaseUrl),
  audience: ({ apiBaseUrl }) => originOf(apiBaseUrl),
});
