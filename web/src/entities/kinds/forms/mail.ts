import { certificate, login, server } from "../common.ts";
import { type CheckFields, kindForm } from "../kind-form.ts";

/** IANA ports by protocol and encryption. */
const ports: Record<string, Record<string, number>> = {
  smtp: { tls: 465, starttls: 587, none: 25 },
  imap: { tls: 993, starttls: 143, none: 143 },
  pop3: { tls: 995, starttls: 110, none: 110 },
};
const usualPort = (values: CheckFields) => ports[String(values["protocol"])]?.[String(values["security"])];
const { host, port } = server("mail.example.com", "465");

export const form = kindForm<"mail">({
  name: { en: "Mail", zh: "邮件" },
  purpose: {
    en: "An SMTP, IMAP or POP3 server responds and accepts logins",
    zh: "检查 SMTP、IMAP 或 POP3 服务器能否响应和登录",
  },
  group: "mail",
  fields: {
    protocol: {
      label: { en: "Protocol", zh: "协议" },
      input: "choice",
      place: "address",
      width: "half",
      options: {
        smtp: { en: "SMTP", zh: "SMTP" },
        imap: { en: "IMAP", zh: "IMAP" },
        pop3: { en: "POP3", zh: "POP3" },
      },
    },
    security: {
      label: { en: "Encryption", zh: "加密方式" },
      input: "choice",
      place: "address",
      width: "half",
      options: {
        tls: { en: "TLS from the start", zh: "直接使用 TLS" },
        starttls: { en: "STARTTLS", zh: "STARTTLS" },
        none: { en: "None", zh: "不加密" },
      },
    },
    host,
    port: { ...port, usual: usualPort },
    ...login,
    ...certificate,
  },
});
