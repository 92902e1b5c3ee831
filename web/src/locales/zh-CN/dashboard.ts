import type * as en from "../en-US/dashboard.ts";
import type { Translated } from "../catalogue.ts";

export const dashboard: Translated<typeof en.dashboard> = {
  title: "仪表盘",
  total: "监控总数",
  active: "活跃监控",
  paused_one: "{{count}} 个已暂停",
  paused_other: "{{count}} 个已暂停",
  uptime: "可用率",
  uptimeNote: "最近 24 小时",
  uptimeNote30: "30 天：{{percent}}",
  incidents: "未解决事件",
  allWell: "一切正常",
  down_one: "{{count}} 个离线",
  down_other: "{{count}} 个离线",
  states: "监控状态",
  recent: "最近事件",
  recentPartial: "部分事件暂时无法显示。",
  noIncidents: "暂无事件",
  noIncidentsText: "监控出现故障时，会连同原因显示在这里。",
  viewAll: "全部监控",
  unavailable: "暂时不可用",
  agents: {
    title: "客户端",
    viewAll: "全部客户端",
    online: "在线",
    connecting: "连接中",
    offline: "离线",
  },
  empty: {
    title: "欢迎使用 Sonde",
    text: "目前还没有监控任何对象。可以从以下两件事开始，顺序不限。",
    monitor: "监控 API",
    monitorText: "网站、API、端口、域名或证书。几秒内即可看到首个结果。",
    monitorAction: "添加监控",
    agent: "监控服务器",
    agentText: "轻量客户端上报 CPU、内存、磁盘、网络和负载。",
    agentAction: "添加客户端",
  },
};

export const incidents: Translated<typeof en.incidents> = {
  flaps_one: "反复波动，再次故障 {{count}} 次",
  flaps_other: "反复波动，再次故障 {{count}} 次",
  title: "事件",
  ongoing: "进行中",
  resolved: "已解决",
  resolution: { recovered: "已恢复", paused: "已暂停", deleted: "已删除", edited: "已修改" },
  none: "暂无事件",
  since: "已持续 {{span}}",
};
