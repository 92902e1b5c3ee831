import type { Translated } from "../catalogue.ts";
import type * as en from "../en-US/monitor-list.ts";

export const monitorList: Translated<typeof en.monitorList> = {
  tags: {
    label: "按标签筛选",
    placeholder: "全部标签",
    clear: "显示全部标签",
    none: "没有这个标签",
    more: "输入文字可查找更多标签",
    count_one: "{{count}} 个监控项",
    count_other: "{{count}} 个监控项",
    show: "显示标签为 {{tag}} 的监控项",
    all_one: "全部标签：还有 {{count}} 个",
    all_other: "全部标签：还有 {{count}} 个",
  },
  strip: { label: "按状态筛选", all: "全部" },
  columns: {
    title: "列",
    target: "URL",
    interval: "检查间隔",
    locations: "探测位置",
    since: "最近变化",
  },
  groups: {
    byTag: "按标签分组",
    untagged: "无标签",
    monitors_one: "{{count}} 个监控项",
    monitors_other: "{{count}} 个监控项",
    down_one: "{{count}} 个故障",
    down_other: "{{count}} 个故障",
    showAll_one: "显示 {{count}} 个",
    showAll_other: "显示全部 {{count}} 个",
    none: "没有符合条件的监控项",
    more: "仅显示监控项最多的 50 个标签。",
  },
  kept: {
    text_one: "{{count}} 个已更改的监控项不再符合筛选条件，仍保留在此。",
    text_other: "{{count}} 个已更改的监控项不再符合筛选条件，仍保留在此。",
    hide: "隐藏",
  },
  certificate: {
    title: "到期",
    expired: "已过期",
    until: "将于 {{date}} 到期",
    since: "已于 {{date}} 到期",
  },
  order: {
    label: "排序",
    name: "按名称",
    status: "故障优先",
    slow: "最慢优先",
    uptime: "可用率最低优先",
    newest: "最新优先",
    other: "其他顺序",
  },
  matching: {
    select_one: "选择匹配的全部 {{count}} 项",
    select_other: "选择匹配的全部 {{count}} 项",
    selected_one: "已选匹配的全部 {{count}} 项",
    selected_other: "已选匹配的全部 {{count}} 项",
    clear: "取消选择",
  },
};
