import type { Language } from "@sonde/proto/http/messages";
import type { Who } from "../permissions.ts";

const english = {
  title: "API reference",
  lead: "Everything the web app can do, it does through this API, and so can you.",
  download: "OpenAPI 3.1 document",
  home: "Back to Sonde",
  contents: "Contents",
  skip: "Skip to the content",
  basics: "Basics",
  basicsAuth:
    "Log in once, then send the token with every request as a bearer token. It lives 7 days, or until you log out or the password changes.",
  basicsEnvelope:
    "Every answer is a JSON object. A success says success: true and holds its entities by name; a failure says success: false, a message fit to show a person, and a code.",
  basicsValues: "Times are ISO 8601 in UTC, ids are integers, unknown fields are refused with 400.",
  basicsLanguage: "Messages follow Accept-Language: zh gives Chinese, everything else English.",
  basicsLimits: "Bodies are at most 1 MiB. After 429 and 503, Retry-After says how many seconds to wait.",
  objects: "Objects",
  parameters: "Parameters",
  body: "Request body",
  answers: "Answers",
  request: "Request",
  answer: "Answer",
  fields: "Fields of the answer",
  inPath: "in the path",
  inQuery: "in the query",
  inHeader: "a header",
  required: "required",
  default: "default",
  anyOf: "or",
  listOf: "list of",
  characters: "characters",
  entries: "entries",
  oneOf: "one of",
  link: "Link to",
  document: "a document, no envelope",
} as const;

export type ReferenceWords = Record<keyof typeof english, string> & {
  who: Record<Who | "token" | "agent", string>;
  nouns: Record<string, string>;
};

const englishWords: ReferenceWords = {
  ...english,
  who: {
    anyone: "anyone",
    session: "every account",
    write: "users and admins",
    self: "the user itself, or an admin",
    admin: "admins",
    token: "whoever has a registration token",
    agent: "agents, each by its own key",
  },
  nouns: { auth: "Login and sessions", docs: "This page", openapi: "OpenAPI" },
};

const chineseWords: ReferenceWords = {
  title: "API 参考",
  lead: "网页应用所做的一切都通过这套 API 完成，您也可以。",
  download: "OpenAPI 3.1 文档",
  home: "返回 Sonde",
  contents: "目录",
  skip: "跳到正文",
  basics: "基础",
  basicsAuth: "登录一次，之后每个请求都以 Bearer 方式携带令牌。令牌有效期 7 天，退出登录或修改密码后立即失效。",
  basicsEnvelope:
    "每个响应都是一个 JSON 对象。成功时 success 为 true，并按名称给出各个实体；失败时 success 为 false，附带可直接展示的 message 和错误代码 code。",
  basicsValues: "时间均为 ISO 8601 格式的 UTC 时间，ID 为整数；出现未知字段时返回 400。",
  basicsLanguage: "提示信息的语言取决于 Accept-Language：zh 为中文，其他均为英文。",
  basicsLimits: "请求体最大 1 MiB。收到 429 或 503 时，Retry-After 给出应等待的秒数。",
  objects: "对象",
  parameters: "参数",
  body: "请求体",
  answers: "响应",
  request: "请求示例",
  answer: "响应示例",
  fields: "响应字段",
  inPath: "路径参数",
  inQuery: "查询参数",
  inHeader: "请求头",
  required: "必填",
  default: "默认值",
  anyOf: "或",
  listOf: "列表：",
  characters: "个字符",
  entries: "项",
  oneOf: "可选值",
  link: "链接到",
  document: "独立文档，不使用统一响应格式",
  who: {
    anyone: "任何人",
    session: "所有账号",
    write: "普通用户和管理员",
    self: "用户本人或管理员",
    admin: "管理员",
    token: "持有注册令牌者",
    agent: "客户端，使用各自的密钥",
  },
  nouns: {
    auth: "登录与会话",
    users: "用户",
    monitors: "监控",
    incidents: "事件",
    locations: "位置",
    dashboard: "仪表盘",
    config: "配置",
    events: "实时推送",
    docs: "本参考页",
    openapi: "OpenAPI 文档",
    agents: "主机监控",
    status: "状态页",
    notifications: "通知",
  },
};

/** The texts of the page around the schemas, which are in English. */
export const words: Record<Language, ReferenceWords> = { "en-US": englishWords, "zh-CN": chineseWords };
