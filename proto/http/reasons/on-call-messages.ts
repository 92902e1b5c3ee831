/** Messages of schedules with their zh-CN translations. */
export const onCallMessages = {
  "On-call schedule does not exist": "值班表不存在",
  "Schedule created": "值班表已创建",
  "Schedule updated": "值班表已更新",
  "Schedule deleted": "值班表已删除",
  "The limit of {max} schedules has been reached: delete one first": "值班表最多 {max} 个，请先删除一个",
  "This period has more than {max} shifts: choose a shorter one": "该时段超过 {max} 个班次，请缩短时段",
  "Another override is from {from} to {to} ({timeZone})": "{from} 至 {to}（{timeZone}）已有替班",
  "The override does not exist": "替班不存在",
  "Override created": "替班已创建",
  "Override deleted": "替班已删除",
  "You can only change your own shifts": "您只能更改自己的班次",
  "Calendar address created; the previous one no longer works": "日历地址已创建，之前的地址不再有效",
  "There is no user named {name}": "没有名为 {name} 的用户",
  "There is no user with the id {id}": "没有 ID 为 {id} 的用户",
} as const;
