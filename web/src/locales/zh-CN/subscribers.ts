import type * as en from "../en-US/subscribers.ts";
import type { Translated } from "../catalogue.ts";

export const subscribers: Translated<typeof en.subscribers> = {
  title: "订阅者",
  searchLabel: "按邮箱搜索",
  clearFilters: "清除搜索",
  count_one: "{{count}} 位订阅者",
  count_other: "{{count}} 位订阅者",
  email: "邮箱",
  status: "状态",
  statuses: { confirmed: "已确认", pending: "等待确认" },
  services: "订阅内容",
  all: "全部",
  andMore: "{{names}}，另有 {{count}} 项",
  comma: "、",
  monitor: "API 服务 {{id}}",
  agent: "客户端 {{id}}",
  since: "订阅时间",
  empty: {
    title: "暂无订阅者",
    text: "在公开状态页上订阅并通过邮件确认的人，会收到事件和维护通知。",
    noMatch: "没有符合条件的订阅者",
    noMatchText: "请尝试邮箱的其他部分。",
  },
  remove: {
    title: "删除订阅者？",
    text: "“{{name}}”将不再收到邮件，之后仍可在公开状态页上重新订阅。",
    success: "订阅者已删除",
  },
  off: "目前无法订阅：订阅功能已关闭。",
  noChannel: "目前无法订阅：尚未选择发送邮件的通知渠道。",
  toSettings: "修改状态页设置",
  noPublicUrl: "目前无法订阅：邮件中的链接需要公开访问地址。请设置 PUBLIC_URL 并重启 Sonde。",
};
