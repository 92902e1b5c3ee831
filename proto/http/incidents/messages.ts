import { fill, type MessageParams } from "../fill.ts";
import type { Language } from "../messages.ts";

/**
 * Texts about an incident: its timeline, and why channels were or were not notified. As in `messages`, the English text
 * is the key and the value is its zh-CN translation. In a separate file because the web app does not use them.
 */
export const incidentMessages = {
  // Names of alerts used in the sentences below.
  Down: "故障",
  Recovered: "恢复",
  Offline: "离线",
  "Back online": "重新在线",
  "Above threshold": "超过阈值",
  "Below threshold again": "回到阈值以下",
  "No data": "无数据",
  "Receiving data again": "数据恢复",
  "Down from some locations": "部分位置故障",
  "Up from all locations again": "各位置均已恢复",
  Slow: "响应缓慢",
  "No longer slow": "响应恢复正常",
  "Alert firing": "外部告警",
  "Alert resolved": "外部告警解除",
  "Error budget burning": "误差预算消耗过快",
  "Error budget no longer burning": "误差预算消耗恢复正常",
  Flapping: "状态抖动",
  "Stable again": "恢复稳定",
  Test: "测试",
  "{alert}, reminder": "{alert}（提醒）",
  "{alert}, reminder {number}": "{alert}（第 {number} 次提醒）",
  "{alert}, step {number}": "{alert}（升级第 {number} 步）",

  // Events of the target.
  "Check failed ({location})": "检查失败（{location}）",
  "Check failed ({location}): {reason}": "检查失败（{location}）：{reason}",
  "Retry failed ({location}): {reason}": "重试后仍失败（{location}）：{reason}",
  "{count} retries failed ({location}), most recently: {reason}":
    "重试 {count} 次均失败（{location}），最后一次：{reason}",
  "Second opinion ({location}): up": "复核（{location}）：正常",
  "Second opinion ({location}): {reason}": "复核（{location}）：{reason}",
  "Incident opened: {cause}": "事件开始：{cause}",
  "Flapping: the incident stays open until the target is stable": "状态抖动：恢复稳定后，事件才会结束",
  "No longer flapping, but still failing": "状态不再抖动，但仍未恢复正常",
  "Acknowledged by {name}": "已由 {name} 确认",
  "Acknowledged by {name}: {note}": "已由 {name} 确认：{note}",
  "Acknowledgement removed by {name}": "{name} 撤销了确认",
  "Snoozed by {name}": "{name} 暂缓了提醒",
  "Escalated by {name}": "{name} 手动升级",
  "Escalated by {name}: {note}": "{name} 手动升级：{note}",
  "Snooze ended by {name}": "{name} 恢复了提醒",
  "Recovered; the incident is closed": "已恢复，事件关闭",
  "Incident closed: the monitor was paused": "监控项被暂停，事件关闭",
  "Incident closed: the monitor went down": "监控项发生故障，事件关闭",
  "Incident closed: the target was deleted": "目标被删除，事件关闭",
  "Incident closed: the target's settings changed": "目标的设置被修改，事件关闭",

  // Events in the hour before an incident.
  "The monitor was created": "监控项已创建",
  "The monitor was edited": "监控项已修改",
  "The monitor was paused": "监控项已暂停",
  "The monitor was resumed": "监控项已恢复",
  "{event} by {name}": "{event}（{name}）",
  "Maintenance started": "维护开始",
  "Maintenance ended": "维护结束",

  // The notified channels.
  "Sending “{alert}” to {channels}": "正在向 {channels} 发送“{alert}”",
  "“{alert}” was delivered to {channel}": "“{alert}”已送达 {channel}",
  "“{alert}” was delivered to {channel} on attempt {count}": "“{alert}”在第 {count} 次尝试时送达 {channel}",
  "“{alert}” was not delivered to {channel}: {answer}": "“{alert}”未能送达 {channel}：{answer}",
  "“{alert}” was not delivered to {channel} after {count} attempts: {answer}":
    "“{alert}”经 {count} 次尝试仍未能送达 {channel}：{answer}",
  "“{alert}” was not sent to {channel}: PagerDuty sends its own reminders":
    "“{alert}”未发送至 {channel}：PagerDuty 会自行提醒",
  "“{alert}” is waiting to be sent to {channel}": "“{alert}”等待发送至 {channel}",
  "“{alert}” has not been delivered to {channel} yet; retrying: {answer}":
    "“{alert}”尚未送达 {channel}，正在重试：{answer}",
  "unknown result": "结果未知",

  // Why an alert was not sent or is deferred, with and without a channel.
  "“{alert}” to {channel} is deferred until the maintenance ends": "“{alert}”推迟到维护结束后发送至 {channel}",
  "“{alert}” is deferred until the maintenance ends": "“{alert}”推迟到维护结束后发送",
  "“{alert}” to {channel} is deferred until the silence ends": "“{alert}”推迟到静默结束后发送至 {channel}",
  "“{alert}” is deferred until the silence ends": "“{alert}”推迟到静默结束后发送",
  "“{alert}” to {channel} is deferred until the snooze ends": "“{alert}”推迟到暂缓提醒结束后发送至 {channel}",
  "“{alert}” is deferred until the snooze ends": "“{alert}”推迟到暂缓提醒结束后发送",
  "“{alert}” to {channel} is deferred until quiet hours end": "“{alert}”推迟到免打扰时段结束后发送至 {channel}",
  "“{alert}” is deferred until quiet hours end": "“{alert}”推迟到免打扰时段结束后发送",
  "“{alert}” to {channel} is deferred while {parent} has an incident":
    "{parent} 的事件尚未结束，“{alert}”推迟发送至 {channel}",
  "“{alert}” was not sent to {channel}: only the group alerts": "“{alert}”未发送至 {channel}：仅由分组发送告警",
  "“{alert}” was not sent: only the group alerts": "“{alert}”未发送：仅由分组发送告警",
  "“{alert}” is deferred while {parent} has an incident": "{parent} 的事件尚未结束，“{alert}”推迟发送",
  "a dependency": "所依赖的目标",
  "“{alert}” was not sent to {channel}: notifications for this target are disabled":
    "“{alert}”未发送至 {channel}：该目标的通知已关闭",
  "“{alert}” was not sent: notifications for this target are disabled": "“{alert}”未发送：该目标的通知已关闭",
  "“{alert}” was not sent to {channel}: this event is disabled in the settings":
    "“{alert}”未发送至 {channel}：设置中未启用此类事件",
  "“{alert}” was not sent: this event is disabled in the settings": "“{alert}”未发送：设置中未启用此类事件",
  "Not sent: no channel selected": "未发送：未选择渠道",
  "“{alert}” was not sent to {channel}: the channel is disabled": "“{alert}”未发送至 {channel}：该渠道已停用",
  "“{alert}” was not sent: the channel is disabled": "“{alert}”未发送：渠道已停用",
  "“{alert}” was not sent to {channel}: the incident ended before the alert was due":
    "“{alert}”未发送至 {channel}：事件在发送之前已结束",
  "“{alert}” was not sent: the incident ended before the alert was due": "“{alert}”未发送：事件在发送之前已结束",
  "“{alert}” was not sent to {channel}: the channel was not notified when the incident opened":
    "“{alert}”未发送至 {channel}：事件开始时未通知该渠道",
  "“{alert}” was not sent: no channel was notified when the incident opened": "“{alert}”未发送：事件开始时未发送通知",
  "“{alert}” was not sent to {channel}: the target was paused, edited or deleted":
    "“{alert}”未发送至 {channel}：目标被暂停、修改或删除",
  "“{alert}” was not sent: the target was paused, edited or deleted": "“{alert}”未发送：目标被暂停、修改或删除",
  "“{alert}” was not sent to {channel}: the monitor went down, which is another incident":
    "“{alert}”未发送至 {channel}：监控项已发生故障，另有事件",
  "“{alert}” was not sent: the monitor went down, which is another incident":
    "“{alert}”未发送：监控项已发生故障，另有事件",
  "“{alert}” was not sent to {channel}: the incident was acknowledged first":
    "“{alert}”未发送至 {channel}：事件在发送之前已确认",
  "“{alert}” was not sent: the incident was acknowledged first": "“{alert}”未发送：事件在发送之前已确认",
  "“{alert}” was not sent to {channel}: nobody was on call": "“{alert}”未发送至 {channel}：无人值班",
  "“{alert}”: nobody was on call": "“{alert}”未发送：无人值班",
  "“{alert}” to {channel} is due later, unless somebody acknowledges":
    "若届时仍无人确认，“{alert}”稍后发送至 {channel}",
  "“{alert}” is due later, unless somebody acknowledges": "若届时仍无人确认，“{alert}”稍后发送",
  "“{alert}” to {channel}: low urgency until {until}": "“{alert}”不紧急，推迟到 {until} 发送至 {channel}",
  "“{alert}” to {channel} is a drill": "发送至 {channel} 的“{alert}”是演练",
  "“{alert}” is a drill": "“{alert}”是演练",
  "“{alert}”: low urgency until {until}": "“{alert}”不紧急，推迟到 {until} 发送",
  "1 other channel isn't used for this target": "另有 1 个渠道未用于此目标",
  "{count} other channels aren't used for this target": "另有 {count} 个渠道未用于此目标",
  "No notification decisions were recorded for this incident": "没有此事件的通知记录",
} as const;

export type IncidentMessage = keyof typeof incidentMessages;

/** Returns a text in the requested language with its placeholders filled. */
export function incidentText(message: IncidentMessage, language: Language, params?: MessageParams): string {
  return fill(language === "zh-CN" ? incidentMessages[message] : message, params);
}
