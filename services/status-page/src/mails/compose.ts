import type { Language } from "@sonde/proto/http/messages";
import { html, trusted, withoutIndents, write } from "@sonde/kit/http/html";
import type { MaintenanceFacts, MailPreparation, PreparedFacts, UpdateFacts } from "./mailings.ts";
import { type MailWords, wordsOf } from "./words.ts";

type Recipient = {
  language: Language;
  /** Without a trailing slash. */
  pageUrl: string;
  confirmToken: string;
  unsubscribeToken: string;
};

type ComposedMail = {
  subject: string;
  text: string;
  html: string;
  headers: { name: string; value: string }[];
};

/** RFC 3834: suppresses out-of-office replies; the second header is for Exchange. */
const automatic = [
  { name: "Auto-Submitted", value: "auto-generated" },
  { name: "X-Auto-Response-Suppress", value: "All" },
];

export function composeMail(facts: PreparedFacts, recipient: Recipient): ComposedMail {
  const { language, pageUrl } = recipient;
  const words = wordsOf(language);
  const linkTo = (action: "confirm" | "unsubscribe", token: string) =>
    `${pageUrl}/${action}?token=${token}&lang=${language}`;
  const unsubscribe = linkTo("unsubscribe", recipient.unsubscribeToken);
  const isConfirmation = facts.kind === "confirmation";
  const content = isConfirmation
    ? confirmation(facts, words, linkTo("confirm", recipient.confirmToken))
    : {
        ...(facts.kind === "update" ? update(facts, words, recipient) : maintenance(facts, words, recipient)),
        text: facts.plain,
        html: facts.html,
        footer: { text: words.why(facts.pageTitle), link: { label: words.unsubscribe, url: unsubscribe } },
      };
  // RFC 8058: mail clients unsubscribe with one POST to this address.
  const ending = [
    { name: "List-Unsubscribe", value: `<${unsubscribe}>` },
    { name: "List-Unsubscribe-Post", value: "List-Unsubscribe=One-Click" },
  ];
  return {
    subject: cut(`[${facts.pageTitle}] ${content.title}`),
    text: textOf(content, words.colon),
    html: htmlOf(content, words.colon, language),
    headers: isConfirmation ? automatic : [...automatic, ...ending],
  };
}

export function composeLink({
  language,
  pageTitle,
  url,
}: {
  language: Language;
  pageTitle: string;
  url: string;
}): ComposedMail {
  const words = wordsOf(language);
  const content: MailContent = {
    title: words.openSubject,
    fields: [],
    lines: [words.openAsked(pageTitle)],
    link: { label: words.openLink, url },
    footer: { text: words.openIgnore },
  };
  return {
    subject: cut(`[${pageTitle}] ${content.title}`),
    text: textOf(content, words.colon),
    html: htmlOf(content, words.colon, language),
    headers: automatic,
  };
}

/** The notifier's limit. */
const maxSubjectLength = 400;

const cut = (subject: string): string =>
  subject.length <= maxSubjectLength
    ? subject
    : `${subject.slice(0, maxSubjectLength - 1).replace(/[\ud800-\udbff]$/, "")}…`;

/** The parts of a mail, in order. All except `html` are plain text. */
type MailContent = {
  title: string;
  lines?: readonly string[];
  fields: readonly { label: string; value: string }[];
  /** Users' text, without markup and as safe HTML. */
  text?: string;
  html?: string;
  link: { label: string; url: string };
  footer: { text: string; link?: { label: string; url: string } };
};
type News = Pick<MailContent, "title" | "lines" | "fields" | "link">;

function update(facts: UpdateFacts & MailPreparation, words: MailWords, { language, pageUrl }: Recipient): News {
  const { title, state, impact, atMs, announcementId } = facts;
  return {
    title: `${title}${words.colon}${words.states[state]}`,
    fields: [
      { label: words.impact, value: words.impacts[impact] },
      ...namesField(facts, words.affected, words),
      { label: words.time, value: instantIn(language, "UTC", atMs) },
    ],
    link: { label: words.seePage, url: `${pageUrl}/incidents/p${announcementId}?lang=${language}` },
  };
}

function maintenance(
  facts: MaintenanceFacts & MailPreparation,
  words: MailWords,
  { language, pageUrl }: Recipient,
): News {
  const { kind, name, fromMs, toMs, timeZone, isRecurring } = facts;
  const isPlanned = kind === "maintenance_planned";
  const span = words.span(instantIn(language, timeZone, fromMs), instantIn(language, timeZone, toMs));
  return {
    title: `${isPlanned ? words.planned : words.begun}${words.colon}${name}`,
    fields: [{ label: words.time, value: span }, ...namesField(facts, words.affected, words)],
    lines: isPlanned && isRecurring ? [words.recurring] : [],
    link: { label: words.seePage, url: `${pageUrl}?lang=${language}` },
  };
}

function confirmation(facts: MailPreparation & { targets: string[] }, words: MailWords, url: string): MailContent {
  const isAll = facts.targets.length === 0;
  return {
    title: words.confirmSubject,
    fields: isAll ? [] : namesField(facts, words.confirmSome, words),
    lines: [words.confirmAsked(facts.pageTitle), ...(isAll ? [words.confirmAll] : [])],
    link: { label: words.confirmLink, url },
    footer: { text: words.confirmIgnore },
  };
}

const namesField = ({ names }: MailPreparation, label: string, words: MailWords) =>
  names.length === 0 ? [] : [{ label, value: names.join(words.comma) }];

function instantIn(language: Language, timeZone: string, atMs: number): string {
  const form = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone });
  return `${form.format(atMs)} (${timeZone})`;
}

function textOf({ title, lines = [], fields, text = "", link, footer }: MailContent, colon: string): string {
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

/** Renders HTML that is readable in light and dark mode, without images and styles that mail clients drop. */
function htmlOf(content: MailContent, colon: string, language: Language): string {
  const { title, lines = [], fields, html: body = "", link, footer } = content;
  const anchor = ({ label, url }: { label: string; url: string }) => html`<a href="${url}">${label}</a>`;
  // Sets no colours, so those of the reader's mail client apply.
  const document = html`<html lang="${language}">
    <head>
      <meta charset="utf-8" />
      <meta name="color-scheme" content="light dark" />
      <meta name="supported-color-schemes" content="light dark" />
      <title>${title}</title>
    </head>
    <body style="margin:0;padding:16px;${trusted(font)};font-size:14px;line-height:1.5">
      <div style="max-width:640px">
        <h1 style="font-size:18px;margin:0 0 12px">${title}</h1>
        ${lines.map((line) => html`<p>${line}</p>`)}
        ${fields.length > 0 && html`<p>${fields.map(({ label, value }) => html`${label}${colon}<b>${value}</b><br />`)}</p>`}
        ${trusted(body)}
        <p>${anchor(link)}</p>
        <p style="font-size:12px">${footer.text} ${footer.link !== undefined && anchor(footer.link)}</p>
      </div>
    </body>
  </html>`;
  return `<!doctype html>\n${withoutIndents(write(document))}\n`;
}
