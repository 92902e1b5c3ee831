import { channel, requiredText, hostAt, originOf, secretUrl } from "./channel.ts";

/** A DingTalk group robot; its address is a secret, and so is its key if it requires signatures. */
export const dingtalk = channel({
  type: "dingtalk",
  fields: { webhookUrl: secretUrl(), secret: requiredText().optional() },
  form: [
    { name: "webhookUrl", input: "secret", placeholder: "https://oapi.dingtalk.com/robot/send?access_token=…" },
    { name: "secret", input: "secret" },
  ],
  hosts: ({ webhookUrl }) => hostAt("webhookUrl", webhookUrl),
  audience: ({ webhookUrl }) => originOf(webhookUrl),
});
