import { createInstance } from "i18next";
import { initReactI18next } from "react-i18next";
import { currentLanguage, defaultLanguage, type Language, setCurrentLanguage } from "./language.ts";
import { writeStored } from "./storage.ts";

type Catalogue = { first: () => Promise<object>; whole: () => Promise<object> };

// Only the chosen language is loaded: first the words of the frame and the dashboard, the rest with the other screens.
const catalogues: Record<Language, Catalogue> = {
  "zh-CN": {
    first: () => import("../locales/zh-CN/first.ts").then((module) => module.firstWords),
    whole: () => import("../locales/zh-CN/index.ts").then((module) => module.zh),
  },
  "en-US": {
    first: () => import("../locales/en-US/first.ts").then((module) => module.firstWords),
    whole: () => import("../locales/en-US/index.ts").then((module) => module.en),
  },
};

export const i18n = createInstance();

const wholeLanguages = new Set<Language>();
let wholeWanted = false;

/** Starts i18next with the stored language's first words; resolves when they can be drawn. */
export async function startI18n(language: Language = currentLanguage()): Promise<void> {
  const words = await catalogues[language].first();
  wholeLanguages.clear();
  setCurrentLanguage(language);
  await i18n.use(initReactI18next).init({
    lng: language,
    fallbackLng: defaultLanguage,
    resources: { [language]: { translation: words } },
    interpolation: { escapeValue: false },
    returnNull: false,
    partialBundledLanguages: true,
    react: { useSuspense: false },
  });
}

/** Resolves when every word of the language is here, also if it is switched meanwhile. Screens wait for it, the dashboard does not. */
export async function loadAllWords(): Promise<void> {
  wholeWanted = true;
  while (!wholeLanguages.has(currentLanguage())) await loadWhole(currentLanguage());
}

async function loadWhole(language: Language) {
  i18n.addResourceBundle(language, "translation", await catalogues[language].whole(), true, true);
  wholeLanguages.add(language);
}

/** Switches the language, loads its words first, and remembers the choice. */
export async function changeLanguage(language: Language): Promise<void> {
  if (!i18n.hasResourceBundle(language, "translation")) {
    i18n.addResourceBundle(language, "translation", await catalogues[language].first());
  }
  if (wholeWanted && !wholeLanguages.has(language)) await loadWhole(language);
  setCurrentLanguage(language);
  writeStored("language", language);
  await i18n.changeLanguage(language);
}
