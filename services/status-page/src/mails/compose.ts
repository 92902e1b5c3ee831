import type { Language } from "@sonde/proto/http/messages";
import type { MaintenanceFacts, MailPreparation, PreparedFacts, UpdateFacts } from "./facts.ts";
import { type MailContent, htmlOf, textOf } from "./layout.ts";
import type { MailWords } from "./words/shape.ts";
import { wordsOf } from "./words/words.ts";

/** The recipient of a mail, and the parameters of its links. */
type Recipient = {
  language: Language;
  /** What links begin with, without a slash at its end. */
  publicUrl: string;
  confirmToken: string;
  unsubscribeToken: string;
};

type ComposedMail = {
  subject: string;
  text: string;
  html: string;
  headers: { name: string; value: string }[];
};

/** RFC 3834: suppresses out-of-office replies; the second is for Exchange. */
const automatic = [
  { name: "Auto-Submitted", value: "auto-generated" },
  { name: "X-Auto-Response-Suppress", value: "All" },
];

/** A mail in its reader's language: the same for the same facts and recipient, however often it is made. */
export function composeMail(facts: PreparedFacts, recipient: Recipient): ComposedMail {
  const { language, publicUrl, confirmToken, unsubscribeToken } = recipient;
  const words = wordsOf(language);
  const linkTo = (action: "confirm" | "unsubscribe", token: string) =>
    `${publicUrl}/status/${action}?token=${token}&lang=${language}`;
  if (facts.kind === "confirmation") {
    return mail(facts, language, confirmation(facts, words, linkTo("confirm", confirmToken)), words.confirmSubject);
  }
  const unsubscribe = linkTo("unsubscribe", unsubscribeToken);
  const footer = { text: words.why(facts.pageTitle), link: { label: words.unsubscribe, url: unsubscribe } };
  const content = facts.kind === "update" ? update(facts, words, recipient) : maintenance(facts, words, recipient);
  const headers = [
    // RFC 8058: mail programs end the subscription with one POST to this address.
    { name: "List-Unsubscribe", value: `<${unsubscribe}>` },
    { name: "List-Unsubscribe-Post", value: "List-Unsubscribe=One-Click" },
  ];
  const composed = mail(facts, language, { ...content, footer }, content.title);
  return { ...composed, headers: [...composed.headers, ...headers] };
}

/** The notifier takes no longer subject: two hundred emoji of a title alone fill it. */
const longestSubject = 400;

const cut = (subject: string): string =>
  subject.length <= longestSubject
    ? subject
    : `${subject.slice(0, longestSubject - 1).replace(/[\ud800-\udbff]$/, "")}…`;

function mail({ pageTitle }: MailPreparation, language: Language, content: MailContent, subject: string): ComposedMail {
  return {
    subject: cut(`[${pageTitle}] ${subject}`),
    text: textOf(content),
    html: htmlOf(content, language),
    headers: automatic,
  };
}

function update(
  facts: UpdateFacts & MailPreparation,
  words: MailWords,
  { language, publicUrl }: Recipient,
): MailContent {
  const { title, state, impact, plain, html, atMs, announcementId } = facts;
  return {
    title: `${title}${words.colon}${words.states[state]}`,
    fields: [
      { label: words.impact, value: words.impacts[impact] },
      ...namesField(facts, words.affected, words),
      { label: words.time, value: instantIn(language, "UTC", atMs) },
    ],
    text: plain,
    html,
    link: { label: words.seePage, url: `${publicUrl}/status/incidents/p${announcementId}` },
    footer: { text: "" },
    colon: words.colon,
  };
}

function maintenance(
  facts: MaintenanceFacts & MailPreparation,
  words: MailWords,
  { language, publicUrl }: Recipient,
): MailContent {
  const { kind, name, plain, html, fromMs, toMs, timeZone, isRecurring } = facts;
  const isPlanned = kind === "maintenance_planned";
  const [from, to] = [fromMs, toMs].map((atMs) => instantIn(language, timeZone, atMs));
  return {
    title: `${isPlanned ? words.planned : words.begun}${words.colon}${name}`,
    fields: [
      { label: words.time, value: words.span(from ?? "", to ?? "") },
      ...namesField(facts, words.affected, words),
    ],
    lines: isPlanned && isRecurring ? [words.recurring] : [],
    text: plain,
    html,
    link: { label: words.seePage, url: `${publicUrl}/status` },
    footer: { text: "" },
    colon: words.colon,
  };
}

function confirmation(
  facts: MailPreparation & { targets: readonly string[] },
  words: MailWords,
  url: string,
): MailContent {
  const isAll = facts.targets.length === 0;
  return {
    title: words.confirmSubject,
    fields: isAll ? [] : namesField(facts, words.confirmSome, words),
    lines: [words.confirmAsked(facts.pageTitle), ...(isAll ? [words.confirmAll] : [])],
    text: "",
    html: "",
    link: { label: words.confirmLink, url },
    footer: { text: words.confirmIgnore },
    colon: words.colon,
  };
}

const namesField = ({ names }: MailPreparation, label: string, words: MailWords) =>
  names.length === 0 ? [] : [{ label, value: names.join(words.comma) }];

function instantIn(language: Language, timeZone: string, atMs: number): string {
  const form = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone });
  return `${form.format(atMs)} (${timeZone})`;
}
