import { fill, type MessageParams } from "../fill.ts";
import { isMessage, type Language, type Message, translate } from "../messages.ts";

/**
 * Texts about an import: why something cannot be imported, and how imported objects differ. As in `messages`, the
 * English text is the key and the value is its zh-CN translation. In a separate file because the web app does not use
 * them.
 */
export const importReasons = {
  // Why it cannot be imported.
  "Sonde does not support this type of check ({kind})": "Sonde 不支持此类检查（{kind}）",
  "Unknown type": "类型未知",
  "It uses a {protocol} proxy, which Sonde does not support": "该监控项通过 {protocol} 代理检查，Sonde 不支持",
  "It logs in with {method}, which Sonde does not support": "该监控项使用 {method} 登录，Sonde 不支持",
  "Its bearer token is empty": "Bearer 令牌为空",
  "Its headers cannot be read": "无法读取请求头",
  "Its expected status codes cannot be read": "无法读取期望状态码",
  "Its JSON query is not a simple path: {query}": "JSON 查询不是简单路径：{query}",
  "Sonde does not support the JSON comparison {op}": "Sonde 的 JSON 断言不支持比较符 {op}",
  "Its keyword is empty": "关键字为空",
  "Its connection string cannot be read": "无法读取连接字符串",
  "Sonde does not support this type of channel ({type})": "Sonde 不支持此类通知渠道（{type}）",
  "Its settings cannot be read": "无法读取配置",
  "It sends {method} requests, which Sonde does not support": "该渠道使用 {method} 请求，Sonde 不支持",
  "It logs in with a username and password; Sonde needs an access token":
    "该渠道使用用户名和密码登录，Sonde 需要访问令牌",
  "It runs Apprise directly; Sonde needs the address of an Apprise API":
    "该渠道直接运行 Apprise，Sonde 需要 Apprise API 的地址",
  "A monitor with this name and target already exists": "已存在名称和目标相同的监控项",
  "An export does not contain secrets: add this channel manually first, with the same name":
    "导出文件不含机密信息：请先手动添加同名渠道",
  "The settings for all {targets} were already changed here, so they are kept":
    "全部{targets}的设置已在此修改过，予以保留",
  "At most {max} monitors can have an override": "最多 {max} 个监控项可以有单独设置",
  "Not imported: set it up manually": "未导入，请手动设置",
  "None of its monitors can be imported": "其监控项均无法导入",
  "Agents must be registered again, each with its own token": "Agent 需要使用令牌重新注册",
  "{field}: {fault}": "{field}：{fault}",

  // How it differs from the original.
  "Where rotations overlap, the later one is on call": "轮班重叠时，由排在后面的轮班值班",
  "Rotation {name}: only users are imported, not teams or escalations": "轮班 {name}：仅导入用户，不含团队和升级策略",
  "Rotation {name}: only the first person of each turn is imported": "轮班 {name}：每班仅导入第一个人",
  "Rotation {name} cannot be read": "无法读取轮班 {name}",
  "Its shifts are in a calendar: import that calendar": "班次位于日历中：请导入该日历",
  "Shifts of the next 90 days are imported as overrides: add layers for the time after":
    "未来 90 天的班次导入为临时替班：之后的时间请添加轮班层",
  "Name shortened": "名称已截短",
  "Interval raised from {from} s to {to} s, the minimum here": "检查间隔由 {from} 秒提高到 {to} 秒（允许的最小值）",
  "Interval lowered to 7 days": "检查间隔降低到 7 天",
  "Timeout lowered to {to} s": "超时时间降低到 {to} 秒",
  "At most {max} retries": "最多重试 {max} 次",
  "Retries are 2 s apart, not {from} s": "重试间隔为 2 秒，而不是 {from} 秒",
  "Also retries if only the JSON query fails": "仅 JSON 查询不符时也会重试",
  "Follows up to {to} redirects, not {from}": "最多跟随 {to} 次重定向，而不是 {from} 次",
  "Does not add the random query parameter that bypasses caches": "不附加防缓存的随机查询参数",
  "Uses both IPv4 and IPv6, not only {family}": "同时使用 IPv4 和 IPv6，而不是仅用 {family}",
  "Does not check the domain's expiry": "不检查域名到期时间",
  "Becomes a TLS check": "改为 TLS 检查",
  "STARTTLS with {protocol}": "按 {protocol} 协议使用 STARTTLS",
  "Expected TLS alert {alert} is not imported": "不含预期的 TLS 警报 {alert}",
  "Its certificate must be valid": "证书必须有效",
  "Becomes a check of the health service (grpc.health.v1)": "改为检查健康服务（grpc.health.v1）",
  "Priority {priority} is not imported": "不含优先级 {priority}",
  "Had no ping address, so it gets a new one": "原来没有上报地址，将使用新地址",
  "Keyword rules for emails and bodies are not imported": "不含邮件与正文的关键字规则",
  "Some tags are shortened or omitted": "部分标签被截短或省略",
  "Description shortened": "描述已截短",
  "Only the first name server is used: {server}": "DNS 服务器仅保留第一个：{server}",
  "Conditions not imported: {conditions}": "不含条件：{conditions}",
  "Down if its certificate expires in less than {days} days": "证书剩余不足 {days} 天时视为故障",
  "Paused: enter the value of {headers} again": "已暂停：请重新输入 {headers} 的值",
  "{secrets} not imported: enter it again": "不含 {secrets}：请重新输入",
  "Its channels cannot be imported; the settings for all monitors apply": "通知渠道无法导入，将使用全部监控项的设置",
  "Sends no notifications, as before": "与之前一样，不发送通知",
  "Notifies {channels}": "通知 {channels}",
  "No longer notifies {channels}": "不再通知 {channels}",
  "Checked from this installation's location: {locations} does not exist here":
    "此系统没有位置 {locations}，改从现有位置检查",
  "Some dependencies cannot be imported": "不含无法导入的依赖",
  "Uses Sonde's own message texts": "消息内容由 Sonde 生成",
  "Posts to its webhook's channel, not to {channel}": "发送到其 Webhook 所属的频道，而不是 {channel}",
  "BCC recipients are not imported": "不含密送收件人",
  "The server's certificate must be valid": "服务器证书必须有效",
  "Already exists; the existing one is used": "已存在，直接使用",
  "This group has no members": "该分组没有成员",
  "Only the first {max} members": "仅含前 {max} 个成员",
  "Some members cannot be imported": "部分成员无法导入",
  "Some of its monitors cannot be imported": "部分监控项无法导入",
  "Its escalation policy cannot be imported; the settings' policy applies": "升级策略无法导入，将使用通知设置中的策略",
  "Has no account here: schedules, policies and drills leave them out":
    "此系统没有该账号，值班表、升级策略和演练中不含此人",
  "It would notify nobody: what it notifies is not imported": "没有可通知的对象：其通知对象未导入",
  "For all monitors": "全部监控项",
  "For all agents": "全部 Agent",
  monitors: "监控项",
  agents: " Agent ",
} as const;

export type ImportReason = keyof typeof importReasons;

/** A text to be translated later. Its parameters can be translatable texts too. */
export type TranslatableText = {
  text: ImportReason | Message;
  params?: Record<string, string | number | TranslatableText>;
};

export function translateText({ text, params = {} }: TranslatableText, language: Language): string {
  const filled: MessageParams = Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === "object" ? translateText(value, language) : value,
    ]),
  );
  if (isMessage(text)) return translate(text, language, filled);
  return fill(language === "zh-CN" ? importReasons[text] : text, filled);
}
