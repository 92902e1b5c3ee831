import { fill, type MessageParams } from "../fill.ts";
import type { Language } from "../messages.ts";

/**
 * The server's texts about an incident: its timeline, and why a channel was, or was not, notified. As in `messages`,
 * the English text is the key and the value the same sentence in zh-CN; in a file of their own, since the web app does
 * not use them.
 */
export const incidentMessages = {
  // Kinds of alerts, as the sentences below name them.
  Down: "故障",
  Recovered: "恢复",
  Offline: "离线",
  "Online again": "重新上线",
  "Above the threshold": "超过阈值",
  "Below the threshold again": "回到阈值以下",
  "No data": "无数据",
  "Data again": "数据恢复",
  "Down from some locations": "部分位置故障",
  "Up from every location again": "各位置均已恢复",
  Flapping: "状态抖动",
  "Stable again": "恢复稳定",
  Test: "测试",
  "{alert}, reminder": "{alert}（提醒）",
  "{alert}, reminder {number}": "{alert}（第 {number} 次提醒）",

  // What happened to the target.
  "Check failed ({location})": "检查失败（{location}）",
  "Check failed ({location}): {reason}": "检查失败（{location}）：{reason}",
  "Re-check failed ({location}): {reason}": "重试后仍失败（{location}）：{reason}",
  "{count} re-checks failed ({location}), the last one: {reason}":
    "重试 {count} 次均失败（{location}），最后一次：{reason}",
  "Second opinion ({location}): it is up": "复核（{location}）：正常",
  "Second opinion ({location}): {reason}": "复核（{location}）：{reason}",
  "The incident opened: {cause}": "事件开始：{cause}",
  "It goes up and down: the incident stays open until it is stable again": "状态抖动：恢复稳定之前，事件保持进行中",
  "It no longer goes up and down, but is still not well": "状态不再抖动，但仍未恢复正常",
  "{name} acknowledged it": "{name} 已确认",
  "{name} acknowledged it: {note}": "{name} 已确认：{note}",
  "{name} removed the acknowledgement": "{name} 撤销了确认",
  "{name} snoozed it": "{name} 暂缓了提醒",
  "{name} ended the snooze": "{name} 恢复了提醒",
  "It recovered, and the incident closed": "已恢复，事件关闭",
  "The incident closed: the monitor was paused": "监控被暂停，事件关闭",
  "The incident closed: its target was deleted": "目标被删除，事件关闭",
  "The incident closed: the settings of its target changed": "目标的设置被修改，事件关闭",

  // The notified channels.
  "Alerting {channels}: {alert}": "正在通知 {channels}：{alert}",
  "“{alert}” was delivered to {channel}": "“{alert}”已送达 {channel}",
  "“{alert}” was delivered to {channel} at attempt {count}": "“{alert}”在第 {count} 次尝试时送达 {channel}",
  "“{alert}” was not delivered to {channel}: {answer}": "“{alert}”未能送达 {channel}：{answer}",
  "“{alert}” was not delivered to {channel} in {count} attempts: {answer}":
    "“{alert}”经 {count} 次尝试仍未能送达 {channel}：{answer}",
  "“{alert}” was not sent to {channel}: PagerDuty reminds by its own rules":
    "“{alert}”未发送至 {channel}：PagerDuty 按自己的规则提醒",
  "“{alert}” waits to be sent to {channel}": "“{alert}”等待发送至 {channel}",
  "“{alert}” is not delivered to {channel} yet, and is tried again: {answer}":
    "“{alert}”尚未送达 {channel}，将继续重试：{answer}",
  "the answer is not known": "结果未知",

  // Why it was not sent, or is deferred: once for a channel, once without any.
  "“{alert}” is held for {channel} until the maintenance ends": "维护期间，“{alert}”暂不发送至 {channel}",
  "“{alert}” is held until the maintenance ends": "维护期间，“{alert}”暂不发送",
  "“{alert}” is held for {channel} until the silence ends": "静默期间，“{alert}”暂不发送至 {channel}",
  "“{alert}” is held until the silence ends": "静默期间，“{alert}”暂不发送",
  "“{alert}” is held for {channel} until the snooze ends": "暂缓提醒期间，“{alert}”暂不发送至 {channel}",
  "“{alert}” is held until the snooze ends": "暂缓提醒期间，“{alert}”暂不发送",
  "“{alert}” is held for {channel} until the quiet hours end": "免打扰时段内，“{alert}”暂不发送至 {channel}",
  "“{alert}” is held until the quiet hours end": "免打扰时段内，“{alert}”暂不发送",
  "“{alert}” is held for {channel} while {parent} has an incident":
    "{parent} 的事件尚未结束，“{alert}”暂不发送至 {channel}",
  "“{alert}” is held while {parent} has an incident": "{parent} 的事件尚未结束，“{alert}”暂不发送",
  "what it depends on": "所依赖的目标",
  "“{alert}” was not sent to {channel}: its notifications are switched off":
    "“{alert}”未发送至 {channel}：该目标的通知已关闭",
  "“{alert}” was not sent: its notifications are switched off": "“{alert}”未发送：该目标的通知已关闭",
  "“{alert}” was not sent to {channel}: this event is switched off in the settings":
    "“{alert}”未发送至 {channel}：设置中未启用此类事件",
  "“{alert}” was not sent: this event is switched off in the settings": "“{alert}”未发送：设置中未启用此类事件",
  "Not sent: no channel selected": "未发送：未选择渠道",
  "“{alert}” was not sent to {channel}: the channel is disabled": "“{alert}”未发送至 {channel}：该渠道已停用",
  "“{alert}” was not sent: the channel is disabled": "“{alert}”未发送：渠道已停用",
  "“{alert}” was not sent to {channel}: it was over before it was to be sent":
    "“{alert}”未发送至 {channel}：发送之前已经结束",
  "“{alert}” was not sent: it was over before it was to be sent": "“{alert}”未发送：发送之前已经结束",
  "“{alert}” was not sent to {channel}: its beginning was not sent there":
    "“{alert}”未发送至 {channel}：此前未向该渠道通知事件开始",
  "“{alert}” was not sent: its beginning was not sent": "“{alert}”未发送：此前未通知事件开始",
  "“{alert}” was not sent to {channel}: somebody paused, edited or deleted the target":
    "“{alert}”未发送至 {channel}：目标被暂停、修改或删除",
  "“{alert}” was not sent: somebody paused, edited or deleted the target": "“{alert}”未发送：目标被暂停、修改或删除",
  "1 other channel is not chosen in the settings": "设置中未选择另外 1 个渠道",
  "{count} other channels are not chosen in the settings": "设置中未选择另外 {count} 个渠道",
  "No decision about notifications is recorded for this incident": "没有此事件的通知记录",
} as const;

export type IncidentMessage = keyof typeof incidentMessages;

/** One of these sentences in the asked language, with its placeholders filled. */
export function incidentText(message: IncidentMessage, language: Language, params?: MessageParams): string {
  return fill(language === "zh-CN" ? incidentMessages[message] : message, params);
}
