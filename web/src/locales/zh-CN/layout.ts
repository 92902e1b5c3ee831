import type * as en from "../en-US/layout.ts";
import type { Translated } from "../catalogue.ts";

export const nav: Translated<typeof en.nav> = {
  main: "主导航",
  dashboard: "仪表盘",
  monitors: "API 监控",
  agents: "Agent 监控",
  statusPage: "状态页",
  notifications: "通知",
  language: "语言",
  theme: "主题",
  login: "登录",
  menu: "菜单",
  incidents: "事件",
  maintenance: "维护",
  onCall: "值班",
  slos: "服务等级",
  reports: "报告",
  openIncidents: "{{count}} 个进行中",
  palette: "搜索与命令",
  account: "{{username}} 的账号",
  loggedInAs: "当前登录",
  users: "用户管理",
  audit: "审计日志",
  signIn: "登录方式",
  sources: "配置来源",
  settings: "设置",
  profile: "个人资料",
  docs: "文档",
  api: "API 参考",
  logout: "退出登录",
  waiting_one: "有 {{count}} 个账号等待审核",
  waiting_other: "有 {{count}} 个账号等待审核",
};

export const settings: Translated<typeof en.settings> = {
  general: "常规",
  preferences: {
    title: "外观、语言与时区",
    timeZone: "时区",
    browserZone: "跟随浏览器（{{zone}}）",
    note: "立即生效，并保存在此浏览器中。",
  },
  locations: "探测位置",
  locationsText: "监控项从这些位置执行检查。探测节点连接后，其位置会自动加入。",
  location: "位置",
  runners: "探测节点",
  monitors: "监控项",
};

export const footer: Translated<typeof en.footer> = {
  copyright: "© {{year}} Sonde",
  blog: "博客",
  video: "视频频道",
  mail: "临时邮箱",
  version: "版本 {{version}}",
};

export const notFound: Translated<typeof en.notFound> = {
  title: "页面不存在",
  text: "该地址没有内容。页面可能已移动，或链接输入有误。",
  home: "返回首页",
};

export const crash: Translated<typeof en.crash> = {
  broken: {
    title: "页面出错了",
    text: "此页面无法显示。如果 Sonde 刚刚更新过或连接曾中断，重新加载即可恢复。",
  },
  offline: {
    title: "您已离线",
    text: "浏览器没有网络连接。网络恢复后会自动加载此页面。",
  },
  away: {
    title: "无法连接到 Sonde 服务器",
    text: "服务器可能正在重启。恢复响应后会自动加载此页面。",
  },
  reload: "重新加载页面",
};
