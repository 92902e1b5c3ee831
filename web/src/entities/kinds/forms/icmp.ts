import { host, none } from "../common.ts";
import { kindForm } from "../kind-form.ts";

export const form = kindForm<"icmp">({
  name: { en: "Ping (ICMP)", zh: "Ping（ICMP）" },
  purpose: { en: "A host replies to pings", zh: "检查主机是否响应 ping" },
  group: "network",
  fields: {
    host: host("gateway.example.com"),
    count: {
      label: { en: "Pings", zh: "ping 次数" },
      hint: { en: "Per check, 1 to 10.", zh: "每次检查发送的次数，1 到 10。" },
      input: "number",
      width: "third",
      placeholder: "3",
    },
    maxLoss: {
      label: { en: "Allowed loss (%)", zh: "允许的丢包率（%）" },
      hint: { en: "Down if more pings than this get no reply.", zh: "丢包率超过此值时判定为故障。" },
      input: "number",
      width: "third",
      placeholder: "50",
    },
    maxRtt: {
      label: { en: "Maximum round trip (ms)", zh: "最长往返时间（毫秒）" },
      hint: { en: "Optional. Down if the average is higher.", zh: "选填。平均值超过此值时判定为故障。" },
      input: "number",
      width: "third",
      none,
    },
  },
});
