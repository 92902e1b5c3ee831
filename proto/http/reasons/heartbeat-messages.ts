/** What is wrong with a heartbeat, as `proto/http/messages.ts` has it. */
export const heartbeatMessages = {
  "Give either every or cron": "every 与 cron 须二选一",
  "A time zone belongs to cron alone": "只有使用 cron 时才能设置时区",
  "The shortest run must be shorter than the longest": "最短运行时间必须小于最长运行时间",
  "Seconds are a whole number from {min} to {max}": "秒数为 {min} 到 {max} 的整数",
  "A slug has small letters, digits, - and _, at most 100": "标识只能包含小写字母、数字、- 和 _，最多 100 个字符",
  "The end of an address has letters, digits, - and _, at most 100":
    "地址末尾只能包含字母、数字、- 和 _，最多 100 个字符",
  "Another monitor has this address": "该地址已被其他监控使用",
  "Another monitor has this slug": "该标识已被其他监控使用",
  "This is not a cron expression of five or six fields": "请输入包含 5 或 6 个字段的 cron 表达式",
  "This cron expression never fires": "该 cron 表达式永远不会触发",
  "This cron expression fires more often than once a minute": "该 cron 表达式的触发频率高于每分钟一次",
  "A heartbeat is not checked: the job that it watches calls its address":
    "心跳监控不执行检查：由被监控的任务调用其地址",
  "A heartbeat has no interval, timeout or locations": "心跳监控没有检查间隔、超时时间和位置",
  "This monitor is no heartbeat": "该监控不是心跳监控",
  "No call may make a monitor: the ping key does not allow it": "不能通过调用创建监控：心跳密钥不允许",
  "There are {max} heartbeats with a slug already": "带标识的心跳监控已达上限（{max} 个）",
  "New address made; the old one works for 24 hours more": "已生成新地址；旧地址在 24 小时内仍然有效",
} as const;
