import type * as en from "../../en-US/channels/types.ts";
import type { Translated } from "../../catalogue.ts";

const webhookUrl = { label: "Webhook 地址", hint: "请妥善保密：任何知道此地址的人都能发送消息。" };
const serverUrl = { label: "服务器" };
const ownProxy = { label: "API 地址", hint: "仅在使用自建代理时填写" };
const login = {
  username: { label: "用户名", hint: "仅当代理或服务器要求登录时填写" },
  password: { label: "密码" },
};
const from = { label: "发件人", hint: "邮箱地址，或“名称 <邮箱地址>”" };
const to = { label: "收件人", hint: "一个或多个邮箱地址，用英文逗号分隔" };
const signingKey = { label: "加签密钥", hint: "仅当机器人的安全设置启用了签名校验时填写" };

export const channelTypes: Translated<typeof en.channelTypes> = {
  resend: {
    name: "邮件（Resend）",
    purpose: "通过 Resend 服务发送邮件",
    setup: "在 resend.com 创建 API Key，并在那里验证发件人所用的域名。",
    fields: {
      apiKey: { label: "API Key（密钥）" },
      from: { label: "发件人", hint: "已验证域名下的邮箱地址，或“名称 <邮箱地址>”" },
      to,
      apiBaseUrl: ownProxy,
    },
  },
  slack: {
    name: "Slack",
    purpose: "Slack 工作区的频道",
    setup: "在 Slack 中创建启用 Incoming Webhooks 的应用，并为频道添加 Webhook。",
    fields: { webhookUrl },
  },
  telegram: {
    name: "Telegram",
    purpose: "通过机器人发送到聊天、群组或频道",
    setup: "向 @BotFather 申请机器人，将其加入聊天，再填写聊天的 ID。",
    fields: {
      botToken: { label: "Bot Token（机器人令牌）", hint: "由 @BotFather 提供" },
      chatId: { label: "Chat ID（聊天 ID）", hint: "数字（群组以 -100 开头），或公开频道的 @名称" },
      messageThreadId: { label: "话题 ID", hint: "用于启用了话题的群组" },
      apiBaseUrl: { label: "API 地址", hint: "仅在使用自建 Bot API 服务器时填写" },
    },
  },
  webhook: {
    name: "Webhook",
    purpose: "向您自己的地址发送请求",
    setup: "事件发生和结束时，Sonde 各发送一次 JSON 请求。状态码为 2xx 即视为送达。",
    fields: {
      url: { label: "地址（URL）" },
      secret: { label: "签名密钥", hint: "填写后，每个请求都带有可供校验的签名。" },
      method: { label: "请求方法" },
      headers: {
        label: "请求头",
        hint: "authorization、cookie 以及 *-key、*-token、*-secret 请求头的值会加密保存，之后不再显示。",
      },
      bodyTemplate: { label: "请求体", hint: "可使用双花括号变量的文本。默认使用 Sonde 的 JSON。" },
    },
  },
  dingtalk: {
    name: "钉钉",
    purpose: "钉钉群机器人",
    setup: "在群中添加自定义机器人。若要求设置关键词，请填写 Sonde：每条消息都包含该词。",
    fields: { webhookUrl, secret: signingKey },
  },
  wecom: {
    name: "企业微信",
    purpose: "企业微信群机器人",
    setup: "在企业微信群中添加群机器人，并复制其 Webhook 地址。",
    fields: { webhookUrl },
  },
  feishu: {
    name: "飞书 / Lark",
    purpose: "飞书或 Lark 群机器人",
    setup: "在群中添加自定义机器人。若要求设置关键词，请填写 Sonde：每条消息都包含该词。",
    fields: { webhookUrl, secret: signingKey },
  },
  smtp: {
    name: "邮件（SMTP）",
    purpose: "通过您自己的邮件服务器发送",
    setup: "请向邮件服务商查询服务器名称和端口。多数服务商要求使用应用专用密码。",
    fields: {
      host: { label: "服务器" },
      port: { label: "端口", hint: "STARTTLS 用 587，TLS 用 465" },
      security: {
        label: "加密方式",
        options: { starttls: "STARTTLS", tls: "直接使用 TLS", none: "不加密（仅限可信网络）" },
      },
      username: { label: "用户名" },
      password: { label: "密码" },
      from,
      to,
    },
  },
  discord: {
    name: "Discord",
    purpose: "Discord 服务器的频道",
    setup: "在频道设置的“整合”中创建 Webhook，并复制其地址。",
    fields: { webhookUrl, threadId: { label: "主题帖 ID", hint: "论坛频道必填" } },
  },
  ntfy: {
    name: "ntfy",
    purpose: "通过 ntfy 主题推送消息",
    setup: "在 ntfy 应用中订阅该主题。在 ntfy.sh 上，知道主题名称的人都能读取，请使用难以猜到的名称。",
    fields: {
      topic: { label: "主题" },
      serverUrl: { label: "服务器" },
      token: { label: "访问令牌", hint: "仅受保护的主题需要" },
    },
  },
  pagerduty: {
    name: "PagerDuty",
    purpose: "PagerDuty 服务的事件",
    setup: "在服务中添加 Events API v2 类型的集成，并复制其密钥。",
    fields: {
      routingKey: { label: "集成密钥" },
      apiBaseUrl: { label: "API 地址", hint: "欧盟区域为 https://events.eu.pagerduty.com" },
    },
  },
  teams: {
    name: "Microsoft Teams",
    purpose: "通过工作流发送到 Microsoft Teams 频道",
    setup: "在频道中添加“收到 Webhook 请求时发布”的工作流，并复制其地址。",
    fields: { webhookUrl },
  },
  matrix: {
    name: "Matrix",
    purpose: "Matrix 房间",
    setup: "为 Sonde 准备一个账号，邀请其加入房间，并复制其访问令牌。",
    fields: {
      homeserverUrl: { label: "主服务器" },
      roomId: { label: "房间 ID", hint: "在房间设置的“高级”中" },
      accessToken: { label: "访问令牌" },
    },
  },
  gotify: {
    name: "Gotify",
    purpose: "Gotify 服务器的应用",
    setup: "在 Gotify 中创建应用，并复制其令牌。",
    fields: { serverUrl: { label: "服务器" }, token: { label: "应用令牌" } },
  },
  mattermost: {
    name: "Mattermost",
    purpose: "Mattermost 服务器的频道",
    setup: "在 Mattermost 的“集成”中为频道添加传入 Webhook，并复制其地址。",
    fields: { webhookUrl },
  },
  rocketchat: {
    name: "Rocket.Chat",
    purpose: "Rocket.Chat 工作区的频道",
    setup: "在工作区的集成设置中为频道新建传入集成并启用，再复制其 Webhook URL。",
    fields: { webhookUrl },
  },
  googlechat: {
    name: "Google Chat",
    purpose: "Google Chat 聊天室",
    setup: "在聊天室菜单的“应用和集成”中添加 Webhook，并复制其地址。",
    fields: { webhookUrl },
  },
  zulip: {
    name: "Zulip",
    purpose: "Zulip 频道的话题",
    setup: "在 Zulip 的个人设置中添加“传入 Webhook”类型的机器人；若频道为私有，请将机器人加入频道。",
    fields: {
      serverUrl,
      botEmail: { label: "机器人邮箱" },
      apiKey: { label: "机器人 API Key（密钥）" },
      channel: { label: "Zulip 频道" },
      topic: { label: "话题" },
    },
  },
  pushover: {
    name: "Pushover",
    purpose: "通过 Pushover 推送到手机",
    setup: "在 pushover.net 复制您的用户密钥，并创建应用以获取其令牌。",
    fields: {
      userKey: { label: "用户密钥", hint: "用户或投递群组的密钥" },
      apiToken: { label: "应用令牌" },
      device: { label: "设备", hint: "默认发送到所有设备" },
      apiBaseUrl: ownProxy,
    },
  },
  bark: {
    name: "Bark",
    purpose: "推送到 iPhone 或 iPad",
    setup: "在设备上打开 Bark，从其显示的地址中复制密钥：https://api.day.app/密钥/…",
    fields: { deviceKey: { label: "设备密钥" }, serverUrl },
  },
  serverchan: {
    name: "Server 酱",
    purpose: "通过 Server 酱（ServerChan）推送到微信",
    setup: "登录 sct.ftqq.com 或 sc3.ft07.com，复制 SendKey。",
    fields: { sendKey: { label: "SendKey（密钥）" }, apiBaseUrl: ownProxy },
  },
  pushdeer: {
    name: "PushDeer",
    purpose: "推送到安装了 PushDeer 的设备",
    setup: "在 PushDeer 应用中添加设备，并复制一个推送密钥。",
    fields: { pushKey: { label: "推送密钥" }, serverUrl },
  },
  twilio: {
    name: "短信（Twilio）",
    purpose: "通过 Twilio 发送短信",
    setup: "在 Twilio 控制台复制账号的 SID 和令牌，并购买用于发送的号码。",
    fields: {
      accountSid: { label: "账号 SID" },
      authToken: { label: "Auth Token（令牌）", hint: "或 API Key 的密钥" },
      from: { label: "发送方", hint: "带国家代码的号码，或消息服务的 SID" },
      to: { label: "接收号码", hint: "带国家代码的号码" },
      apiKeySid: { label: "API Key SID（密钥标识）", hint: "仅在使用 API Key 代替账号令牌时填写" },
      apiBaseUrl: ownProxy,
    },
  },
  signal: {
    name: "Signal",
    purpose: "通过您自己的 signal-cli-rest-api 发送给个人或群组",
    setup: "运行 signal-cli-rest-api，并用它注册或关联一个号码。",
    fields: {
      serverUrl,
      number: { label: "已注册的号码", hint: "带国家代码的号码" },
      recipients: { label: "接收方", hint: "号码、用户名或群组 ID，用英文逗号分隔" },
      ...login,
    },
  },
  line: {
    name: "LINE",
    purpose: "通过 LINE 官方账号发送给个人或群组",
    setup: "在 LINE Developers 控制台打开 Messaging API 频道，签发长期令牌，并复制接收方的 ID。",
    fields: {
      channelAccessToken: { label: "频道访问令牌" },
      to: { label: "接收方 ID", hint: "以 U、C 或 R 开头" },
      apiBaseUrl: ownProxy,
    },
  },
  alertmanager: {
    name: "Alertmanager",
    purpose: "Prometheus Alertmanager 中的告警",
    setup: "Sonde 为每个事件创建一条告警，事件结束时将其解除。路由可匹配标签 severity、alertname 和 target_id。",
    fields: { serverUrl, ...login },
  },
  "web-push": {
    name: "手机或浏览器",
    purpose: "在个人自己的设备上显示通知",
    setup: "每个人在个人资料的“值班”中自行启用。",
    fields: {
      endpoint: { label: "推送地址" },
      p256dh: { label: "公钥" },
      auth: { label: "密钥" },
    },
  },
  "twilio-voice": {
    name: "电话",
    purpose: "通过 Twilio 拨打个人电话",
    setup: "每个人在个人资料的“值班”中填写自己的号码。",
    fields: {
      accountSid: { label: "账号 SID" },
      authToken: { label: "Auth Token（令牌）" },
      from: { label: "发送方" },
      to: { label: "接收号码" },
      apiKeySid: { label: "API Key SID（密钥标识）" },
      apiBaseUrl: ownProxy,
    },
  },
  apprise: {
    name: "Apprise API",
    purpose: "通过您自己的 Apprise API 发送到上百种服务",
    setup: "运行 Apprise API，在其中保存包含各服务的配置，再填写该配置的键。",
    fields: {
      serverUrl,
      configKey: { label: "配置键" },
      tag: { label: "标签", hint: "仅发送到带此标签的服务，默认全部" },
    },
  },
};
