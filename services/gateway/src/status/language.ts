import type { Context } from "../context.ts";
import type { Language } from "./page/render.ts";

/**
 * The language of a document of the public page: `?lang=`, else what the browser prefers, else zh-CN. The API, which
 * programs ask without a word, is English then.
 */
export function pageLanguage(ctx: Pick<Context, "req" | "querystring" | "state">): Language {
  const asked = ctx.querystring === "" ? null : new URLSearchParams(ctx.querystring).get("lang");
  const named = asked === null ? null : languageNamed(asked);
  if (named !== null) return named;
  return /[a-z]/i.test(ctx.req.headers["accept-language"] ?? "") ? ctx.state.language : "zh-CN";
}

function languageNamed(text: string): Language | null {
  if (/^zh\b/i.test(text)) return "zh-CN";
  return /^en\b/i.test(text) ? "en-US" : null;
}
