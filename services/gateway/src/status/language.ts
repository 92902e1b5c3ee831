import { languageOf } from "@sonde/proto/http/messages";
import type { Context } from "../context.ts";
import { remembered } from "@sonde/kit/cache";
import type { Language } from "./page/render.ts";

/**
 * The language of a document of the public page: `?lang=`, else what the browser prefers, else zh-CN. The API, which
 * programs ask without a word, is English then.
 */
export function pageLanguage(ctx: Pick<Context, "req" | "querystring">): Language {
  const asked = ctx.querystring === "" ? null : new URLSearchParams(ctx.querystring).get("lang");
  const named = asked === null ? null : languageNamed(asked);
  return named ?? preferredLanguage(ctx.req.headers["accept-language"] ?? "");
}

/** What an Accept-Language prefers. */
export const preferredLanguage = remembered((accepted: string): Language =>
  /[a-z]/i.test(accepted) ? languageOf(accepted) : "zh-CN",
);

function languageNamed(text: string): Language | null {
  if (/^zh\b/i.test(text)) return "zh-CN";
  return /^en\b/i.test(text) ? "en-US" : null;
}
