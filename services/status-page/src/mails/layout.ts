import { html, write } from "@sonde/kit/http/html";
import type { Language } from "@sonde/proto/http/messages";

/** The content of a mail, in order. All but `html` is plain text. */
export type MailContent = {
  title: string;
  lines?: readonly string[];
  fields: readonly { label: string; value: string }[];
  /** Users' text, without markup and as safe HTML; empty: none. */
  text: string;
  html: string;
  link: { label: string; url: string };
  footer: { text: string; link?: { label: string; url: string } };
  /** Between a label and its value. */
  colon: string;
};

/** A mail without markup. */
export function textOf({ title, lines = [], fields, text, link, footer, colon }: MailContent): string {
  const parts = [
    title,
    lines.join("\n"),
    fields.map(({ label, value }) => `${label}${colon}${value}`).join("\n"),
    text.trim(),
    `${link.label}${colon}${link.url}`,
    ["-- ", footer.text, footer.link && `${footer.link.label}${colon}${footer.link.url}`].filter(Boolean).join("\n"),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

const font = "font-family:-apple-system,'Segoe UI',Roboto,'PingFang SC','Microsoft YaHei',Arial,sans-serif";

/** The same as HTML that reads in light and dark, without pictures or styles that mail programs drop. */
export function htmlOf(
  { title, lines = [], fields, html: body, link, footer, colon }: MailContent,
  language: Language,
): string {
  const rows = fields.map(({ label, value }) => `${escapeHtml(label)}${colon}<b>${escapeHtml(value)}</b>`);
  const end = footer.link === undefined ? "" : ` ${anchor(footer.link)}`;
  const parts = [
    `<h1 style="font-size:18px;margin:0 0 12px">${escapeHtml(title)}</h1>`,
    ...lines.map((line) => `<p>${escapeHtml(line)}</p>`),
    rows.length === 0 ? "" : `<p>${rows.join("<br>\n")}</p>`,
    body,
    `<p>${anchor(link)}</p>`,
    `<p style="font-size:12px">${escapeHtml(footer.text)}${end}</p>`,
  ];
  // No colour is set for text and ground: the reader's own, light or dark, hold.
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark"><title>${escapeHtml(title)}</title></head>
<body style="margin:0;padding:16px;${font};font-size:14px;line-height:1.5">
<div style="max-width:640px">
${parts.filter((part) => part !== "").join("\n")}
</div></body></html>
`;
}

const anchor = ({ label, url }: { label: string; url: string }) =>
  `<a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`;

const escapeHtml = (text: string): string => write(html`${text}`);
