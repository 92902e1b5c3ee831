import type { Translated } from "../catalogue.ts";
import type * as en from "../en-US/monitors.ts";

export const monitors: Translated<typeof en.monitors> = {
  title: "API 监控",
  add: "添加监控项",
  import: "导入",
  clone: "克隆",
  name: "名称",
  status: "状态",
  responseTime: "响应时间",
  uptime: "可用率（24 小时）",
  searchLabel: "按名称、URL 或描述搜索",
  filters: { active: "运行中", expiring: "即将到期" },
  clearFilters: "清除筛选",
  selectAll: "选择本页全部",
  select: "选择 {{name}}",
  selected_one: "已选 {{count}} 项",
  selected_other: "已选 {{count}} 项",
  pause: "暂停",
  resume: "恢复",
  pausing: "正在暂停…",
  resuming: "正在恢复…",
  empty: {
    title: "暂无监控项",
    text: "监控项按计划检查网站、API 或服务器，并记录其状态与响应时间。",
    noMatch: "没有符合条件的监控项",
    noMatchText: "换个关键词，或清除筛选条件。",
  },
  remove: {
    title: "删除监控项？",
    text: "“{{name}}”及其全部历史将被删除。此操作无法撤销。",
    manyTitle: "批量删除监控项？",
    many_one: "{{count}} 个监控项及其全部历史将被删除。此操作无法撤销。",
    many_other: "{{count}} 个监控项及其全部历史将被删除。此操作无法撤销。",
    success: "监控项已删除",
  },
  pauseAsk: {
    title_one: "暂停并结束 {{count}} 个事件？",
    title_other: "暂停并结束 {{count}} 个事件？",
    text_one: "有 {{count}} 个事件正在进行。暂停会结束该事件，但不发送消息；恢复后若故障仍在，会产生新的事件。",
    text_other: "有 {{count}} 个事件正在进行。暂停会结束这些事件，但不发送消息；恢复后若故障仍在，会产生新的事件。",
  },
  bulk: {
    edited_one: "已修改 {{count}} 个监控项",
    edited_other: "已修改 {{count}} 个监控项",
    paused_one: "已暂停 {{count}} 个监控项",
    paused_other: "已暂停 {{count}} 个监控项",
    resumed_one: "已恢复 {{count}} 个监控项",
    resumed_other: "已恢复 {{count}} 个监控项",
    deleted_one: "已删除 {{count}} 个监控项",
    deleted_other: "已删除 {{count}} 个监控项",
    failed_one: "{{count}} 个操作失败：{{reason}}",
    failed_other: "{{count}} 个操作失败：{{reason}}",
    failedNames: "{{names}}（{{reason}}）",
    others_one: "另外 {{count}} 个",
    others_other: "另外 {{count}} 个",
  },
  recentChecks: {
    title: "最近检查",
    noneYet: "尚无检查",
    summary_one: "最近 {{count}} 次检查：{{down}} 次失败，{{none}} 次无数据",
    summary_other: "最近 {{count}} 次检查：{{down}} 次失败，{{none}} 次无数据",
    inMaintenance_one: "其中 {{count}} 次在维护中",
    inMaintenance_other: "其中 {{count}} 次在维护中",
  },
};

export const managed: Translated<typeof en.managed> = {
  from: "来自 {{source}}",
  by: "由 {{source}} 管理",
  byAt: "由 {{source}} 管理，位于 {{place}}",
};

export const cells: Translated<typeof en.cells> = {
  up: "全部正常",
  partial: "部分故障",
  down: "故障",
  noData: "无数据",
  notDue: "未监控",
  maintenance: "维护中",
  partlyMaintenance: "部分时间维护中",
};
