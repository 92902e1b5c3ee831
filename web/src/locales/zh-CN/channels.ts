import type * as en from "../en-US/channels.ts";
import type { Translated } from "../catalogue.ts";

export const channels: Translated<typeof en.channels> = {
  add: "添加渠道",
  createTitle: "添加通知渠道",
  editTitle: "编辑通知渠道",
  back: "全部渠道",
  missing: "通知渠道不存在",
  type: "类型",
  typeFixed: "渠道创建后不能更改类型。",
  name: "名称",
  advanced: "更多设置",
  advancedHint: "一般无需填写",
  enabled: "启用",
  enabledHint: "停用的渠道不会收到任何消息。",
  enabledOf: "启用：{{name}}",
  useGlobally: "用于所有监控和客户端",
  useGloballyHint: "将此渠道加入所有监控的设置和所有客户端的设置。",
  secretKept: "已加密保存，不再显示。保持不变即可沿用。",
  secretNew: "加密保存，之后不再显示。",
  showTyped: "显示输入内容",
  hideTyped: "隐藏输入内容",
  create: "添加渠道",
  creating: "添加中…",
  createAndTest: "添加并发送测试",
  save: "保存更改",
  saving: "保存中…",
  saveAndTest: "保存并发送测试",
  fixErrors: "请修正标出的字段",
  created: "渠道已添加",
  updated: "渠道已保存",
  settingsNotSaved: "渠道已添加，但未能加入通知设置：{{reason}}",
  notUsed: "没有任何设置使用此渠道，它不会收到消息。",
  useNow: "用于全部",
  usedBy: "用于：",
  use: {
    monitors: "所有监控",
    agents: "所有客户端",
    overrides_one: " {{count}} 项单独设置",
    overrides_other: " {{count}} 项单独设置",
  },
  health: {
    works: "正常",
    untried: "尚未发送过消息",
    broken: "被服务商拒绝",
    off: "已停用",
    refusedAt: "{{when}}被拒绝：",
    brokenHint: "请修正渠道配置并发送测试。在此之前，每小时最多尝试发送一条消息。",
  },
  lastDelivery: "最近消息",
  never: "暂无",
  history: "发送记录",
  test: {
    run: "发送测试",
    running: "发送中…",
    progress: "正在发送示例消息，等待服务商应答…",
    delivered: "测试消息已送达。",
    failed: "测试消息未送达。",
    pending: "测试消息尚未送达。",
    answer: "服务商应答：",
    show: "查看发送记录",
  },
  remove: {
    title: "删除渠道？",
    text: "“{{name}}”将从所有设置中移除，等待发送的消息也不再发送。此操作无法撤销。",
    success: "渠道已删除",
  },
  first: {
    title: "希望 Sonde 通过哪里通知您？",
    text: "添加一个渠道并发送测试消息，之后可以随时添加更多。",
    more: "全部渠道类型",
    fewer: "请选择",
  },
  empty: "还没有通知渠道。",
};

const webhookUrl = { label: "Webhook 地址", hint: "整个地址都是机密：知道地址的人都可以发送消息。" };
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
      apiBaseUrl: { label: "API 地址", hint: "仅在使用自建代理时填写" },
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
};
