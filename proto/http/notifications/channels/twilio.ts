import { trimmedLine } from "../../text.ts";
import { channel, requiredText, hostAt, httpUrl, originOf, phoneNumber } from "./channel.ts";

/** SMS through Twilio, with the account's token or an API key. */
export const twilio = channel({
  type: "twilio",
  fields: {
    accountSid: trimmedLine().regex(/^AC[0-9a-fA-F]{32}$/, "This is not a valid ID"),
    authToken: requiredText(),
    /** A number, a messaging service, or an alphanumeric name if the country allows it. */
    from: trimmedLine().regex(
      /^(?:\+\d{5,15}|\d{3,6}|MG[0-9a-fA-F]{32}|[A-Za-z0-9 ]{1,11})$/,
      "This is not a valid sender",
    ),
    to: phoneNumber(),
    apiKeySid: trimmedLine()
      .regex(/^SK[0-9a-fA-F]{32}$/, "This is not a valid ID")
      .optional(),
    apiBaseUrl: httpUrl().optional(),
  },
  form: [
    { name: "accountSid", input: "text", placeholder: "AC…" },
    { name: "authToken", input: "secret" },
    { name: "from", input: "text", placeholder: "+15005550006" },
    { name: "to", input: "text", placeholder: "+15558675310" },
    { name: "apiKeySid", input: "text", placeholder: "SK…", advanced: true },
    { name: "apiBaseUrl", input: "url", placeholder: "https://api.twilio.com", advanced: true },
  ],
  hosts: ({ apiBaseUrl }) => hostAt("apiBaseUrl", apiBaseUrl),
  audience: ({ apiBaseUrl }) => originOf(apiBaseUrl),
});
