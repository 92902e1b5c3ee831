import type { ChannelMessage, Tone } from "../../messages/message.ts";
import { icons, moreIn, plainText } from "../layout.ts";
import { cut, escapeHtml, htmlLink } from "../text.ts";

/** A mail without sender and recipients. An empty `html` means plain text only. */
export type Mail = { subject: string; text: string; html: string; headers: Record<string, string> };

/** Another service's mail to one address. `atMs` is epoch milliseconds. */
export type AddressedMail = Mail & { to: string; atMs: number };

const maxText = 6000;
const maxSubject = 200;
const maxEntries = 50;

/**
 * Renders a message as a mail: plain text, and an HTML table that is readable in light and dark mode, without images or
 * styles that mail clients drop. All mails of an incident reference the same ancestor, so clients group them.
 * @param answers subject of the mail it replies to: Gmail only groups mails with the same subject, ignoring "Re: "
 */
export function mailOf(message: ChannelMessage, answers?: string): Mail {
  const [alert, ...others] = message.alerts;
  const isOfOne = alert !== undefined && others.length === 0 && !message.isTest;
  return {
    subject: answers === undefined ? cut(message.title, maxSubject) : `Re: ${answers.replace(/^Re: /, "")}`,
    text: plainText(message, maxText, "utf16", { title: (title) => title }),
    html: htmlOf(message),
    headers: {
      // RFC 3834: suppresses out-of-office replies; the second header is for Exchange.
      "Auto-Submitted": "auto-generated",
      "X-Auto-Response-Suppress": "All",
      ...(isOfOne ? { References: incidentMessageId(alert.incidentId) } : {}),
    },
  };
}

/** No mail has this id. RFC 5322 §3.6.4 allows References to mails that the recipient does not have. */
const incidentMessageId = (incidentId: string) => `<incident-${incidentId.replace(/[^\w.-]/g, "-")}@sonde.invalid>`;

const accents: Readonly<Record<Tone, string>> = { bad: "#d92d20", good: "#16a34a", info: "#2563eb" };
const font = "font-family:-apple-system,'Segoe UI',Roboto,'PingFang SC','Microsoft YaHei',Arial,sans-serif";

function htmlOf(message: ChannelMessage): string {
  const title = `${icons[message.tone]} ${escapeHtml(cut(message.title, 300))}`;
  const rows = [
    `<tr><td style="padding:0 0 12px;font-size:18px;font-weight:bold">${title}</td></tr>`,
    paragraph(lines(cut(message.text, maxText))),
    message.fields.length === 0 ? "" : paragraph(fieldsOf(message)),
    ...entriesOf(message).map(paragraph),
    paragraph(message.links.map(({ label, url }) => htmlLink(escapeHtml(cut(label, 80)), url)).join(" &nbsp; ")),
    `<tr><td style="padding:12px 0 0;font-size:12px">${lines(cut(message.footer, 300))}</td></tr>`,
  ];
  // Sets no text or background colours, so the reader's light or dark mode applies.
  return `<!doctype html>
<html lang="${message.language}"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark"><title>${escapeHtml(cut(message.title, 300))}</title></head>
<body style="margin:0;padding:16px;${font};font-size:14px;line-height:1.5">
<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="max-width:640px">
<tr><td style="padding:0 0 0 16px;border-left:4px solid ${accents[message.tone]}">
<table role="presentation" cellpadding="0" cellspacing="0" border="0">
${rows.filter((row) => row !== "").join("\n")}
</table></td></tr></table></body></html>
`;
}

const paragraph = (html: string) => (html === "" ? "" : `<tr><td style="padding:0 0 12px">${html}</td></tr>`);

function fieldsOf({ fields }: ChannelMessage): string {
  const rows = fields.map(({ label, value }) => {
    const name = `<td style="padding:2px 16px 2px 0;vertical-align:top;white-space:nowrap">${escapeHtml(cut(label, 80))}</td>`;
    return `<tr>${name}<td style="padding:2px 0;font-weight:bold">${lines(cut(value, 1000))}</td></tr>`;
  });
  return `<table cellpadding="0" cellspacing="0" border="0" style="font-size:14px">\n${rows.join("\n")}\n</table>`;
}

function entriesOf(message: ChannelMessage): string[] {
  const shown = message.entries.slice(0, maxEntries).map(({ tone, title, text, url }) => {
    const name = escapeHtml(cut(title, 200));
    const head = `${icons[tone]} ${htmlLink(`<b>${name}</b>`, url)}`;
    return text === "" ? head : `${head}<br>${lines(cut(text, 500))}`;
  });
  const left = message.entries.length - shown.length;
  return left === 0 ? shown : [...shown, escapeHtml(moreIn(message)(left))];
}

const lines = (text: string) => escapeHtml(text).replaceAll("\n", "<br>");

/** Parses a sender: `Sonde <alerts@example.com>`, or just the address. */
export function senderOf(text: string): { name: string; address: string } {
  const [, name, address] = /^([^<>]*)<([^<>]+)>$/.exec(text) ?? [];
  if (name === undefined || address === undefined) return { name: "", address: text.trim() };
  return { name: name.trim().replace(/^"(.*)"$/, "$1"), address: address.trim() };
}
