import type * as en from "../en-US/evidence.ts";
import type { Translated } from "../catalogue.ts";

export const evidence: Translated<typeof en.evidence> = {
  title: "故障证据",
  which: "哪一次失败的检查",
  first: "首次失败",
  latest: "最近一次",
  status: "状态",
  expected: "期望",
  addresses: "尝试过的地址",
  from: "检查位置",
  certificate: "证书",
  issuer: "签发者：{{issuer}}",
  body: "响应体（前 2 KB）",
  headers_one: "{{count}} 个响应头",
  headers_other: "{{count}} 个响应头",
  around: "开始前后的响应时间",
  aroundSummary_one: "{{count}} 次检查，{{down}} 次失败",
  aroundSummary_other: "{{count}} 次检查，{{down}} 次失败",
  aroundStart: "事件开始",
  slowest: "最慢 {{time}}",
};
