import { host, none } from "../common.ts";
import { kindForm } from "../kind-form.ts";

export const form = kindForm<"icmp">({
  name: { en: "Ping (ICMP)", zh: "Ping（ICMP）" },
  purpose: { en: "A host answers pings", zh: "检查主机是否应答 ping" },
  group: "network",
  fields: {
    host: host("gateway.example.com"),
    count: {
      label: { en: "Pings", zh: "ping 次数" },
      hint: { en: "Sent by each check, 1 to 10.", zh: "每次检查发送的次数，1 到 10。" },
      input: "number",
      width: "third",
      placeholder: "3",
    },
    maxLoss: {
      label: { en: "Loss allowed (%)", zh: "允许的丢包率（%）" },
      hint: { en: "Down when more of them have no reply.", zh: "无应答的比例超过此值时判定为故障。" },
      input: "number",
      width: "third",
      placeholder: "50",
    },
    maxRtt: {
      label: { en: "Longest round trip (ms)", zh: "最长往返时间（毫秒）" },
      hint: { en: "Optional. Down when the average takes longer.", zh: "选填。平均值超过此值时判定为故障。" },
      input: "number",
      width: "third",
      none,
    },
  },
});
