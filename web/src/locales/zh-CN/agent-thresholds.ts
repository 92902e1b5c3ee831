import type * as en from "../en-US/agent-thresholds.ts";
import type { Translated } from "../catalogue.ts";

export const agentThresholds: Translated<typeof en.agentThresholds> = {
  title: "阈值",
  scope: { agent: "单独设置", global: "全局" },
  source: { agent: "此客户端使用单独设置的阈值。", global: "使用适用于所有客户端的全局阈值。" },
  globally: "全局：{{value}}",
  off: "关闭",
  edit: "编辑阈值",
  hint: "百分比。连续两次上报超过阈值即产生事件；留空则该指标不产生事件。",
  makesOwn: "保存后，此客户端将拥有单独的通知设置，其内容复制自全局设置；之后修改全局设置将不再影响它。",
  save: "保存阈值",
  saving: "正在保存…",
  saved: "阈值已保存",
  reset: "恢复为全局",
  resetting: "正在恢复…",
  askTitle: "恢复为全局阈值？",
  askText: "“{{name}}”的单独通知设置（阈值、渠道和事件）将全部移除，重新使用全局设置。此操作无法撤销。",
  wasReset: "已重新使用全局阈值",
  line: "阈值",
  above: "{{value}}，超过阈值 {{threshold}}",
  below: "{{value}}，阈值 {{threshold}}",
};
