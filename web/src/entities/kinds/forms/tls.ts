import { minDaysLeft, server, servername } from "../common.ts";
import { kindForm } from "../kind-form.ts";

const atOnce = { en: "None, TLS from the start", zh: "无，直接使用 TLS" };
const same = (name: string) => ({ en: name, zh: name });

export const form = kindForm<"tls">({
  name: { en: "TLS", zh: "TLS" },
  purpose: { en: "A certificate is valid and not about to expire", zh: "检查证书是否有效、是否即将到期" },
  group: "network",
  fields: {
    ...server("example.com", "443"),
    minDaysLeft: {
      ...minDaysLeft,
      hint: { en: "Down if the certificate expires sooner.", zh: "证书剩余天数低于此值时判定为故障。" },
      placeholder: "14",
    },
    starttls: {
      label: { en: "STARTTLS", zh: "STARTTLS" },
      hint: {
        en: "For servers that begin in plain text and switch to TLS.",
        zh: "适用于先以明文通信、再切换到 TLS 的服务器。",
      },
      input: "choice",
      width: "half",
      options: {
        "": atOnce,
        smtp: same("SMTP"),
        imap: same("IMAP"),
        pop3: same("POP3"),
        ftp: same("FTP"),
        ldap: same("LDAP"),
        postgres: same("PostgreSQL"),
        mysql: same("MySQL"),
      },
      none: atOnce,
    },
    servername: { ...servername, none: ({ host }) => same(String(host)) },
  },
});
