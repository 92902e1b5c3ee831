import type { Language } from "./messages.ts";

/** Returns the language for an Accept-Language header: zh-CN if `zh*` is preferred, otherwise en-US. */
export function languageOf(acceptLanguage: string | undefined): Language {
  // Fast path: agents send no language and report often.
  if (acceptLanguage === undefined) return "en-US";
  return rankedTags(acceptLanguage)[0]?.startsWith("zh") === true ? "zh-CN" : "en-US";
}

/** Returns the tags of an Accept-Language header in lower case, the preferred ones first. */
export const rankedTags = (acceptLanguage: string): string[] =>
  acceptLanguage
    .split(",")
    .map((part) => {
      const [tag = "", ...params] = part.trim().split(";");
      const q = params.map((param) => /^\s*q=([\d.]+)\s*$/.exec(param)?.[1]).find((value) => value !== undefined);
      return { tag: tag.trim().toLowerCase(), weight: q === undefined ? 1 : Number(q) };
    })
    .filter(({ tag, weight }) => tag !== "" && weight > 0)
    .sort((left, right) => right.weight - left.weight)
    .map(({ tag }) => tag);
