import { channel, hostAt, secretUrl } from "./channel.ts";

/** A WeCom group robot; its address is the secret. */
export const wecom = channel({
  type: "wecom",
  fields: { webhookUrl: secretUrl() },
  form: [
    { name: "webhookUrl", input: "secret", placeholder: "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=…" },
  ],
  hosts: ({ webhookUrl }) => hostAt("webhookUrl", webhookUrl),
});
