import { channel, requiredText, hostAt, httpUrl, originOf } from "./channel.ts";

/** Prometheus Alertmanager (API v2): one alert per incident. */
export const alertmanager = channel({
  type: "alertmanager",
  fields: { serverUrl: httpUrl(), username: requiredText().optional(), password: requiredText().optional() },
  form: [
    { name: "serverUrl", input: "url", placeholder: "http://alertmanager:9093" },
    { name: "username", input: "text", advanced: true },
    { name: "password", input: "secret", advanced: true },
  ],
  hosts: ({ serverUrl }) => hostAt("serverUrl", serverUrl),
  audience: ({ serverUrl }) => originOf(serverUrl),
});
