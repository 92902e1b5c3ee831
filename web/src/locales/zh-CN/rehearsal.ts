import type { Translated } from "../catalogue.ts";
import type * as en from "../en-US/rehearsal.ts";

/** 预演。 */
export const rehearsal: Translated<typeof en.rehearsal> = {
  title: "预演",
  sum_one: "过去 {{days}} 天会发送 {{would}} 条通知，实际发送了 {{count}} 条",
  sum_other: "过去 {{days}} 天会发送 {{would}} 条通知，实际发送了 {{count}} 条",
  same: "与实际发送的没有差异。",
  changes: "多 {{added}} 条，少 {{removed}} 条",
  list: "差异",
  added: "多发",
  removed: "少发",
  first_one: "共 {{count}} 处差异，显示前 {{shown}} 处",
  first_other: "共 {{count}} 处差异，显示前 {{shown}} 处",
};
