import { server } from "../common.ts";
import { kindForm } from "../kind-form.ts";

export const form = kindForm<"ntp">({
  name: { en: "NTP", zh: "NTP" },
  purpose: {
    en: "A time server is synchronized and its clock is correct",
    zh: "检查时间服务器是否已同步、时间是否准确",
  },
  group: "network",
  fields: {
    ...server("time.example.com", "123"),
    maxOffset: {
      label: { en: "Maximum offset (ms)", zh: "最大偏差（毫秒）" },
      hint: {
        en: "Down if its clock differs from the probe runner's by more than this.",
        zh: "与探测节点时钟的偏差超过此值时判定为故障。",
      },
      input: "number",
      width: "half",
      placeholder: "1000",
    },
  },
});
