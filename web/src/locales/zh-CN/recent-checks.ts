import type * as en from "../en-US/recent-checks.ts";
import type { Translated } from "../catalogue.ts";

export const recentChecks: Translated<typeof en.recentChecks> = {
  title: "最近检查",
  noneYet: "尚无检查",
  summary_one: "最近 {{count}} 次检查：{{down}} 次失败，{{none}} 次无数据",
  summary_other: "最近 {{count}} 次检查：{{down}} 次失败，{{none}} 次无数据",
  inMaintenance_one: "其中 {{count}} 次在维护中",
  inMaintenance_other: "其中 {{count}} 次在维护中",
};
