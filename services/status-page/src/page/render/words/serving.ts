import type { PageLanguage } from "@sonde/proto/http/status/documents";

type Notice = { title: string; text: string };

/** The texts of the parts that serve the public page: notices, badges, the feed. */
export type ServingWords = {
  missing: Notice;
  badge: {
    uptime: string;
    response: string;
    noData: string;
    states: Record<"up" | "down" | "pending" | "paused" | "maintenance" | "unknown", string>;
  };
  feed: {
    title(page: string): string;
    down(names: string): string;
    offline(names: string): string;
    maintenance(name: string): string;
    affected(names: string): string;
    noName: string;
    from(start: string, end: string): string;
    opened: string;
    closed: string;
    postMortem: string;
    states: Record<"investigating" | "identified" | "monitoring" | "resolved", string>;
  };
};

export const servingWords: Record<PageLanguage, ServingWords> = {
  "en-US": {
    missing: { title: "Not found", text: "There is nothing at this address." },
    badge: {
      uptime: "90-day uptime",
      response: "response time",
      noData: "no data",
      states: {
        up: "up",
        down: "down",
        pending: "pending",
        paused: "paused",
        maintenance: "maintenance",
        unknown: "no data",
      },
    },
    feed: {
      title: (page) => `${page}: incidents and maintenance`,
      down: (names) => `${names} is down`,
      offline: (names) => `${names} is offline`,
      maintenance: (name) => `Maintenance: ${name}`,
      affected: (names) => `Affected: ${names}`,
      noName: "A service",
      from: (start, end) => `From ${start} to ${end} UTC`,
      opened: "Began",
      closed: "Resolved",
      postMortem: "Post-mortem",
      states: {
        investigating: "Investigating",
        identified: "Identified",
        monitoring: "Monitoring",
        resolved: "Resolved",
      },
    },
  },
  "zh-CN": {
    missing: { title: "未找到", text: "该地址不存在。" },
    badge: {
      uptime: "90 天可用率",
      response: "响应时间",
      noData: "无数据",
      states: {
        up: "正常",
        down: "故障",
        pending: "等待中",
        paused: "已暂停",
        maintenance: "维护中",
        unknown: "无数据",
      },
    },
    feed: {
      title: (page) => `${page}：事件与维护`,
      down: (names) => `${names} 发生故障`,
      offline: (names) => `${names} 已离线`,
      maintenance: (name) => `维护：${name}`,
      affected: (names) => `受影响的服务：${names}`,
      noName: "某项服务",
      from: (start, end) => `${start} 至 ${end}（UTC）`,
      opened: "开始",
      closed: "已恢复",
      postMortem: "事后复盘",
      states: {
        investigating: "调查中",
        identified: "已定位",
        monitoring: "观察中",
        resolved: "已解决",
      },
    },
  },
};
