import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import { type KumaSettings, type ReadChannel, textField } from "./given.ts";
import { readHeaders } from "./http.ts";

const ownWords: TranslatableText = { text: "Messages are worded by Sonde" };
const methods = ["POST", "PUT", "PATCH"];

/** A webhook: where and how it is called; what it sends is Sonde's. */
export function readWebhook(given: KumaSettings): ReadChannel {
  const method = (textField(given, "httpMethod") ?? "POST").toUpperCase();
  if (!methods.includes(method)) {
    return {
      refused: { text: "It calls by {method}, which Sonde cannot do", params: { method: method.slice(0, 20) } },
    };
  }
  const headers = readHeaders(textField(given, "webhookAdditionalHeaders") ?? "");
  if (headers === null) return { refused: { text: "Its headers cannot be read" } };
  const kept = headers.filter(({ name }) => name.toLowerCase() !== "content-type");
  return { type: "webhook", config: { url: textField(given, "webhookURL"), method, headers: kept }, notes: [ownWords] };
}

/** Mail by a server. Recipients in copy get it as well; Sonde has no blind copies. */
export function readMail(given: KumaSettings): ReadChannel {
  const notes: TranslatableText[] = [];
  if (textField(given, "smtpBCC") !== undefined) notes.push({ text: "Without the recipients in BCC" });
  if (given["smtpIgnoreTLSError"] === true) notes.push({ text: "The server's certificate must be valid" });
  const to = [textField(given, "smtpTo"), textField(given, "smtpCC")].filter((part) => part !== undefined);
  return {
    type: "smtp",
    config: {
      host: textField(given, "smtpHost"),
      port: Number(textField(given, "smtpPort") ?? 587),
      security: given["smtpSecure"] === true ? "tls" : given["smtpIgnoreSTARTTLS"] === true ? "none" : "starttls",
      username: textField(given, "smtpUsername"),
      password: textField(given, "smtpPassword"),
      from: textField(given, "smtpFrom")?.replace(/^"([^"]*)"\s*</, "$1 <"),
      to: to.length === 0 ? undefined : to.join(", "),
    },
    notes,
  };
}

/** Mail by Resend. */
export function readResend(given: KumaSettings): ReadChannel {
  const [address, name] = [textField(given, "resendFromEmail"), textField(given, "resendFromName")];
  return {
    type: "resend",
    config: {
      apiKey: textField(given, "resendApiKey"),
      from: address !== undefined && name !== undefined ? `${name} <${address}>` : address,
      to: textField(given, "resendToEmail"),
    },
  };
}
