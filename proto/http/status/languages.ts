import { rankedTags } from "../language.ts";

/** Languages that pages can have. Documents are rendered per language, so each page lists its own. */
export const pageLanguages = ["zh-CN", "zh-TW", "en-US", "de", "fr", "es", "pt-BR", "ja", "ko"] as const;
export type PageLanguage = (typeof pageLanguages)[number];

export const usualLanguages: PageLanguage[] = ["zh-CN", "en-US"];

export const languageNames: Record<PageLanguage, string> = {
  "zh-CN": "中文",
  "zh-TW": "繁體中文",
  "en-US": "English",
  de: "Deutsch",
  fr: "Français",
  es: "Español",
  "pt-BR": "Português",
  ja: "日本語",
  ko: "한국어",
};

const traditional = ["tw", "hk", "mo", "hant"];
const primaryOf = (tag: string) => tag.toLowerCase().split("-")[0];

/** Returns the language for a BCP 47 tag such as `de-AT`, or `null`. */
export function matchLanguage(tag: string, among: readonly PageLanguage[]): PageLanguage | null {
  const [primary, ...rest] = tag.toLowerCase().split("-");
  const isTraditional = rest.some((part) => traditional.includes(part));
  const preferred: PageLanguage = isTraditional ? "zh-TW" : "zh-CN";
  if (primary === "zh" && among.includes(preferred)) return preferred;
  return among.find((language) => primaryOf(language) === primary) ?? null;
}

/**
 * Returns the language for an Accept-Language header: the first of `among` if the header names none, otherwise the
 * preferred match, English, or the first.
 */
export function chooseLanguage(accepted: string, among: readonly PageLanguage[]): PageLanguage {
  const tags = rankedTags(accepted).filter((tag) => tag !== "*");
  const [first = "en-US"] = among;
  if (tags.length === 0) return first;
  for (const tag of tags) {
    const language = matchLanguage(tag, among);
    if (language !== null) return language;
  }
  return among.includes("en-US") ? "en-US" : first;
}
