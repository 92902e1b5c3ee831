import { secretMask } from "../../secrets.ts";
import { channel, requiredText, hostAt, httpUrl, originOf } from "./channel.ts";

/** Part of a URL path; the mask means the stored one. */
const isKey = new RegExp(`^(?:[A-Za-z0-9_-]{1,128}|${secretMask})$`);

/** A configuration stored in an Apprise API, which forwards messages to its targets. */
export const apprise = channel({
  type: "apprise",
  fields: {
    serverUrl: httpUrl(),
    configKey: requiredText(128)
      .refine((text) => text === "" || isKey.test(text), "This value is not valid")
      .meta({ pattern: isKey.source }),
    tag: requiredText(200).optional(),
  },
  form: [
    { name: "serverUrl", input: "url", placeholder: "http://apprise:8000" },
    { name: "configKey", input: "secret" },
    { name: "tag", input: "text", advanced: true },
  ],
  hosts: ({ serverUrl }) => hostAt("serverUrl", serverUrl),
  audience: ({ serverUrl }) => originOf(serverUrl),
});
