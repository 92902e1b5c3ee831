import { channel, requiredText, hostAt, httpUrl, originOf } from "../channel.ts";

/** The devices of a PushDeer key, through the public or a self-hosted server. */
export const pushdeer = channel({
  type: "pushdeer",
  fields: { pushKey: requiredText(100), serverUrl: httpUrl().default("https://api2.pushdeer.com") },
  form: [
    { name: "pushKey", input: "secret", placeholder: "PDU…" },
    { name: "serverUrl", input: "url" },
  ],
  hosts: ({ serverUrl }) => hostAt("serverUrl", serverUrl),
  audience: ({ serverUrl }) => originOf(serverUrl),
});
