import { AppError } from "@sonde/kit/errors";
import { publicIncidentId } from "@sonde/proto/http/status";
import type { Context } from "../context.ts";
import type { Deps } from "../deps.ts";
import { html, write } from "../html.ts";
import { sendEncoded } from "../site/send.ts";
import type { Document } from "./documents.ts";
import { dataHeaders, htmlHeaders, type HtmlOptions, sharedCaching } from "./headers.ts";
import { pageLanguage } from "./language.ts";
import type { Wanted, WantedOnce } from "./wanted.ts";
import { servingWords } from "./words/serving.ts";

type Needed = Pick<Deps, "status" | "config">;

/** Whether a path is one of the public page's; its configuration is a screen of the web app. */
export const isStatusPage = (path: string): boolean =>
  path === "/status" || (path.startsWith("/status/") && !/^\/status\/config(?:\/|$)/.test(path));

const pages = new Map([
  ["/status", { kind: "page", framed: true, hidden: false }],
  ["/status/history", { kind: "history", framed: false, hidden: false }],
  ["/status/embed", { kind: "embed", framed: true, hidden: true }],
] as const);
const retrySeconds = 5;

/** Serves the documents of the public page; what is not there, or not shown, is the same page that says so. */
export function serveStatusPages(deps: Needed) {
  return async (ctx: Context): Promise<void> => {
    ctx.compress = false;
    ctx.state.route = "status";
    allowReading(ctx);
    if (ctx.status === 204) return;
    if (ctx.path === "/status/") return toPage(ctx);
    const language = pageLanguage(ctx);
    if (deps.status.view.known() === null) return notReady(ctx, language);
    const page = pages.get(ctx.path as "/status");
    if (page !== undefined) return sendDocument(ctx, deps, { kind: page.kind, language }, page);
    const id = /^\/status\/incidents\/(\w{1,20})$/.exec(ctx.path)?.[1];
    if (id !== undefined && publicIncidentId.safeParse(id).success) {
      return sendDocument(ctx, deps, { kind: "incident", id, language }, { framed: false, hidden: false });
    }
    return sendMissing(ctx, deps);
  };
}

/** @throws AppError `method_not_allowed` */
function allowReading(ctx: Context): void {
  if (ctx.method === "GET" || ctx.method === "HEAD") return;
  ctx.set("Allow", "GET, HEAD, OPTIONS");
  if (ctx.method !== "OPTIONS") throw new AppError("method_not_allowed", "This method is not allowed here");
  ctx.status = 204;
}

function toPage(ctx: Context): void {
  ctx.status = 301;
  ctx.set("Location", ctx.querystring === "" ? "/status" : `/status?${ctx.querystring}`);
}

type Shown = Omit<HtmlOptions, "isHttps">;

/** Answers with a document; 404, always in the same words, where the page does not show what it is about. */
async function sendDocument(
  ctx: Context,
  deps: Needed,
  wanted: Wanted & { language: string },
  shown: Shown,
): Promise<void> {
  const document = await deps.status.documents.get(wanted);
  if (document === null) return sendMissing(ctx, deps);
  setHtml(ctx, deps, shown);
  ctx.set("Cache-Control", sharedCaching);
  ctx.set("Vary", "Accept-Encoding, Accept-Language");
  ctx.set("Content-Language", wanted.language);
  await sendEncoded(ctx, { ...document, contentType: "text/html; charset=utf-8" });
}

/** The page that says that there is nothing here. Of what is hidden it says no more than of what never was. */
export async function sendMissing(ctx: Context, deps: Needed): Promise<void> {
  const language = pageLanguage(ctx);
  const document = await deps.status.documents.get({ kind: "missing", language });
  setHtml(ctx, deps, { framed: false, hidden: true });
  ctx.set("Cache-Control", "public, max-age=5");
  ctx.set("Vary", "Accept-Encoding, Accept-Language");
  ctx.set("Content-Language", language);
  ctx.status = 404;
  ctx.body = document?.bytes ?? "";
}

/** Answers with a document for this visitor alone, in the clothes of the page. @throws AppError `unavailable` */
export async function sendOnce(ctx: Context, deps: Needed, wanted: WantedOnce, status = 200): Promise<void> {
  const document = await deps.status.documents.make(wanted);
  setHtml(ctx, deps, { framed: false, hidden: true });
  // The address may hold a token.
  ctx.set({ "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "Content-Language": wanted.language });
  ctx.status = status;
  ctx.body = document;
}

function setHtml(ctx: Context, { status, config }: Needed, shown: Shown): void {
  const page = status.view.known()?.summary.page ?? { logoUrl: null, embedOrigins: [], searchable: false };
  const isHttps = config.publicUrl?.startsWith("https:") === true;
  const { set, removed } = htmlHeaders(page, { ...shown, isHttps });
  ctx.set(set);
  for (const name of removed) ctx.remove(name);
}

/** Nothing is known yet: there is not even a title. */
function notReady(ctx: Context, language: "zh-CN" | "en-US"): void {
  const { title, text } = servingWords[language].notReady;
  ctx.set({ "Retry-After": String(retrySeconds), "Cache-Control": "no-store", "X-Robots-Tag": "noindex" });
  ctx.status = 503;
  ctx.type = "text/html; charset=utf-8";
  ctx.body = write(
    html`<!doctype html>
      <html lang="${language}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width" />
          <title>${title}</title>
        </head>
        <body>
          <h1>${title}</h1>
          <p>${text}</p>
        </body>
      </html> `,
  );
}

/** Answers a route of the API with bytes of the public page. */
export async function sendData(ctx: Context, deps: Needed, document: Document, contentType: string): Promise<void> {
  ctx.compress = false;
  const page = deps.status.view.known()?.summary.page ?? { searchable: false };
  ctx.set(dataHeaders(page, contentType));
  ctx.set("Cache-Control", sharedCaching);
  await sendEncoded(ctx, { ...document, contentType });
}
