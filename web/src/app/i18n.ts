import type { Language } from "@sonde/proto/http/messages";
import { createInstance } from "i18next";
import { initReactI18next } from "react-i18next";
import { loadReasons } from "../lib/reasons.ts";
import type { en } from "../locales/en-US/index.ts";
import { writeStored, readStored } from "./storage.ts";

export const languages = ["zh-CN", "en-US"] as const;
/** A language is written in itself, so that those who need it can find it. */
export const languageNames: Record<Language, string> = { "zh-CN": "中文", "en-US": "English" };
export const defaultLanguage: Language = "zh-CN";

let current: Language = readStored("language") === "en-US" ? "en-US" : defaultLanguage;

/** The app's language, also outside React: requests and formats follow it. */
export function currentLanguage(): Language {
  return current;
}

export function setCurrentLanguage(language: Language): void {
  current = language;
  document.documentElement.lang = language;
}

/**
 * The parts in which words are loaded, none of which is in another: `first` are those of the frame and the dashboard,
 * `list` those that the list of monitors shows beyond them, `monitor` those of a monitor's page, `audit` those of the
 * audit log, `rest` all others.
 */
type Part = "first" | "list" | "monitor" | "rest" | "audit";
/** What a screen asks for, with the parts before it: `whole` are all but for the audit log's. */
export type WordsPart = "first" | "list" | "monitor" | "whole" | "audit";

const partsOf: Record<WordsPart, readonly Part[]> = {
  first: ["first"],
  list: ["list"],
  monitor: ["list", "monitor"],
  whole: ["list", "monitor", "rest"],
  audit: ["list", "monitor", "rest", "audit"],
};

// Only the chosen language is loaded.
const sources: Record<Language, Record<Part, () => Promise<object>>> = {
  "zh-CN": {
    first: () => import("../locales/zh-CN/parts/first.ts").then((module) => module.firstWords),
    list: () => import("../locales/zh-CN/parts/list.ts").then((module) => module.listWords),
    monitor: () => import("../locales/zh-CN/parts/monitor.ts").then((module) => module.monitorWords),
    rest: () => import("../locales/zh-CN/parts/rest.ts").then((module) => module.restWords),
    audit: () => import("../locales/zh-CN/parts/audit.ts").then((module) => module.auditWords),
  },
  "en-US": {
    first: () => import("../locales/en-US/parts/first.ts").then((module) => module.firstWords),
    list: () => import("../locales/en-US/parts/list.ts").then((module) => module.listWords),
    monitor: () => import("../locales/en-US/parts/monitor.ts").then((module) => module.monitorWords),
    rest: () => import("../locales/en-US/parts/rest.ts").then((module) => module.restWords),
    audit: () => import("../locales/en-US/parts/audit.ts").then((module) => module.auditWords),
  },
};

export const i18n = createInstance();

/** The parts that are here, of each language. */
const loaded: Record<Language, Set<Part>> = { "zh-CN": new Set(), "en-US": new Set() };
/** The parts that were asked for since the start: another language needs the same. */
const wanted = new Set<Part>();

/** Starts i18next with the stored language's first words; resolves when they can be drawn. */
export async function startI18n(language: Language = currentLanguage()): Promise<void> {
  for (const parts of [wanted, ...Object.values(loaded)]) parts.clear();
  setCurrentLanguage(language);
  await i18n.use(initReactI18next).init({
    lng: language,
    fallbackLng: defaultLanguage,
    resources: {},
    interpolation: { escapeValue: false },
    returnNull: false,
    partialBundledLanguages: true,
    react: { useSuspense: false },
  });
  await loadWords("first");
}

/** Resolves when a part is here, also if the language is switched meanwhile. Screens wait for theirs, so that none shows keys. */
export async function loadWords(asked: WordsPart): Promise<void> {
  const parts = partsOf[asked];
  for (const part of parts) wanted.add(part);
  // Chinese reasons are painted with the screen, not after it.
  const isPage = asked === "whole" || asked === "monitor";
  const reasons = isPage && currentLanguage() === "zh-CN" ? loadReasons().catch(() => undefined) : undefined;
  while (!parts.every((part) => loaded[currentLanguage()].has(part)))
    await Promise.all(parts.map((part) => load(currentLanguage(), part)));
  await reasons;
}

/** Switches the language, loads its words first, and remembers the choice. */
export async function changeLanguage(language: Language): Promise<void> {
  for (const part of wanted) await load(language, part);
  setCurrentLanguage(language);
  writeStored("language", language);
  await i18n.changeLanguage(language);
}

async function load(language: Language, part: Part) {
  if (loaded[language].has(part)) return;
  i18n.addResourceBundle(language, "translation", await sources[language][part](), true, true);
  loaded[language].add(part);
}

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "translation";
    resources: { translation: typeof en };
  }
}
