import { channel, requiredText, hostAt, httpUrl, originOf } from "../channel.ts";

/** A Gotify application. */
export const gotify = channel({
  type: "gotify",
  fields: { serverUrl: httpUrl(), token: requiredText() },
  form: [
    { name: "serverUrl", input: "url", placeholder: "https://gotify.example.com" },
    { name: "token", input: "secret" },
  ],
  hosts: ({ serverUrl }) => hostAt("serverUrl", serverUrl),
  audience: ({ serverUrl }) => originOf(serverUrl),
});
