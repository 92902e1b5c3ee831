import { channel, requiredText, hostAt, httpUrl, originOf } from "../channel.ts";

/** The devices of a key of PushDeer, through its own server or one of one's own. */
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
