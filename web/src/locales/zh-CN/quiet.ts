import type * as en from "../en-US/quiet.ts";
import type { Translated } from "../catalogue.ts";

export const quiet: Translated<typeof en.quiet> = {
  snooze: "暂缓提醒",
  snoozeNote: "暂不发送此故障事件的消息",
  snoozed: "提醒已暂缓（{{end}}）",
  snoozedUntil: "提醒暂缓至",
  snoozedBy: "由 {{name}} 设置",
  endSnooze: "结束暂缓",
  snoozeEnded: "提醒已恢复",
  silence: "静默",
  silenceNote: "暂不发送有关 {{name}} 的消息",
  silenced: "{{name}} 已静默（{{end}}）",
  silencedUntil: "静默至",
  endSilence: "结束静默",
  silenceEnded: "静默已结束",
  showSilences: "全部静默",
  ends: { m30: "30 分钟", h1: "1 小时", h4: "4 小时", morning: "至 08:00" },
  span: { m30: "30 分钟", h1: "1 小时", h4: "4 小时", morning: "至 08:00" },
  list: "当前静默",
  listText: "静默结束之前，不发送有关它们的消息；检查、可用率和状态页照常。",
  tag: "标签",
};
