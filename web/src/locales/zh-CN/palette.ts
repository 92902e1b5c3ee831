import type * as en from "../en-US/palette.ts";
import type { Translated } from "../catalogue.ts";

export const palette: Translated<typeof en.palette> = {
  placeholder: "查找监控、客户端、页面或操作",
  monitors: "监控",
  agents: "客户端",
  users: "用户",
  pages: "前往",
  here: "当前页面",
  actions: "操作",
  searching: "正在搜索…",
  none: "没有找到与“{{text}}”相关的内容",
  results_one: "{{count}} 条结果",
  results_other: "{{count}} 条结果",
  home: "首页",
  openIncidents: "进行中的事件",
  publicStatus: "公开状态页",
  editStatusPage: "编辑状态页",
  announce: "发布事件公告",
  planMaintenance: "安排维护",
  theme: "主题：{{name}}",
  language: "语言：{{name}}",
};

export const shortcuts: Translated<typeof en.shortcuts> = {
  title: "键盘快捷键",
  palette: "搜索与命令",
  search: "定位到搜索框",
  next: "列表下一行",
  previous: "列表上一行",
  open: "打开所选行",
  sheet: "显示快捷键",
  close: "关闭打开的对话框或菜单",
  or: "或",
  singleKeys: "单键快捷键",
  singleKeysHint: "如果语音输入会误触发快捷键，可将其关闭。此设置仅在当前标签页内有效。",
};
