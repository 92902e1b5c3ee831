/** Messages of escalation policies and contacts with their zh-CN translations. */
export const policyMessages = {
  "Escalation policy does not exist": "升级策略不存在",
  "Escalation policy created": "升级策略已创建",
  "Escalation policy updated": "升级策略已更新",
  "Escalation policy deleted": "升级策略已删除",
  "The limit of {max} escalation policies has been reached: delete one first": "升级策略最多 {max} 个，请先删除一个",
  "The escalation policy is used by {where}: select another there first": "{where} 正在使用此升级策略，请先在那里改选",
  "Enter a recipient such as schedule:1": "请填写接收者，例如 schedule:1",
  "Step {step} cannot notify {recipient}: it does not exist": "第 {step} 步无法通知 {recipient}：该对象不存在",
  "Step {step} cannot notify {recipient}: nobody is in the schedule":
    "第 {step} 步无法通知 {recipient}：值班表没有成员",
  "Step {step} cannot notify {recipient}: the channel is disabled": "第 {step} 步无法通知 {recipient}：该渠道已停用",
  "{name} has no contacts and is only notified by mail": "{name} 未设置联系方式，只会收到邮件",
  "{name} has no contacts and cannot be notified": "{name} 未设置联系方式，无法通知",
  "No escalation policy applies to this incident": "此事件没有适用的升级策略",
  "The incident is closed": "事件已关闭",
  "Escalated: the next step was taken": "已升级：下一步已执行",
  "Contacts saved": "联系方式已保存",
  "This contact needs an address": "此联系方式需要填写地址",
  "Calls need PUBLIC_URL: ask an administrator to set it": "电话通知需要 PUBLIC_URL，请联系管理员设置",
  "No Twilio channel can call: one needs a phone number as sender, and no API key":
    "没有可以拨打电话的 Twilio 渠道：发送方须为电话号码，且不能使用 API 密钥",
  "No enabled channel can send to this contact: ask an administrator to create one":
    "没有可用的渠道能发送到此联系方式，请联系管理员创建",
  "Your account has no email address": "您的账号没有邮箱地址",
  "Add a device before you select push": "请先添加设备，再选择推送",
  "There is no such contact": "没有此联系方式",
} as const;
