import { fill, type MessageParams } from "../fill.ts";
import { isMessage, type Language, type Message, translate } from "../messages.ts";

/**
 * Texts about an import: why something cannot be imported, and how imported objects differ. As in `messages`, the
 * English text is the key and the value is its zh-CN translation. In a separate file because the web app does not use
 * them.
 */
export const importReasons = {
  // Why it cannot be imported.
  "Sonde has no check of this kind ({kind})": "Sonde 不支持此类检查（{kind}）",
  "Its kind is not known": "类型未知",
  "It is checked through a proxy of {protocol}, which Sonde cannot do": "该监控通过 {protocol} 代理检查，Sonde 不支持",
  "It logs in by {method}, which Sonde cannot do": "该监控使用 {method} 登录，Sonde 不支持",
  "Its bearer token is empty": "其 Bearer 令牌为空",
  "Its headers cannot be read": "无法读取其请求头",
  "Its expected status codes cannot be read": "无法读取其期望状态码",
  "Its JSON query is no plain path: {query}": "其 JSON 查询不是简单路径：{query}",
  "Sonde has no comparison {op} for JSON": "Sonde 的 JSON 断言不支持比较符 {op}",
  "Its keyword is empty": "其关键字为空",
  "Its connection string cannot be read": "无法读取其连接字符串",
  "Sonde has no channel of this type ({type})": "Sonde 不支持此类通知渠道（{type}）",
  "Its settings cannot be read": "无法读取其配置",
  "It calls by {method}, which Sonde cannot do": "该渠道使用 {method} 请求，Sonde 不支持",
  "It logs in by user and password; Sonde needs an access token": "该渠道使用用户名和密码登录，Sonde 需要访问令牌",
  "It runs Apprise itself; Sonde needs the address of an Apprise API":
    "该渠道直接运行 Apprise，Sonde 需要 Apprise API 的地址",
  "A monitor of this name and target is there already": "已存在名称和目标相同的监控",
  "Its secrets are not part of an export: add this channel by hand first, under the same name":
    "导出文件不含机密信息：请先手动添加同名渠道",
  "Settings for all {targets} were changed here already and stay": "此处针对所有{targets}的设置已被修改，予以保留",
  "There are {max} settings of single monitors at most": "单独设置最多 {max} 个",
  "It is not imported: set it up by hand": "不会导入，请手动设置",
  "Agents register anew, each with a token": "客户端需要使用令牌重新注册",
  "{field}: {fault}": "{field}：{fault}",

  // How it differs from the original.
  "Its name is cut": "名称已截短",
  "Its interval is raised from {from} s to {to} s, the least here":
    "检查间隔由 {from} 秒提高到 {to} 秒（此处的最小值）",
  "Its interval is lowered to 7 days": "检查间隔降低到 7 天",
  "Its timeout is lowered to {to} s": "超时时间降低到 {to} 秒",
  "At most {max} retries": "最多重试 {max} 次",
  "Retries follow two seconds apart, not {from} s": "重试间隔为 2 秒，而不是 {from} 秒",
  "Retries also where only the JSON query fails": "仅 JSON 查询不符时也会重试",
  "Follows up to {to} redirects, not {from}": "最多跟随 {to} 次重定向，而不是 {from} 次",
  "Without the random query parameter against caches": "不附加防缓存的随机查询参数",
  "IPv4 and IPv6 are both used, not {family} alone": "同时使用 IPv4 和 IPv6，而不是仅用 {family}",
  "Without the expiry of its domain": "不检查域名到期时间",
  "It becomes a TLS check": "改为 TLS 检查",
  "STARTTLS by {protocol}": "按 {protocol} 协议使用 STARTTLS",
  "Without its expected TLS alert {alert}": "不含其预期的 TLS 警报 {alert}",
  "Its certificate must be valid": "其证书必须有效",
  "It becomes a check of the health service (grpc.health.v1)": "改为检查健康服务（grpc.health.v1）",
  "Without its priority {priority}": "不含其优先级 {priority}",
  "It had no address: it gets a new one": "原来没有上报地址，将使用新地址",
  "Without its rules for words in mails and bodies": "不含其邮件与正文的关键字规则",
  "Some of its tags are cut or left out": "部分标签被截短或省略",
  "Its description is cut": "描述已截短",
  "Its name servers are reduced to the first, {server}": "解析服务器仅保留第一个：{server}",
  "Without its conditions: {conditions}": "不含其条件：{conditions}",
  "DOWN once its certificate has less than {days} days left": "证书剩余不足 {days} 天时视为故障",
  "Paused: enter the value of {headers} anew": "已暂停：请重新输入 {headers} 的值",
  "Without {secrets}: enter it again": "不含 {secrets}：请重新输入",
  "Its channels cannot come; the settings for all monitors hold": "其通知渠道无法导入，适用所有监控的设置",
  "It notifies no one, as before": "与之前一样，不通知任何人",
  "It tells {channels}": "通知 {channels}",
  "It no longer notifies {channels}": "不再通知 {channels}",
  "Checked at the location that is here: {locations} is not": "在此处的位置检查：不存在 {locations}",
  "Without what it depends on, as far as that does not come": "不含未导入的依赖",
  "Messages are worded by Sonde": "消息内容由 Sonde 生成",
  "It posts to the channel of its webhook, not to {channel}": "发送到其 Webhook 所属的频道，而不是 {channel}",
  "Without the recipients in BCC": "不含密送收件人",
  "The server's certificate must be valid": "服务器证书必须有效",
  "There already, and used": "已存在，直接使用",
  "A tag of {count} monitors": "作为 {count} 个监控的标签",
  "For all monitors": "所有监控",
  "For all agents": "所有客户端",
  monitors: "监控",
  agents: "客户端",
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
