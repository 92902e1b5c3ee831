import type { Language } from "@sonde/proto/http/messages";

const english = {
  hello: "Hello, this is Sonde",
  since: (at: string) => `Since ${at}`,
  severity: (severity: string) => `Severity: ${severity}`,
  end: ". ",
  acknowledge: "Press 1 to acknowledge.",
  confirm: "Press 1 to confirm that calls reach you.",
  acknowledged: "Acknowledged. Thank you, and goodbye.",
  confirmed: "Confirmed. Thank you, and goodbye.",
  goodbye: "Nothing was acknowledged. Goodbye.",
  over: "This incident is over. Goodbye.",
  failed: "This could not be acknowledged. Please open Sonde. Goodbye.",
  /** Note of the acknowledgement. */
  note: "By phone call",
};

export type CallWords = typeof english;

const chinese: CallWords = {
  hello: "您好，这里是 Sonde",
  since: (at) => `开始时间：${at}`,
  severity: (severity) => `级别：${severity}`,
  end: "。",
  acknowledge: "确认请按 1。",
  confirm: "请按 1，确认您能接到电话。",
  acknowledged: "已确认。谢谢，再见。",
  confirmed: "已收到您的按键。谢谢，再见。",
  goodbye: "未确认任何告警。再见。",
  over: "该事件已结束。再见。",
  failed: "未能确认，请打开 Sonde 处理。再见。",
  note: "通过电话确认",
};

export const wordsOf = (language: Language): CallWords => (language === "zh-CN" ? chinese : english);
