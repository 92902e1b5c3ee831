import type { monitorDetail as words } from "../en-US/monitor-detail.ts";
import type { Translated } from "../catalogue.ts";

export const monitorDetail: Translated<typeof words> = {
  failedOnce: "{{attempts}} 次中已有 {{attempt}} 次失败，正在重新检查…",
  attempt: "尝试",
  attemptOf: "第 {{attempt}} 次，共 {{attempts}} 次",
  stateDiffers: {
    paused: "监控已暂停：状态不会改变。",
    flapping: "状态反复变化：连续两次检查成功后恢复正常。",
    locations: "这是 {{location}} 的结果。监控状态仍为“{{status}}”：由多数探测位置决定。",
    undecided: "监控状态暂时仍为“{{status}}”：由接下来的检查决定。",
  },
};
