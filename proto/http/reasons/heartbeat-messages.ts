/** Errors of heartbeats and inbound monitors, part of `proto/http/messages.ts`. */
export const heartbeatMessages = {
  "Provide either every or cron": "every 与 cron 须二选一",
  "A time zone requires cron": "只有使用 cron 时才能设置时区",
  "The minimum must not be above the maximum": "最小值不能大于最大值",
  "The minimum runtime must be shorter than the maximum": "最短运行时间必须小于最长运行时间",
  "Enter a whole number of seconds from {min} to {max}": "秒数须为 {min} 到 {max} 的整数",
  "Use at most 100 lowercase letters, digits, hyphens and underscores":
    "标识最多 100 个字符，只能包含小写字母、数字、- 和 _",
  "Use at most 100 letters, digits, hyphens and underscores at the end of the address":
    "地址末尾最多 100 个字符，只能包含字母、数字、- 和 _",
  "Another monitor already uses this address": "该地址已被其他监控项使用",
  "Another monitor already uses this slug": "该标识已被其他监控项使用",
  "Enter a cron expression with five or six fields": "请输入包含 5 或 6 个字段的 cron 表达式",
  "This cron expression never matches": "该 cron 表达式永远不会触发",
  "This cron expression matches more than once a minute": "该 cron 表达式的触发频率高于每分钟一次",
  "Heartbeats cannot be checked manually: the job pings them": "心跳无法手动检查：由被监控的任务上报心跳",
  "Heartbeats have no interval, timeout or locations": "心跳没有检查间隔、超时时间和位置",
  "This monitor is not a heartbeat": "该监控项不是心跳",
  "Creating heartbeats on first ping is not enabled": "未启用“首次上报时创建心跳”",
  "The limit of {max} heartbeats with a slug has been reached": "带标识的心跳已达上限（{max} 个）",
  "New address created; the old one keeps working for 24 hours": "已生成新地址；旧地址在 24 小时内仍然有效",
  "Enter a whole number of minutes from {min} to {max}": "分钟数须为 {min} 到 {max} 的整数",
  "Inbound monitors cannot be checked manually: other systems send them alerts":
    "接入监控项无法手动检查：告警由其他系统发送",
  "Inbound monitors have no interval, timeout or locations": "接入监控项没有检查间隔、超时时间和位置",
  "Alerts stored": "告警已保存",
  "Event processed": "事件已处理",
} as const;
