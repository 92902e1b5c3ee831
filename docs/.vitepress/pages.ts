import { existsSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "..");

/** Pages by group, in sidebar order. Pages without a file are omitted. */
const groups = {
  begin: ["index", "installing", "checks", "heartbeats", "inbound", "agents", "import"],
  alert: ["notifications", "maintenance", "on-call", "coming-from-opsgenie", "troubleshooting"],
  show: ["status-pages", "service-levels", "reports"],
  automate: ["as-code", "discovery", "api", "mcp", "prometheus"],
  operate: [
    "configuration",
    "locations",
    "private-networks",
    "own-servers",
    "kubernetes",
    "backup",
    "upgrading",
    "security",
    "sign-in",
    "audit",
    "metrics",
    "capacity",
  ],
} as const;
type Group = keyof typeof groups;
type Page = (typeof groups)[Group][number];
type Words = { groups: Record<Group, string>; pages: Record<Page, string>; app: string; description: string };

export const english = {
  description:
    "How to install, use and operate Sonde, a self-hosted monitor for websites, APIs, servers and cron jobs.",
  groups: { begin: "Begin", alert: "Alerts", show: "Show", automate: "Automate", operate: "Operate" },
  pages: {
    index: "First five minutes",
    installing: "Installing",
    checks: "Checks",
    heartbeats: "Heartbeats",
    inbound: "Alerts from elsewhere",
    agents: "Agents",
    import: "Import and export",
    notifications: "Notifications",
    maintenance: "Maintenance and silences",
    "on-call": "On call",
    "coming-from-opsgenie": "Coming from Opsgenie",
    troubleshooting: "Troubleshooting",
    "status-pages": "Status pages",
    "service-levels": "Service levels",
    reports: "Reports",
    "as-code": "Sonde as code",
    discovery: "Kubernetes discovery",
    api: "API and keys",
    mcp: "MCP",
    prometheus: "Prometheus and Grafana",
    configuration: "Configuration",
    locations: "Locations",
    "private-networks": "Private networks",
    "own-servers": "Your own servers",
    kubernetes: "Kubernetes",
    backup: "Backup",
    upgrading: "Upgrading",
    security: "Security",
    "sign-in": "Signing in",
    audit: "Audit log",
    metrics: "Sonde's own metrics",
    capacity: "Capacity",
  },
  app: "Open Sonde",
  // Accessible names must contain the visible text.
  theme: { notFound: { linkLabel: "Take me home" } },
} satisfies Words & Record<string, unknown>;

export const chinese = {
  description: "如何安装、使用和运维 Sonde：可自行部署的监控系统，监控网站、API、服务器和定时任务。",
  groups: { begin: "入门", alert: "告警", show: "展示", automate: "自动化", operate: "运维" },
  pages: {
    index: "五分钟上手",
    installing: "安装",
    checks: "检查类型",
    heartbeats: "心跳",
    inbound: "外部告警接入",
    agents: "Agent",
    import: "导入与导出",
    notifications: "通知",
    maintenance: "维护与静默",
    "on-call": "值班",
    "coming-from-opsgenie": "从 Opsgenie 迁移",
    troubleshooting: "故障排查",
    "status-pages": "状态页",
    "service-levels": "服务等级目标",
    reports: "报告",
    "as-code": "配置即代码",
    discovery: "Kubernetes 自动发现",
    api: "API 与密钥",
    mcp: "MCP",
    prometheus: "Prometheus 与 Grafana",
    configuration: "配置",
    locations: "探测位置",
    "private-networks": "内网访问",
    "own-servers": "自备服务器",
    kubernetes: "Kubernetes 部署",
    backup: "备份",
    upgrading: "升级",
    security: "安全",
    "sign-in": "登录",
    audit: "审计日志",
    metrics: "Sonde 自身指标",
    capacity: "容量",
  },
  app: "打开 Sonde",
  theme: {
    outline: { level: [2, 3] as [number, number], label: "本页内容" },
    docFooter: { prev: "上一页", next: "下一页" },
    darkModeSwitchLabel: "主题",
    lightModeSwitchTitle: "切换到浅色",
    darkModeSwitchTitle: "切换到深色",
    sidebarMenuLabel: "目录",
    returnToTopLabel: "回到顶部",
    langMenuLabel: "切换语言",
    skipToContentLabel: "跳到正文",
    notFound: {
      title: "页面不存在",
      quote: "该地址没有内容。页面可能已移动，或链接输入有误。",
      linkLabel: "返回文档首页",
      linkText: "返回文档首页",
    },
  },
  search: {
    button: { buttonText: "搜索", buttonAriaLabel: "搜索" },
    modal: {
      displayDetails: "显示详情",
      resetButtonTitle: "清空",
      backButtonTitle: "返回",
      noResultsText: "没有结果：",
      footer: { selectText: "打开", navigateText: "切换", closeText: "关闭" },
    },
  },
} satisfies Words & Record<string, unknown>;

export function navigation(words: Words, prefix: "" | "zh-CN/") {
  const sidebar = Object.entries(groups).map(([group, pages]) => ({
    text: words.groups[group as Group],
    items: pages
      .filter((page) => existsSync(join(folder, `${prefix}${page}.md`)))
      .map((page: Page) => ({ text: words.pages[page], link: `/${prefix}${page === "index" ? "" : page}` })),
  }));
  // `/../` is the app.
  return { nav: [{ text: words.app, link: "/../", target: "_self" }], sidebar };
}
