import { channel, requiredText, hostAt, httpUrl, originOf } from "../channel.ts";

/** A Pushover user or group, with an application token. */
export const pushover = channel({
  type: "pushover",
  fields: {
    userKey: requiredText(100),
    apiToken: requiredText(100),
    device: requiredText(200).optional(),
    apiBaseUrl: httpUrl().optional(),
  },
  form: [
    { name: "userKey", input: "secret" },
    { name: "apiToken", input: "secret" },
    { name: "device", input: "text", advanced: true },
    { name: "apiBaseUrl", input: "url", placeholder: "https://api.pushover.net", advanced: true },
  ],
  hosts: ({ apiBaseUrl }) => hostAt("apiBaseUrl", apiBaseUrl),
  audience: ({ apiBaseUrl }) => originOf(apiBaseUrl),
});
