import { channel, requiredText, hostAt, httpUrl, originOf } from "../channel.ts";

/** An iPhone or iPad with Bark, through the public or a self-hosted server. */
export const bark = channel({
  type: "bark",
  fields: { deviceKey: requiredText(100), serverUrl: httpUrl().default("https://api.day.app") },
  form: [
    { name: "deviceKey", input: "secret" },
    { name: "serverUrl", input: "url" },
  ],
  hosts: ({ serverUrl }) => hostAt("serverUrl", serverUrl),
  audience: ({ serverUrl }) => originOf(serverUrl),
});
