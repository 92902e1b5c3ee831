import type * as en from "../en-US/status-page.ts";
import type { Translated } from "../catalogue.ts";

export const statusPage: Translated<typeof en.statusPage> = {
  open: "打开公开页面",
  tabs: "状态页的各个部分",
  tab: {
    page: "页面",
    incidents: "事件公告",
    maintenance: "计划维护",
    subscribers: "订阅者",
  },
};
