import type { Language } from "../messages.ts";
import { explain, reasons, translator } from "../reasons/reasons.ts";

/** For reminders to services that send their own. */
export const nothingToSend = "Nothing to send: PagerDuty reminds by its own rules";

/** Replaces a provider's response for users who may not write. */
const hiddenAnswer = "The provider's response is shown only to users who can make changes";

/**
 * Sonde's own notes for an attempt, if no request was sent or the provider returned no text. Attempts store the English
 * text.
 */
export const deliveryAnswers = {
  "Not sent: the provider rejected this channel earlier ({refusal})": "未发送：此渠道此前被服务商拒绝（{refusal}）",
  "Not sent: the channel was deleted": "未发送：渠道已删除",
  "Not sent: the channel is disabled": "未发送：渠道已停用",
  "Not sent: a stored secret cannot be read. Enter it again": "未发送：无法读取已保存的密钥，请重新填写",
  "Not sent: the first alert of this incident could not be delivered to this channel":
    "未发送：事件开始的通知未能送达此渠道",
  "Not sent: the provider's rate limit is reached, try again in {seconds} s":
    "未发送：已达到服务商的频率限制，请在 {seconds} 秒后重试",
  [nothingToSend]: "无需发送：PagerDuty 按自己的规则提醒",
  "Gave up: the message could not be sent in time": "已放弃：未能及时发送",
  "Sonde could not compose this message": "Sonde 未能生成此消息",
  "Sonde failed while sending this message": "Sonde 在发送此消息时出错",
  "No device has this key": "没有设备使用此密钥",
  "No configuration has this key": "没有使用此键的配置",
  "The provider took too long to respond": "服务商响应超时",
  "The server did not accept {address}: it must support SMTPUTF8 for non-ASCII addresses ({answer})":
    "邮件服务器未接受 {address}：含非 ASCII 字符的地址需要服务器支持 SMTPUTF8（{answer}）",
  "No response in time": "服务商响应超时",
  [hiddenAnswer]: "服务商的响应仅对有修改权限的用户显示",
  "The certificate of {host} is not trusted; use CA_FILE to add your own CA":
    "{host} 的证书不受信任；可用 CA_FILE 指定您自己的 CA 证书",
  "The certificate of {host} does not cover this name": "{host} 的证书与该主机名不匹配",
  "The certificate of {host} has expired": "{host} 的证书已过期",
  "{host} sent a response that is too large": "{host} 返回的数据超过响应的上限",
  "The response from {host} is not valid": "{host} 的响应无效",
  "TLS with {host} failed": "与 {host} 的 TLS 连接失败",
  // Texts stored by earlier versions.
  "The provider took too long": "服务商响应超时",
  "Not sent: the channel was refused before ({refusal})": "未发送：此渠道此前被服务商拒绝（{refusal}）",
  "Not sent: the channel is switched off": "未发送：渠道已停用",
  "Not sent: a stored secret cannot be read, enter it anew": "未发送：无法读取已保存的密钥，请重新填写",
  "Not sent: its opening could not be delivered here": "未发送：事件开始的通知未能送达此渠道",
  "Not sent: the limit of what the provider takes is reached, try again in {seconds} s":
    "未发送：已达到服务商的频率限制，请在 {seconds} 秒后重试",
  "Given up: it could not be sent in time": "已放弃：未能及时发送",
  "Sonde failed while it sent this message": "Sonde 在发送此消息时出错",
  "The server did not take {address}: for letters beyond ASCII it must support SMTPUTF8 ({answer})":
    "邮件服务器未接受 {address}：含非 ASCII 字符的地址需要服务器支持 SMTPUTF8（{answer}）",
  "No answer in time": "服务商响应超时",
  "The certificate of {host} is not trusted; CA_FILE names authorities of your own":
    "{host} 的证书不受信任；可用 CA_FILE 指定您自己的 CA 证书",
  "{host} sends more than an answer may have": "{host} 返回的数据超过响应的上限",
  "The answer of {host} is not valid": "{host} 的响应无效",
} as const;

const translate = translator(deliveryAnswers);

/** Returns true for Sonde's own note, false for a provider's text. */
export const isOwnAnswer = (answer: string): boolean => explainAnswer(answer, "zh-CN") !== answer;

/** Translates the note of an attempt; a provider's text stays unchanged. */
export function explainAnswer(answer: string, language: Language): string {
  const own = translate(answer, language);
  return own === answer ? explain(answer, language) : own;
}

/** Notes without placeholders contain no text from a server. */
const quotesNothing = new Set(
  [...Object.keys(deliveryAnswers), ...Object.keys(reasons)].filter((text) => !text.includes("{")),
);

/** The note of an attempt for users who may not write: a provider may be internal, and its response private. */
export const answerForReaders = (answer: string): string =>
  answer === "" || quotesNothing.has(answer) ? answer : hiddenAnswer;
