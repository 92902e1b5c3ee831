/** Errors of groups, part of `proto/http/messages.ts`. */
export const groupMessages = {
  "A group can have at most {max} members": "一个分组最多包含 {max} 个成员",
  "Choose either members or a tag": "成员与标签须二选一",
  "A group cannot need more members than it has": "所需的正常成员数不能超过成员总数",
  "Groups cannot contain each other: {circle}": "分组不能互相包含：{circle}",
  "Groups can be nested at most {max} levels deep": "分组最多嵌套 {max} 层",
  "Groups cannot be checked manually: their state follows from their members": "分组无法手动检查：其状态由成员决定",
  "Groups have no interval, timeout or locations": "分组没有检查间隔、超时时间和位置",
} as const;
