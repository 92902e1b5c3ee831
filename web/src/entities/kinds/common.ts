import type { FieldForm, CheckFields, Text } from "./kind-form.ts";

export const none: Text = { en: "None", zh: "无" };
const stillEncrypted = ({ tls, security }: CheckFields) => tls !== false && security !== "none";

export const host = (placeholder: string, width?: FieldForm["width"]): FieldForm => ({
  label: { en: "Host", zh: "主机" },
  input: "code",
  place: "address",
  width,
  placeholder,
});

export const server = (hostExample: string, portExample: string) => ({
  host: host(hostExample, "wide"),
  port: {
    label: { en: "Port", zh: "端口" },
    input: "number",
    place: "address",
    width: "narrow",
    placeholder: portExample,
  } satisfies FieldForm,
});

export const login = {
  username: { label: { en: "Username", zh: "用户名" }, input: "code", width: "half", none },
  password: {
    label: { en: "Password", zh: "密码" },
    hint: {
      en: "Stored encrypted, and sent only to this host and port.",
      zh: "加密保存，仅发送到此主机和端口。",
    },
    input: "secret",
    width: "half",
    none,
  },
} satisfies Record<string, FieldForm>;

export const verifyTls = {
  label: { en: "Verify TLS certificates", zh: "校验 TLS 证书" },
  hint: {
    en: "Turn this off only for endpoints with self-signed certificates.",
    zh: "仅在端点使用自签名证书时关闭。",
  },
  input: "switch",
  width: "half",
  shownIf: stillEncrypted,
} satisfies FieldForm;

export const minDaysLeft = {
  label: { en: "Minimum days left on the certificate", zh: "证书最少剩余天数" },
  hint: {
    en: "Down if the certificate expires sooner. Leave empty to skip this check.",
    zh: "证书剩余天数低于此值时判定为故障。留空则不检查。",
  },
  input: "number",
  width: "half",
  shownIf: stillEncrypted,
} satisfies FieldForm;

export const certificate = { minDaysLeft, verifyTls };

/** TLS that the user switches on. */
export const tls = {
  tls: { label: { en: "Use TLS", zh: "使用 TLS" }, input: "switch" },
  ...certificate,
} satisfies Record<string, FieldForm>;

export const servername = {
  label: { en: "Server name (SNI)", zh: "服务器名称（SNI）" },
  hint: {
    en: "The name that the certificate must cover. Default: the host.",
    zh: "证书须与此名称匹配。默认为主机名。",
  },
  input: "code",
} satisfies FieldForm;

export const headers = {
  label: { en: "Headers", zh: "请求头" },
  hint: {
    en: "Values of authorization, cookie, *-key, *-token and *-secret headers are stored encrypted and never shown again.",
    zh: "authorization、cookie 以及 *-key、*-token、*-secret 请求头的值会加密保存，之后不再显示。",
  },
  input: "headers",
  place: "request",
  none: { en: "No headers", zh: "无请求头" },
} satisfies FieldForm;

export const assertions = {
  label: { en: "Assertions", zh: "断言" },
  hint: { en: "Extra conditions the response must meet.", zh: "响应还必须满足的其他条件。" },
  input: "assertions",
  none,
} satisfies FieldForm;

export const followRedirects = {
  label: { en: "Follow redirects", zh: "跟随重定向" },
  input: "switch",
  place: "request",
  width: "half",
} satisfies FieldForm;

export const exchange = {
  send: {
    label: { en: "Send", zh: "发送内容" },
    input: "verbatim",
    rows: 2,
    none: { en: "Nothing", zh: "不发送" },
  },
  expect: {
    label: { en: "Expected response", zh: "期望响应" },
    input: "verbatim",
    none: { en: "Not checked", zh: "不检查" },
  },
} satisfies Record<string, FieldForm>;

export const sql = (port: string, databaseHint: Text) => ({
  ...server("db.example.com", port),
  username: { ...login.username, place: "basic" } satisfies FieldForm,
  password: { ...login.password, place: "basic" } satisfies FieldForm,
  database: {
    label: { en: "Database", zh: "数据库" },
    hint: databaseHint,
    input: "code",
    place: "basic",
    none,
  } satisfies FieldForm,
  query: {
    label: { en: "Query", zh: "查询语句" },
    hint: {
      en: "One statement, run in a read-only transaction. Use a read-only account as well.",
      zh: "一条语句，在只读事务中执行。建议同时使用只读账号。",
    },
    input: "verbatim",
    rows: 2,
  } satisfies FieldForm,
  assertions: {
    ...assertions,
    hint: {
      en: "Conditions on the first row as JSON: $.count is the column “count”.",
      zh: "针对结果首行（JSON 格式）的条件：$.count 表示名为 count 的列。",
    },
    sources: ["json", "latency"],
  } satisfies FieldForm,
  ...tls,
});
