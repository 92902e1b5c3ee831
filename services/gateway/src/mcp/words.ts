import { fill, type MessageParams } from "@sonde/proto/http/fill";
import type { Language } from "@sonde/proto/http/messages";

/** As in `messages`, the English text is the key and the value is its zh-CN translation. */
const mcpMessages = {
  "No open incidents.": "没有进行中的事件。",
  "Open incidents: {total}.": "进行中的事件：{total} 个。",
  "Monitors: {up} up, {down} down, {stale} without data, {pending} pending, {paused} paused.":
    "监控项：{up} 个正常，{down} 个故障，{stale} 个无数据，{pending} 个等待首次检查，{paused} 个已暂停。",
  "Not available at the moment: {parts}.": "暂时无法获取：{parts}。",
  "More on page {page}.": "更多内容见第 {page} 页。",

  "{name} is down": "{name} 发生故障",
  "{name} is offline": "{name} 离线",
  "{name} is above its threshold": "{name} 超过阈值",
  "{name} has no data": "{name} 无数据",
  "{name} is down from some locations": "{name} 在部分位置故障",
  "{name} is slow": "{name} 响应缓慢",
  "{name} reports an alert": "{name} 收到外部告警",
  "{name} spends an error budget too fast": "{name} 的误差预算消耗过快",
  "Incident {id}: {what} ({type} {target}), since {since}: {cause}.":
    "事件 {id}：{what}（{type} {target}），始于 {since}：{cause}。",
  "It ended at {at}.": "已于 {at} 结束。",
  "Acknowledged by {name}.": "已由 {name} 确认。",
  "Acknowledged by {name}: {note}": "已由 {name} 确认：{note}",
  "Messages are deferred until {until}.": "通知推迟至 {until}。",

  "No matching monitors.": "没有匹配的监控项。",
  "Matching monitors: {total}.": "匹配的监控项：{total} 个。",
  "Monitor {id}: {name} ({target}) is up since {since}": "监控项 {id}：{name}（{target}）正常，始于 {since}",
  "Monitor {id}: {name} ({target}) is down since {since}": "监控项 {id}：{name}（{target}）故障，始于 {since}",
  "Monitor {id}: {name} ({target}) has no data": "监控项 {id}：{name}（{target}）无数据",
  "Monitor {id}: {name} ({target}) is waiting for its first check": "监控项 {id}：{name}（{target}）等待首次检查",
  "Monitor {id}: {name} ({target}) is paused": "监控项 {id}：{name}（{target}）已暂停",
  "Monitor {id}: {name} ({target}) has no members with a state": "监控项 {id}：{name}（{target}）没有可计入的成员",
  "{up} of {count} members are up, {needed} needed.": "{count} 个成员中 {up} 个正常，需要 {needed} 个。",
  "It is slow.": "响应缓慢。",
  "It is in maintenance.": "正在维护中。",

  "From {from} to {until}: no completed checks.": "{from} 至 {until}：没有检查记录。",
  "From {from} to {until}: {uptime} % uptime, {failures} of {checks} checks failed, {coverage} % of due checks completed.":
    "{from} 至 {until}：可用率 {uptime} %，{checks} 次检查中失败 {failures} 次，覆盖率 {coverage} %。",
  "Response times of successful checks: median {p50} ms, 95 % within {p95} ms.":
    "成功检查的响应时间：中位数 {p50} 毫秒，95 % 在 {p95} 毫秒以内。",
  "No incidents so far.": "没有发生过事件。",
  "Incidents so far: {total}. The newest:": "迄今共 {total} 个事件，最近的为：",

  "No channel is selected.": "未选择通知渠道。",
  "Channels:": "渠道：",
  "Timeline, oldest first:": "事件经过（由旧到新）：",
  "Omitted entries: {count}.": "省略了 {count} 条记录。",
  "The next reminder is due at {at}.": "下一次提醒：{at}。",

  "The check succeeded after {ms} ms at {location}.": "检查成功，用时 {ms} 毫秒（{location}）。",
  "The check failed after {ms} ms at {location}: {reason}": "检查失败，用时 {ms} 毫秒（{location}）：{reason}",

  "Objects to create: {create}, fields to change: {update}, objects to remove: {remove}, unchanged: {same}.":
    "将创建 {create} 个对象，更改 {update} 个字段，删除 {remove} 个对象，{same} 个保持不变。",
  "Create {path}": "创建 {path}",
  "Change {path} from {from} to {to}": "将 {path} 从 {from} 改为 {to}",
  "Remove {path}": "删除 {path}",
  "Conflict at {path}: {message}": "{path} 冲突：{message}",
} as const;
export type Say = (message: keyof typeof mcpMessages, params?: MessageParams) => string;

const maxValueLength = 500;
/** On one line, foreign text cannot pass for our own sentences. */
const plain = (value: string | number) =>
  typeof value === "string" ? value.replace(/\s+/g, " ").slice(0, maxValueLength) : value;

export const sayIn =
  (language: Language): Say =>
  (message, params = {}) =>
    fill(
      language === "zh-CN" ? mcpMessages[message] : message,
      Object.fromEntries(Object.entries(params).map(([name, value]) => [name, plain(value)])),
    );
