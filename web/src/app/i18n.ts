import type { Language } from "@sonde/proto/http/messages";
import { createInstance } from "i18next";
import { initReactI18next } from "react-i18next";
import type { Translated } from "../locales/catalogue.ts";
import type * as en from "../locales/en-US/index.ts";
import type * as enLater from "../locales/en-US/later.ts";
import { writeStored, readStored } from "./storage.ts";

export const languages = ["zh-CN", "en-US"] as const;
/** Each language is listed in its own language, so that its speakers can find it. */
export const languageNames: Record<Language, string> = { "zh-CN": "中文", "en-US": "English" };
export const defaultLanguage: Language = "zh-CN";

/** Shown to visitors who may not read Chinese, so it has no translation. */
export const englishOffer = "View this page in English";

let current: Language = takeLinkLanguage() ?? (readStored("language") === "en-US" ? "en-US" : defaultLanguage);

/**
 * Returns the language of a message's link (`?lang=`). It applies until the page is reloaded and is removed from the
 * address, so that a copied address does not carry it.
 */
export function takeLinkLanguage(): Language | undefined {
  const url = new URL(location.href);
  const given = url.searchParams.get("lang");
  if (given === null) return undefined;
  url.searchParams.delete("lang");
  history.replaceState(history.state, "", url);
  return languages.find((language) => language === given);
}

/** True if the browser prefers English and the visitor has not chosen a language. */
export function shouldOfferEnglish(): boolean {
  const preferred = navigator.languages.find((language) => /^(?:en|zh)\b/i.test(language));
  return readStored("language") === null && preferred?.toLowerCase().startsWith("en") === true;
}

/** The app's language for code outside React, such as requests and formats. */
export function currentLanguage(): Language {
  return current;
}

export function setCurrentLanguage(language: Language): void {
  current = language;
  document.documentElement.lang = language;
}

/** One chunk per language. Only the selected one is loaded. */
const catalogues: Record<Language, () => Promise<Translated<typeof en>>> = {
  "zh-CN": () => import("../locales/zh-CN/index.ts"),
  "en-US": () => import("../locales/en-US/index.ts"),
};

/** Words of screens that are not on the first page, loaded with them. */
const laterCatalogues: Record<Language, () => Promise<Translated<typeof enLater>>> = {
  "zh-CN": () => import("../locales/zh-CN/later.ts"),
  "en-US": () => import("../locales/en-US/later.ts"),
};
let needsLaterWords = false;

const wordsOf = async (language: Language) => ({
  ...(await catalogues[language]()),
  ...(needsLaterWords && (await laterCatalogues[language]())),
});

export const i18n = createInstance();

/** Loads the words of later screens, also after changes of the language. */
export async function loadLaterWords(): Promise<void> {
  needsLaterWords = true;
  i18n.addResourceBundle(current, "translation", { ...(await laterCatalogues[current]()) });
}

export async function startI18n(language: Language = currentLanguage()): Promise<void> {
  setCurrentLanguage(language);
  await i18n.use(initReactI18next).init({
    lng: language,
    fallbackLng: defaultLanguage,
    resources: { [language]: { translation: await wordsOf(language) } },
    interpolation: { escapeValue: false },
    returnNull: false,
    partialBundledLanguages: true,
    react: { useSuspense: false },
  });
}

export async function changeLanguage(language: Language): Promise<void> {
  i18n.addResourceBundle(language, "translation", await wordsOf(language));
  setCurrentLanguage(language);
  writeStored("language", language);
  await i18n.changeLanguage(language);
}

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "translation";
    resources: { translation: typeof en & typeof enLater };
  }
}
