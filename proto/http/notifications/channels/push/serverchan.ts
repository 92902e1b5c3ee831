import { secretMask } from "../../../secrets.ts";
import { channel, requiredText, hostAt, httpUrl, originOf } from "../channel.ts";

/** Turbo or ³, whose key contains the user; the mask means the stored one. */
const isSendKey = new RegExp(String.raw`^(?:SCT[A-Za-z0-9]+|sctp\d+t[A-Za-z0-9]+|${secretMask})$`);

/** ServerChan, which forwards to WeChat and other apps. */
export const serverchan = channel({
  type: "serverchan",
  fields: {
    sendKey: requiredText(200)
      .refine((text) => text === "" || isSendKey.test(text), "This is not a valid SendKey")
      .meta({ pattern: isSendKey.source }),
    apiBaseUrl: httpUrl().optional(),
  },
  form: [
    { name: "sendKey", input: "secret", placeholder: "SCT…" },
    { name: "apiBaseUrl", input: "url", placeholder: "https://sctapi.ftqq.com", advanced: true },
  ],
  hosts: ({ apiBaseUrl }) => hostAt("apiBaseUrl", apiBaseUrl),
  audience: ({ apiBaseUrl }) => originOf(apiBaseUrl),
});
