import type { Translated } from "../catalogue.ts";
import type * as en from "../en-US/what-changed.ts";

export const whatChanged: Translated<typeof en.whatChanged> = {
  title: "发生了什么变化",
  from: "检查位置：{{location}}",
  fact: "项目",
  lastGood: "最后一次正常",
  firstBad: "首次失败",
  differs: "（不同）",
  noDifference: "失败的检查与最后一次正常检查看到的内容相同。",
  others_one: "其余 {{count}} 项",
  others_other: "其余 {{count}} 项",
  facts: {
    status: "状态码",
    addresses: "地址",
    names: "别名",
    certificate: "证书",
    redirects: "重定向",
    server: "服务器",
    resolver: "DNS 服务器",
    proxy: "代理",
    timings: "耗时",
    bodyBytes: "正文",
    bodyHash: "正文哈希",
  },
  phases: { dns: "DNS", connect: "连接", tls: "TLS", firstByte: "首字节", total: "总计" },
  bytes_one: "{{number}} 字节",
  bytes_other: "{{number}} 字节",
  before: "此前一小时内",
  edited: "{{text}}：{{fields}}",
};

export const tracedPath: Translated<typeof en.tracedPath> = {
  title: "到目标的路径",
  failed: "{{location}}，故障时",
  recovered: "{{location}}，恢复时",
  silent: "无响应",
  ends: "下一跳路由器或目标没有响应。",
};
