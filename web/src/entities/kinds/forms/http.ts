import { assertions, followRedirects, headers, login, minDaysLeft, servername, verifyTls } from "../common.ts";
import { kindForm } from "../kind-form.ts";

export const form = kindForm<"http">({
  name: { en: "HTTP", zh: "HTTP" },
  purpose: { en: "A website or an API responds as expected", zh: "检查网站或 API 的响应是否符合预期" },
  group: "web",
  fields: {
    url: {
      label: { en: "URL", zh: "URL" },
      input: "webAddress",
      place: "address",
      placeholder: "https://api.example.com/health",
      summary: null,
    },
    method: { label: { en: "Method", zh: "请求方法" }, input: "choice", place: "request", width: "third" },
    headers,
    body: {
      label: { en: "Body", zh: "请求体" },
      input: "verbatim",
      place: "request",
      rows: 4,
      none: { en: "No body", zh: "无请求体" },
    },
    followRedirects,
    verifyTls: { ...verifyTls, place: "request" },
    expectedStatus: {
      label: { en: "Expected status code", zh: "期望状态码" },
      hint: { en: "200, 2xx or 200-204,301", zh: "200、2xx 或 200-204,301" },
      input: "status",
      place: "expectation",
      width: "half",
    },
    minDaysLeft: {
      ...minDaysLeft,
      place: "expectation",
      // Stays visible while it has a value.
      shownIf: (values) => Boolean(values["minDaysLeft"]) || !/^\s*http:/i.test(String(values["url"])),
    },
    assertions: { ...assertions, place: "expectation" },
    proxy: {
      label: { en: "Proxy", zh: "代理" },
      hint: {
        en: "http, https, socks5 (the probe runner resolves names) or socks5h (the proxy does). Everything until the connection is open counts as connect time.",
        zh: "支持 http、https、socks5（由探测节点解析域名）和 socks5h（由代理解析域名）。连接建立之前的各阶段均计入连接时间。",
      },
      input: "object",
      place: "connection",
      parts: {
        url: {
          label: { en: "Proxy URL", zh: "代理地址" },
          input: "url",
          placeholder: "http://proxy.example.com:3128",
        },
        ...login,
      },
      summary: ({ url }: { url: string }) => url,
    },
    clientCertificate: {
      label: { en: "Client certificate", zh: "客户端证书" },
      hint: {
        en: "Both in PEM. The key must be unencrypted; it is stored encrypted and never shown again.",
        zh: "均为 PEM 格式。私钥须未加密；保存时会加密，之后不再显示。",
      },
      input: "object",
      place: "connection",
      parts: {
        cert: { label: { en: "Certificate", zh: "证书" }, input: "verbatim", rows: 3 },
        key: { label: { en: "Private key", zh: "私钥" }, input: "verbatim", rows: 3 },
      },
    },
    oauth: {
      label: { en: "OAuth 2 client credentials", zh: "OAuth 2 客户端凭据" },
      hint: {
        en: "Requests a token, reuses it until it expires, and sends it in the Authorization header.",
        zh: "请求令牌并在过期前重复使用，通过 Authorization 请求头发送。",
      },
      input: "object",
      place: "connection",
      parts: {
        tokenUrl: { label: { en: "Token URL", zh: "令牌地址" }, input: "url" },
        clientId: { label: { en: "Client ID", zh: "客户端 ID" }, input: "code", width: "half" },
        clientSecret: {
          label: { en: "Client secret", zh: "客户端密钥" },
          hint: { en: "Stored encrypted, and sent only to the token URL.", zh: "加密保存，仅发送到令牌地址。" },
          input: "secret",
          width: "half",
        },
        scope: { label: { en: "Scope", zh: "权限范围（scope）" }, input: "code", width: "half" },
        audience: { label: { en: "Audience", zh: "受众（audience）" }, input: "code", width: "half" },
        authentication: {
          label: { en: "Client authentication", zh: "客户端认证方式" },
          input: "choice",
          width: "half",
          options: {
            basic: { en: "In a header (HTTP Basic)", zh: "请求头（HTTP Basic）" },
            body: { en: "In the body", zh: "请求体" },
          },
        },
      },
      summary: ({ clientId, tokenUrl }: { clientId: string; tokenUrl: string }) => `${clientId} · ${tokenUrl}`,
    },
    ipFamily: {
      label: { en: "IP version", zh: "IP 版本" },
      input: "choice",
      place: "connection",
      width: "half",
      options: {
        "": { en: "IPv4 and IPv6", zh: "IPv4 和 IPv6" },
        ipv4: { en: "IPv4 only", zh: "仅 IPv4" },
        ipv6: { en: "IPv6 only", zh: "仅 IPv6" },
      },
    },
    servername: { ...servername, place: "connection" },
    h2c: {
      label: { en: "HTTP/2 without TLS", zh: "不加密的 HTTP/2" },
      hint: {
        en: "For http addresses whose server supports only HTTP/2 without TLS (h2c with prior knowledge).",
        zh: "用于服务器仅支持 h2c（prior knowledge 方式）的 http 地址。",
      },
      input: "switch",
      place: "connection",
    },
  },
});
