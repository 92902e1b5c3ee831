import { AppError, unavailable } from "@sonde/kit/errors";
import { html, write } from "@sonde/kit/http/html";
import { languageOf } from "@sonde/proto/http/language";
import { documentNames, type FormKind, type PageLanguage } from "@sonde/proto/http/status/documents";
import type { Context } from "../context.ts";
import type { Deps } from "../deps.ts";
import { allowMethods } from "../middleware/errors.ts";
import { leaveOut } from "../middleware/security-headers.ts";
import { sendBytes } from "../site/bytes.ts";
import { dataHeaders, htmlHeaders, isHttps, sharedCaching } from "./headers.ts";
import type { StatusDocument } from "./view.ts";

type Needed = Pick<Deps, "status" | "config">;

/** Whether a path is one of the public page's; its configuration is a screen of the web app. */
export const isStatusPage = (path: string): boolean =>
  path === "/status" || (path.startsWith("/status/") && !/^\/status\/config(?:\/|$)/.test(path));

const retrySeconds = 5;
const notReadyTexts: Record<PageLanguage, { title: string; text: string }> = {
  "en-US": { title: "Not ready yet", text: "This status page is not ready yet. Please try again in a moment." },
  "zh-CN": { title: "尚未就绪", text: "状态页尚未就绪，请稍后再试。" },
};

/** Serves the documents of the public page; a missing or hidden one is the same page with a notice. */
export function serveStatusPages(deps: Needed) {
  return async (ctx: Context): Promise<void> => {
    ctx.compress = false;
    ctx.state.route = "status";
    if (!allowMethods(ctx, ["GET", "HEAD"])) return;
    if (ctx.path === "/status/") return toPage(ctx);
    const language = pageLanguage(ctx);
    const { view } = deps.status;
    const missing = view.document(documentNames.of("missing", language));
    const page = pageAt(ctx.path, language);
    const document = page === null ? null : view.document(page.name);
    if (view.published() === null || missing === null) return notReady(ctx, language);
    if (page === null || document === null) {
      return sendDocument(ctx, deps, missing, { language, hidden: true, status: 404 });
    }
    await sendDocument(ctx, deps, document, { language, ...page });
  };
}

/** The name of the document at a path, and whether other sites may frame it and search engines never list it. */
function pageAt(path: string, language: PageLanguage) {
  if (path === "/status") return { name: documentNames.of("page", language), framed: true };
  if (path === "/status/embed") return { name: documentNames.of("embed", language), framed: true, hidden: true };
  if (path === "/status/history") return { name: documentNames.of("history", language) };
  const id = /^\/status\/incidents\/(\w{1,20})$/.exec(path)?.[1];
  return id === undefined ? null : { name: documentNames.incident(id, language) };
}

/**
 * The language of a document of the public page: `?lang=`, else what the browser prefers, else zh-CN. The API, which
 * programs ask without naming one, is English then.
 */
export function pageLanguage(ctx: Pick<Context, "req" | "querystring">): PageLanguage {
  const asked = new URLSearchParams(ctx.querystring).get("lang") ?? "";
  if (/^zh\b/i.test(asked)) return "zh-CN";
  if (/^en\b/i.test(asked)) return "en-US";
  const accepted = ctx.req.headers["accept-language"] ?? "";
  return /[a-z]/i.test(accepted) ? languageOf(accepted) : "zh-CN";
}

/** One page has one address. */
function toPage(ctx: Context): void {
  ctx.status = 301;
  ctx.set("Location", ctx.querystring === "" ? "/status" : `/status?${ctx.querystring}`);
}

type Shown = { language: PageLanguage; framed?: boolean; hidden?: boolean; status?: 200 | 404 };

async function sendDocument(ctx: Context, { status, config }: Needed, document: StatusDocument, shown: Shown) {
  const { language, framed = false, hidden = false, status: code = 200 } = shown;
  const { summary } = status.view.published()!;
  const { set, removed } = htmlHeaders(summary, { framed, hidden, isHttps: isHttps(config) });
  ctx.set({
    ...set,
    ...languageHeaders(language),
    "Cache-Control": code === 404 ? "public, max-age=5" : sharedCaching,
  });
  leaveOut(ctx, removed);
  await sendBytes(ctx, { ...document, contentType: "text/html; charset=utf-8" }, code);
}

const languageHeaders = (language: PageLanguage) => ({
  Vary: "Accept-Encoding, Accept-Language",
  "Content-Language": language,
});

const dataTypes = {
  json: "application/json; charset=utf-8",
  feed: "application/atom+xml; charset=utf-8",
  badge: "image/svg+xml; charset=utf-8",
};

/**
 * Answers with what programs and other sites read. `language`: null where it has none.
 * @throws AppError `unavailable` before the page is known; `not_found` where it has no such document
 */
export async function sendData(
  ctx: Context,
  { status, config }: Needed,
  { kind, name, language }: { kind: keyof typeof dataTypes; name: string; language: PageLanguage | null },
): Promise<void> {
  const published = status.view.published();
  const document = status.view.document(name);
  if (published === null || (document === null && kind !== "badge")) throw unavailable("status-page");
  if (document === null) throw new AppError("not_found", "There is nothing at this address");
  const contentType = dataTypes[kind];
  ctx.set(dataHeaders(published.summary, contentType, config));
  ctx.set({ ...(language === null ? {} : languageHeaders(language)), "Cache-Control": sharedCaching });
  await sendBytes(ctx, { ...document, contentType });
}

/**
 * Responds to a form with a document for this visitor alone, whose texts are written into the page's. False where nothing is
 * known of the page.
 */
export function sendForm(ctx: Context, { status, config }: Needed, answer: FormAnswer, code: number): boolean {
  const { kind, language } = answer;
  const published = status.view.published();
  const document = status.view.document(documentNames.of(kind, language));
  if (published === null || document === null) return false;
  ctx.set(htmlHeaders(published.summary, { framed: false, hidden: true, isHttps: isHttps(config) }).set);
  ctx.set({ "Cache-Control": "no-store", "Content-Language": language });
  ctx.status = code;
  let body = document.bytes.toString();
  for (const [name, blank] of Object.entries(document.blanks)) {
    const escaped = write(html`${answer.texts[name] ?? ""}`);
    body = body.replaceAll(blank, () => escaped);
  }
  ctx.body = body;
  return true;
}

export type FormAnswer = { kind: FormKind; language: PageLanguage; texts: Record<string, string> };
/** Nothing is known yet: there is not even a title. */
function notReady(ctx: Context, language: PageLanguage): void {
  ctx.set("Retry-After", String(retrySeconds));
  sendPlain(ctx, { language, ...notReadyTexts[language], status: 503 });
}

/** A document of a few words without the page's style: for when nothing is known of the page. */
export function sendPlain(
  ctx: Context,
  { language, title, text, status }: { language: PageLanguage; title: string; text: string; status: number },
): void {
  ctx.set({ "Cache-Control": "no-store", "X-Robots-Tag": "noindex" });
  ctx.status = status;
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
