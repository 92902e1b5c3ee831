import { channel, requiredText, hostAt, originOf, secretUrl } from "./channel.ts";

/**
 * A group robot of Feishu, or of Lark with its own host; its address is a secret, and so is its key if it requires
 * signatures.
 */
export const feishu = channel({
  type: "feishu",
  fields: { webhookUrl: secretUrl(), secret: requiredText().optional() },
  form: [
    { name: "webhookUrl", input: "secret", placeholder: "https://open.feishu.cn/open-apis/bot/v2/hook/…" },
    { name: "secret", input: "secret" },
  ],
  hosts: ({ webhookUrl }) => hostAt("webhookUrl", webhookUrl),
  audience: ({ webhookUrl }) => originOf(webhookUrl),
});
