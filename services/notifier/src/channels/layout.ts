import { translate } from "@sonde/proto/http/messages";
import type { MessageLine, ChannelMessage, Tone } from "../messages/message.ts";
import { cut, type Escape, escapeChatMarkdown, fitLines, markdownLink, sizeOf, type Unit } from "./text.ts";

export const icons: Readonly<Record<Tone, string>> = { bad: "🔴", good: "🟢", info: "🔵" };

export const barColors: Readonly<Record<Tone, string>> = { bad: "#d32f2f", good: "#2e7d32", info: "#1976d2" };

/** The parts of a message in one markup language. Parameters are already escaped, except addresses. */
export type Form = {
  max: number;
  unit: Unit;
  escape: Escape;
  title?(title: string): string;
  field(label: string, value: string): string;
  entry(icon: string, title: string, text: string, url: string | undefined): string;
  link(label: string, url: string): string;
  footer(footer: string): string;
};

export const moreIn =
  ({ language, alerts, entries }: Pick<ChannelMessage, "language" | "alerts" | "entries">) =>
  (count: number): string => {
    // The last entry may stand for alerts without their own entry, and is the first to be dropped.
    const unnamed = entries.length === 0 ? 0 : Math.max(0, alerts.length - entries.length);
    return translate("… and {count} more", language, { count: count + unnamed });
  };

/**
 * Lays out a message as one string of at most `max` units: title, text, fields or entries, links and footer, in the
 * form's markup. Links and footer always stay. The text is shortened to make room for fields, but keeps half of the
 * room; then whole fields or entries are dropped from the end.
 */
export function layOut(message: ChannelMessage, form: Form): string {
  const { unit, escape } = form;
  const brief = (text: string, max: number) => cut(text, max, { escape });
  const title = form.title?.(`${icons[message.tone]} ${brief(message.title, 300)}`) ?? "";
  const links = message.links
    .map(({ label, url }) => form.link(brief(label, 80), url))
    .filter((link) => link !== "")
    .join(" · ");
  const tail = [links, form.footer(brief(message.footer, 200))].filter((line) => line !== "").join("\n");
  const separators = 4 * sizeOf("\n\n", unit);
  const room = Math.max(0, form.max - sizeOf(title, unit) - sizeOf(tail, unit) - separators);
  return [title, ...middle(room), tail].filter((part) => part !== "").join("\n\n");

  function middle(room: number): string[] {
    const more = moreIn(message);
    if (message.entries.length > 0) {
      // Lazy, since only some of a thousand fit.
      const entries = message.entries
        .values()
        .map(({ tone, title, text, url }) =>
          form.entry(icons[tone], brief(title, 200), brief(oneLine(text), 300), url),
        );
      const text = cut(message.text, Math.floor(room / 2), { unit, escape });
      const left = room - sizeOf(text, unit);
      return [text, fitLines(entries, left, { unit, more, count: message.entries.length }).join("\n")];
    }
    const fields = message.fields.map(({ label, value }) => form.field(brief(label, 80), brief(value, 500)));
    const fieldsSize = sizeOf(fields.join("\n"), unit);
    const textRoom = Math.max(room - fieldsSize, Math.floor(room / 2));
    const text = cut(message.text, textRoom, { unit, escape });
    return [text, fields.length === 0 ? "" : fitLines(fields, room - sizeOf(text, unit), { unit, more }).join("\n")];
  }
}

export function plainText(message: ChannelMessage, max: number, unit: Unit, parts: Partial<Form> = {}): string {
  return layOut(message, { ...plainForm, max, unit, ...parts });
}

const plainForm = {
  escape: (text: string) => text,
  field: (label: string, value: string) => `${label}: ${value}`,
  entry: (icon: string, title: string, text: string) => `${icon} ${title}${text === "" ? "" : `\n${text}`}`,
  link: (label: string, url: string) => `${label}: ${url}`,
  footer: (footer: string) => footer,
};

export function markdownText(message: ChannelMessage, max: number, parts: Partial<Form> = {}): string {
  return layOut(message, { ...markdownForm, max, ...parts });
}

const markdownForm: Omit<Form, "max"> = {
  unit: "characters",
  escape: escapeChatMarkdown,
  title: (title) => `**${title}**`,
  field: (label, value) => `**${label}:** ${value}`,
  entry: (icon, title, text, url) => `- ${icon} ${markdownLink(title, url)}${text === "" ? "" : `: ${text}`}`,
  link: markdownLink,
  footer: (footer) => footer,
};

export const oneLine = (text: string): string => text.slice(0, 2000).replace(/\s*\n\s*/g, " ");

export const firstLink = ({ links, entries }: ChannelMessage): string | undefined =>
  links[0]?.url ?? entries.find((entry: MessageLine) => entry.url !== undefined)?.url;
