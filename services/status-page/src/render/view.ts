import type { Impact, PublicStatus } from "@sonde/proto/http/status/status";
import type { PageLanguage } from "@sonde/proto/http/status/documents";
import { defaultSlug, pagePath, type PageSnapshot } from "@sonde/proto/http/status/snapshot";
import { type Html, html, trusted } from "@sonde/kit/http/html";
import { de } from "./words/de.ts";
import { enUS, type PageWords } from "./words/en-US.ts";
import { es } from "./words/es.ts";
import { fr } from "./words/fr.ts";
import { ja } from "./words/ja.ts";
import { ko } from "./words/ko.ts";
import { ptBR } from "./words/pt-BR.ts";
import { zhTW } from "./words/zh-TW.ts";
import { zhCN } from "./words/zh-CN.ts";

export type PageInput = {
  status: PublicStatus;
  page: PageSnapshot["page"];
  language: PageLanguage;
  /** Base of absolute links, without a trailing slash; `null` for relative links. */
  publicUrl: string | null;
  nowMs: number;
  /** Defaults to the default page. */
  slug?: string | undefined;
  /** Shown in the editor: no script, no forms, no external links. */
  isPreview?: boolean;
};

export type PageView = PageInput & { texts: PageWords };

export const words: Record<PageLanguage, PageWords> = {
  "zh-CN": zhCN,
  "zh-TW": zhTW,
  "en-US": enUS,
  de,
  fr,
  es,
  "pt-BR": ptBR,
  ja,
  ko,
};

export const viewOf = (input: PageInput): PageView => ({ ...input, texts: words[input.language] });

/** Returns this page's path for one that begins with `/status`. */
export const pathIn = ({ slug = defaultSlug }: Pick<PageInput, "slug">, path: string): string =>
  pagePath(slug) + path.slice(pagePath(defaultSlug).length);

export const addressOf = (view: PageInput, path: string): string => `${pathIn(view, path)}?lang=${view.language}`;

const imageAddress = (view: PageInput, id: string): string =>
  view.isPreview === true ? `/api/status/images/${id}` : pathIn(view, `/status/image.${id}`);

/** `null` for none. A preview also shows an image that is not published yet. */
export const logoOf = (view: PageInput): string | null =>
  view.page.logo === null ? view.page.logoUrl : imageAddress(view, view.page.logo);

/** As `logoOf`, for other sites: absolute if `PUBLIC_URL` is set. */
export const sharedLogoOf = (view: PageInput): string | null =>
  view.page.logo === null ? view.page.logoUrl : (view.publicUrl ?? "") + imageAddress(view, view.page.logo);

export function iconOf(view: PageInput): string {
  const id = view.page.favicon ?? view.page.logo;
  return id === null ? "/favicon.svg" : imageAddress(view, id);
}

// Each state has its own shape, so nothing depends on colour.
const shapes: Record<string, string> = {
  well: '<circle cx="8" cy="8" r="7"/><path d="m4.9 8.3 2.2 2.2 4.1-4.6"/>',
  ill: '<path d="M5.2 1h5.6L15 5.2v5.6L10.8 15H5.2L1 10.8V5.2z"/><path d="m5.6 5.6 4.8 4.8m0-4.8-4.8 4.8"/>',
  partly: '<path d="M8 1.2 15.4 14.4H.6z"/><path d="M8 6v3.8M8 12v.1"/>',
  maintenance:
    '<rect x="1" y="1" width="14" height="14" rx="4"/><path d="m4.6 11.4 6.8-6.8M4.6 7.4l2.8-2.8M8.6 11.4l2.8-2.8"/>',
  waiting: '<circle cx="8" cy="8" r="7"/><path d="M8 4.4v3.8l2.4 1.6"/>',
  paused: '<circle cx="8" cy="8" r="7"/><path d="M6.3 5.4v5.2M9.7 5.4v5.2"/>',
  chevron: '<path d="m4.5 6.5 3.5 3.5 3.5-3.5"/>',
  globe:
    '<circle cx="8" cy="8" r="6"/><path d="M2.2 8h11.6M8 2c1.8 1.7 2.6 3.7 2.6 6S9.8 12.3 8 14C6.2 12.3 5.4 10.3 5.4 8S6.2 3.7 8 2z"/>',
  theme: '<circle cx="8" cy="8" r="6"/><path d="M8 2v12a6 6 0 0 0 0-12z" fill="currentColor"/>',
  feed: '<path d="M3 7.4A5.6 5.6 0 0 1 8.6 13M3 3a10 10 0 0 1 10 10M3.8 12.2h.1"/>',
  mail: '<rect x="1.8" y="3.2" width="12.4" height="9.6" rx="1.6"/><path d="m2.4 4.4 5.6 4.4 5.6-4.4"/>',
  unknown: '<circle cx="8" cy="8" r="7"/><path d="M6.2 6.3c0-2.4 3.7-2.3 3.7 0 0 1.5-1.9 1.5-1.9 3M8 11.5v.1"/>',
};

