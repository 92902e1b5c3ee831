import { channel, requiredText, hostAt, httpUrl, originOf } from "./channel.ts";

/** A PagerDuty service, with its integration key (Events API v2). */
export const pagerduty = channel({
  type: "pagerduty",
  fields: { routingKey: requiredText(100), apiBaseUrl: httpUrl().optional() },
  form: [
    { name: "routingKey", input: "secret" },
    { name: "apiBaseUrl", input: "url", placeholder: "https://events.eu.pagerduty.com", advanced: true },
  ],
  hosts: ({ apiBaseUrl }) => hostAt("apiBaseUrl", apiBaseUrl),
  audience: ({ apiBaseUrl }) => originOf(apiBaseUrl),
});
