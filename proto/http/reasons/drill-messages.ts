/** Messages of fire drills with their zh-CN translations. */
export const drillMessages = {
  "Drill does not exist": "演练不存在",
  "Drill started": "演练已开始",
  "Drill acknowledged": "演练已确认",
  "Drill deleted": "演练已删除",
  "Enter a target such as user:4": "请填写演练对象，例如 user:4",
  "The target of the drill does not exist": "演练对象不存在",
  "A drill of this target is already running": "此对象已有正在进行的演练",
  "The limit of {max} drills has been reached: delete one first": "演练最多 {max} 个，请先删除一个",
  "A drill can only be acknowledged": "演练只能确认",
} as const;