export const shapeOfImpact: Record<Impact, string> = { minor: "partly", major: "partly", critical: "ill" };

export const drawings: Html = trusted(
  `<svg hidden><defs>${Object.entries(shapes)
    .map(([name, drawing]) => `<symbol id="i-${name}" viewBox="0 0 16 16">${drawing}</symbol>`)
    .join("")}</defs></svg>`,
);

/** Decorative: the text is next to it. */
export const icon = (name: string): Html => html`<svg class="icon" aria-hidden="true"><use href="#i-${name}" /></svg>`;

const made = new Map<string, unknown>();

/** Caches Intl objects, which are slow to create, and few. */
function once<Value>(key: string, make: () => Value): Value {
  if (!made.has(key)) made.set(key, make());
  return made.get(key) as Value;
}

/** `100%`, `99.98%`: rounds down, so only 100 is shown as 100%. `percent`: 0 to 100. */
export function percentText(percent: number, language: PageLanguage): string {
  const hundredths = Math.floor(percent * 100 + 1e-6);
  const digits = hundredths % 10_000 === 0 ? 0 : 2;
  const style = once(
    `percent ${language} ${digits}`,
    () => new Intl.NumberFormat(language, { style: "percent", minimumFractionDigits: digits }),
  );
  return style.format(hundredths / 10_000);
}

/** `128 ms`, `1.25 s`. */
export function responseText(durationMs: number, language: PageLanguage): string {
  const [value, unit] = durationMs < 999.5 ? [durationMs, "ms"] : [durationMs / 1000, "s"];
  const digits = unit === "s" ? 2 : durationMs < 9.95 ? 1 : 0;
  const style = once(
    `decimals ${language} ${digits}`,
    () => new Intl.NumberFormat(language, { maximumFractionDigits: digits }),
  );
  return `${style.format(value)}\u00A0${unit}`;
}

/** Formats a duration in its two largest units: `1 hr 12 min`, `9 sec`. Seconds are shown below two minutes. */
export function spanText(durationMs: number, language: PageLanguage): string {
  const seconds = Math.max(1, Math.round(durationMs / 1000));
  const isShort = seconds < 120;
  const minutes = isShort ? Math.floor(seconds / 60) : Math.round(seconds / 60);
  const days = Math.floor(minutes / 1440);
  const rest = isShort ? { seconds: seconds % 60 } : {};
  const parts = { days, hours: Math.floor(minutes / 60) % 24, minutes: days > 0 ? 0 : minutes % 60, ...rest };
  const style = once(`span ${language}`, () => new Intl.DurationFormat(language, { style: "short" }));
  // A comma would be ambiguous between several figures in a row.
  return style.format(parts).replaceAll(",", "");
}

const date = (language: PageLanguage, name: string, options: Intl.DateTimeFormatOptions) =>
  once(`date ${name} ${language}`, () => new Intl.DateTimeFormat(language, { timeZone: "UTC", ...options }));

/** Formats a UTC day, given by any instant in it, or a range of days. */
export function dayText(from: string | number, to: string | number, { language, texts }: PageView): string {
  const style = date(language, "day", { month: "short", day: "numeric" });
  const [first, last] = [style.format(new Date(from)), style.format(new Date(to))];
  if (first === last) return first;
  // Intl formats Chinese ranges with slashes, unlike single days.
  if (language === "zh-CN") return `${first}${texts.to}${last}`;
  return style.formatRange(new Date(from), new Date(to)).replaceAll("\u2009", " ");
}

export const longDayText = (at: string | number, language: PageLanguage): string =>
  date(language, "long", { weekday: "short", year: "numeric", month: "long", day: "numeric" }).format(new Date(at));

export const monthText = (at: string | number, language: PageLanguage): string =>
  date(language, "month", { year: "numeric", month: "long" }).format(new Date(at));

const minuteStyle = { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;

/** Renders an instant in UTC, which the script converts to the reader's time zone. */
export function timeTag(at: string, { language, texts }: PageView): Html {
  return html`<time datetime="${at}">${date(language, "minute", minuteStyle).format(new Date(at))} ${texts.utc}</time>`;
}

/** Renders an instant that the script replaces by its age. */
export function agoTag(at: string, { language, texts }: PageView): Html {
  const text = date(language, "minute", minuteStyle).format(new Date(at));
  return html`<time datetime="${at}" data-ago>${text} ${texts.utc}</time>`;
}

/** Renders a range of instants; the second without its day if it is the same. */
export function rangeTags(from: string, to: string, { language, texts }: PageView): Html {
  const isOneDay = from.slice(0, 10) === to.slice(0, 10);
  const style = isOneDay
    ? date(language, "clock", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" })
    : date(language, "minute", minuteStyle);
  const first = date(language, "minute", minuteStyle).format(new Date(from));
  const last = `${style.format(new Date(to))} ${texts.utc}`;
  return html`<span class="range"
    ><time datetime="${from}">${first}</time> ${texts.to} <time datetime="${to}">${last}</time></span
  >`;
}
