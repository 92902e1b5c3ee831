import type { FlowStep } from "@sonde/proto/http/monitors/checks/flow";
import { typedHost } from "../../../lib/typed.ts";
import { assertions, certificate, followRedirects, headers } from "../common.ts";
import { type FieldForm, kindForm } from "../kind-form.ts";

const step = {
  method: { label: { en: "Method", zh: "请求方法" }, input: "choice", width: "narrow" },
  url: {
    label: { en: "URL", zh: "URL" },
    input: "webAddress",
    width: "wide",
    placeholder: "https://shop.example.com/login",
  },
  expectedStatus: { label: { en: "Expected status", zh: "期望状态码" }, input: "status", width: "narrow" },
  name: {
    label: { en: "Step name", zh: "步骤名称" },
    hint: { en: "Optional. Shown if the step fails.", zh: "选填。步骤失败时显示。" },
    input: "text",
    width: "wide",
  },
  headers,
  body: { label: { en: "Body", zh: "请求体" }, input: "verbatim", rows: 3 },
  assertions,
  extract: {
    label: { en: "Values for later steps", zh: "供后续步骤使用的值" },
    hint: {
      en: "Taken from the response. A missing value fails the step.",
      zh: "从响应中提取；缺少该值时步骤失败。",
    },
    input: "extractions",
  },
} satisfies Record<keyof FlowStep, FieldForm>;

export const form = kindForm<"flow">({
  name: { en: "HTTP flow", zh: "HTTP 流程" },
  purpose: {
    en: "Several HTTP requests succeed in order, such as login, order, logout",
    zh: "检查多个 HTTP 请求能否依次完成，例如登录、下单、退出",
  },
  group: "web",
  proposeName: ({ steps }) => typedHost((steps as { url: string }[])[0]?.url ?? ""),
  fields: {
    steps: {
      label: { en: "Steps", zh: "步骤" },
      hint: {
        en: "Sent in order within one timeout; the first failure ends the check. Write {{name}} in a path, query, header or body to insert a value from an earlier step. Cookies are sent back to their server.",
        zh: "各步骤依次执行，共用一个超时时间，任一步骤失败则检查结束。在路径、查询参数、请求头或请求体中写入 {{name}}，即可填入之前步骤提取的值。Cookie 会发回其来源服务器。",
      },
      input: "steps",
      place: "basic",
      parts: step,
    },
    followRedirects: { ...followRedirects, width: undefined },
    minDaysLeft: { ...certificate.minDaysLeft, place: "request" },
    verifyTls: { ...certificate.verifyTls, place: "request" },
  },
});
