import type { monitorDetail as words } from "../en-US/monitor-detail.ts";
import type { Translated } from "../catalogue.ts";

export const monitorDetail: Translated<typeof words> = {
  failedOnce: "{{attempts}} 次中已有 {{attempt}} 次失败，正在重新检查…",
  attempt: "尝试",
  attemptOf: "第 {{attempt}} 次，共 {{attempts}} 次",
  stateDiffers: {
    paused: "监控已暂停：状态不会改变。",
    flapping: "状态抖动：连续两次检查成功后恢复正常。",
    locations: "这是 {{location}} 的结果。监控状态仍为“{{status}}”：由多数探测位置决定。",
    undecided: "监控状态暂时仍为“{{status}}”：由接下来的检查决定。",
  },
  figures: { p50: "p50", p95: "p95", failures: "失败次数", coverage: "覆盖率" },
  shortRange: { "1h": "1 小时", "24h": "24 小时", "7d": "7 天", "30d": "30 天" },
  against: "与前 {{range}}相比",
  points: "{{value}} 个百分点",
  daysOf: "按 {{zone}} 的日期",
  chartView: "图表内容",
  percentiles: "百分位",
  phases: "各阶段",
  phasesLabel: "最近 {{range}}平均每次检查的各阶段",
  noPhases: "该时段没有各阶段的数据",
  peak: "（最高 {{value}}，超出图表）",
  failedOnly: "仅显示失败",
  noFailures: "已保留的检查中没有失败",
  showMore: "显示更多",
  details: "详情",
  detailsOf: "{{when}} 的检查详情",
  failuresInRow: "连续失败次数",
  due: "计划时间",
  lateness: "延迟启动",
};
