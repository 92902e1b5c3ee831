import type { Language } from "@sonde/proto/http/messages";
import { readStored } from "./storage.ts";

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
