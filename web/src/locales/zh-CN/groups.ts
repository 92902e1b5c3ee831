import type { groups as english } from "../en-US/groups.ts";
import type { Translated } from "../catalogue.ts";

export const groups: Translated<typeof english> = {
  members: "成员",
  membersOf: "{{name}} 的成员",
  none: "没有成员",
  more: "仅显示前 {{count}} 个成员。",
  upOf: "{{count}} 个中 {{up}} 个正常",
  needed: "至少 {{count}} 个正常",
  ignored: "，{{count}} 个不计入",
  exact: "按时间精确计算，而非按检查次数",
  by: "选择成员",
  byMembers: "逐个选择",
  byTag: "按标签",
  number: "指定数量",
  count: "成员数量",
};
