import { AppError } from "@sonde/kit/errors";
import type { Context } from "../context.ts";
import type { Deps } from "../deps.ts";
import { leaveOut } from "../middleware/security-headers.ts";
import { bestEncoding, holds } from "../site/send.ts";
import { answerOf } from "./answers.ts";
import type { Document } from "./documents.ts";
import { htmlHeaders, isHttps } from "./headers.ts";
import { pageLanguage } from "./language.ts";
import type { Language } from "./page/render.ts";
import { plainDocument } from "./plain-document.ts";
import type { Known } from "./view.ts";
import type { Slip } from "./slips.ts";
import type { Wanted } from "./wanted.ts";
import { servingWords } from "./words/serving.ts";

type Needed = Pick<Deps, "status" | "config">;

/** Whether a path is one of the public page's; its configuration is a screen of the web app. */
export const isStatusPage = (path: string): boolean =>
  path === "/status" || (path.startsWith("/status/") && !/^\/status\/config(?:\/|$)/.test(path));

const pages = new Map([
  ["/status", "page"],
  ["/status/history", "history"],
  ["/status/embed", "embed"],
] as const);
const retrySeconds = 5;

/** Serves the documents of the public page; what is not there, or not shown, is the same page that says so. */
export function serveStatusPages(deps: Needed) {
  return async (ctx: Context): Promise<void> => {
    ctx.compress = false;
    ctx.state.route = "status";
    if (ctx.method !== "GET" && ctx.method !== "HEAD") {
      ctx.set("Allow", "GET, HEAD, OPTIONS");
      if (ctx.method === "OPTIONS") return void (ctx.status = 204);
      throw new AppError("method_not_allowed", "This method is not allowed here");
    }
    if (ctx.path === "/status/") return toPage(ctx);
    const language = pageLanguage(ctx);
    const known = deps.status.view.known();
    if (known === null) return notReady(ctx, language);
    const wanted = wantedAt(ctx.path, language, known);
    try {
      const document = wanted === null ? null : await deps.status.documents.get(wanted);
      if (wanted === null || document === null) return await sendMissing(ctx, deps);
      await sendDocument(ctx, deps, wanted, document);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "unavailable") throw error;
      notReady(ctx, language);
    }
  };
}

/** What is at a path; null: nothing. Of an incident that the page does not show nothing is made, and nothing is kept. */
function wantedAt(path: string, language: Language, { summary }: Known): Wanted | null {
  const kind = pages.get(path as "/status");
  if (kind !== undefined) return { kind, language };
  const id = /^\/status\/incidents\/(\w{1,20})$/.exec(path)?.[1];
  return id !== undefined && summary.incidents.includes(id) ? { kind: "incident", id, language } : null;
}

function toPage(ctx: Context): void {
  ctx.status = 301;
  ctx.set("Location", ctx.querystring === "" ? "/status" : `/status?${ctx.querystring}`);
}

/** Answers 200, or 304 to who has it, in the best encoding that the client takes. */
export async function sendDocument(ctx: Context, { config }: Needed, wanted: Wanted, document: Document, status = 200) {
  ctx.compress = false;
  const encoding = bestEncoding(ctx.req.headers["accept-encoding"] ?? "");
  if (encoding !== null) await document.encoded.get(encoding);
  const { headers, removed, tag, body } = answerOf(document, wanted, encoding, config);
  ctx.set(headers);
  leaveOut(ctx, removed);
  if (status === 200 && holds(ctx.req.headers["if-none-match"], tag)) return void (ctx.status = 304);
  ctx.status = status;
  ctx.body = body;
}

/** The page that says that there is nothing here. Of what is hidden it says no more than of what never was. */
export async function sendMissing(ctx: Context, deps: Needed): Promise<void> {
  const wanted = { kind: "missing", language: pageLanguage(ctx) } as const;
  const document = await deps.status.documents.get(wanted);
  await sendDocument(ctx, deps, wanted, document!, 404);
}

/** Answers with a document for this visitor alone, in the clothes of the page. @throws AppError `unavailable` */
export async function sendOnce(ctx: Context, { status, config }: Needed, wanted: Slip, code = 200): Promise<void> {
  const { page, text } = await status.documents.make(wanted);
  ctx.set(htmlHeaders(page, { framed: false, hidden: true, isHttps: isHttps(config) }).set);
  ctx.set({ "Cache-Control": "no-store", "Content-Language": wanted.language });
  ctx.status = code;
  ctx.body = text;
}

/** Nothing is known yet: there is not even a title. */
function notReady(ctx: Context, language: Language): void {
  ctx.set({ "Retry-After": String(retrySeconds), "Cache-Control": "no-store", "X-Robots-Tag": "noindex" });
  ctx.status = 503;
  ctx.type = "text/html; charset=utf-8";
  ctx.body = plainDocument(language, servingWords[language].notReady);
}
