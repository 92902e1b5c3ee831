import type * as en from "../en-US/common.ts";
import type { Translated } from "../catalogue.ts";

export const common: Translated<typeof en.common> = {
  loading: "正在加载…",
  retry: "重试",
  retrying: "正在重试…",
  close: "关闭",
  cancel: "取消",
  delete: "删除",
  deleting: "正在删除…",
  edit: "编辑",
  view: "查看详情",
  actions: "操作",
  copy: "复制",
  copied: "已复制",
  sort: "按此列排序",
  pages: "分页",
  pageOf: "第 {{first}}–{{last}} 条，共 {{total}} 条",
  previous: "上一页",
  next: "下一页",
  removeNumber: "移除第 {{number}} 项",
  refresh: "刷新",
  refreshing: "正在刷新…",
  optional: "{{label}}（选填）",
  every: "每 {{span}}",
  now: "现在",
  yes: "是",
  lostLocations: {
    none: "位置 {{names}} 没有运行中的探测节点，该位置的监控项无法检查。",
    names: "位置 {{names}} 的探测节点无法解析域名，该位置使用域名的监控项无法检查。",
    network: "位置 {{names}} 的探测节点网络不通，该位置的监控项无法检查。",
  },
  no: "否",
  none: "无",
  undo: "撤销",
  undone: "已撤销",
  hotkey: "快捷键：{{key}}",
  leave: {
    title: "离开此页面？",
    text: "离开后，未保存的更改将丢失。",
    stay: "留在此页",
    leave: "离开",
  },
  skipToContent: "跳到主要内容",
  saving: "正在保存…",
  saveChanges: "保存更改",
  done: "完成",
};

export const status: Translated<typeof en.status> = {
  list: {
    up: "正常",
    slow: "缓慢",
    partial: "部分故障",
    down: "故障",
    pending: "等待中",
    paused: "已暂停",
    noData: "无数据",
  },
  detail: {
    up: "正常",
    slow: "缓慢",
    partial: "部分故障",
    down: "故障",
    pending: "等待中",
    paused: "已暂停",
    noData: "无数据",
  },
};

export const theme: Translated<typeof en.theme> = { light: "浅色", dark: "深色", auto: "跟随系统" };

export const live: Translated<typeof en.live> = {
  short: "正在重新连接…",
  lost: "连接已断开，数据可能不是最新的。正在重新连接…",
  offline: "您已离线",
};
