import type { Language } from "@sonde/proto/http/messages";

/** Texts of mails to subscribers. Parameters are plain text, escaped later. */
const english = {
  states: {
    investigating: "Investigating",
    identified: "Identified",
    monitoring: "Monitoring",
    resolved: "Resolved",
  },
  impacts: { minor: "Minor", major: "Major", critical: "Critical" },
  /** Precedes names, as in "Affected: Shop, Payments". */
  affected: "Affected",
  impact: "Impact",
  time: "Time",
  /** Both instants include their time zone. */
  span: (from: string, to: string) => `${from} – ${to}`,
  planned: "Scheduled maintenance",
  begun: "Maintenance started",
  recurring: "This maintenance recurs; this is the next occurrence.",
  seePage: "View on the status page",
  confirmSubject: "Confirm your subscription",
  confirmAsked: (title: string) => `Someone, probably you, asked to receive updates from ${title} at this address.`,
  confirmAll: "You will receive updates for all services on the page.",
  confirmSome: "You will receive updates for",
  confirmLink: "Confirm subscription",
  confirmIgnore: "The link is valid for 48 hours. If this wasn't you, ignore this email; you won't receive any more.",
  why: (title: string) => `You are receiving this email because you subscribed to ${title}.`,
  unsubscribe: "Unsubscribe",
  openSubject: "Your link to the status page",
  openAsked: (title: string) => `This link opens ${title} in your browser.`,
  openLink: "Open the page",
  openIgnore: "The link is valid for 30 minutes and works once. If you didn't request it, ignore this email.",
  colon: ": ",
  comma: ", ",
};
export type MailWords = typeof english;

const chinese: MailWords = {
  states: { investigating: "调查中", identified: "已定位", monitoring: "观察中", resolved: "已解决" },
  impacts: { minor: "轻微", major: "较大", critical: "严重" },
  affected: "受影响的服务",
  impact: "影响程度",
  time: "时间",
  span: (from, to) => `${from} 至 ${to}`,
  planned: "计划维护",
  begun: "维护已开始",
  recurring: "此维护会重复进行，以下是下一次的时间。",
  seePage: "在状态页查看",
  confirmSubject: "确认订阅",
  confirmAsked: (title) => `有人（可能是您本人）申请用此邮箱订阅“${title}”的动态。`,
  confirmAll: "您将收到状态页上所有服务的通知。",
  confirmSome: "您将收到以下服务的通知",
  confirmLink: "确认订阅",
  confirmIgnore: "链接在 48 小时内有效。如果不是您本人操作，请忽略此邮件，之后不会再向您发送邮件。",
  why: (title) => `您收到此邮件是因为订阅了“${title}”。`,
  unsubscribe: "退订",
  openSubject: "状态页访问链接",
  openAsked: (title) => `此链接将在您的浏览器中打开“${title}”。`,
  openLink: "打开状态页",
  openIgnore: "链接在 30 分钟内有效，且仅可使用一次。如果不是您本人操作，请忽略此邮件。",
  colon: "：",
  comma: "、",
};

export const wordsOf = (language: Language): MailWords => (language === "zh-CN" ? chinese : english);
