import { AppError, unavailable } from "@sonde/kit/errors";
import { html, write } from "@sonde/kit/http/html";
import { documentNames, type NeutralKind } from "@sonde/proto/http/status/documents";
import {
  chooseLanguage,
  matchLanguage,
  type PageLanguage,
  pageLanguages,
  usualLanguages,
} from "@sonde/proto/http/status/languages";
import { defaultSlug } from "@sonde/proto/http/status/snapshot";
import type { Context } from "../context.ts";
import type { Deps } from "../deps.ts";
import { beginStream, streamHeaders } from "../events/begin-stream.ts";
import { withBase } from "../middleware/base-path.ts";
import { isTls } from "../middleware/host.ts";
import { sendBytes } from "../site/bytes.ts";
import { mayRead, type Visitor } from "./access.ts";
import { dataHeaders, htmlHeaders, imagePolicy, isHttps, noindex, privateCaching, privateHeaders } from "./headers.ts";
import { sharedCaching, sharedHeaders } from "./headers.ts";
import { formWords } from "./form-words.ts";
import type { PagePath } from "./paths.ts";
import type { StatusDocument, StatusView } from "./view.ts";

type PageDeps = Pick<Deps, "status" | "config" | "clock">;

const reloadSeconds = 2;
/** Visitors who may not read the page (`null`) get the same response as for a page that does not exist. */
export async function servePage(ctx: Context, deps: PageDeps, at: PagePath, page: StatusView | null): Promise<void> {
  if (at.rest === "/") return redirectToPage(ctx, at);
  const language = pageLanguage(ctx, languagesOf(page));
  if (page === null) return sendLocked(ctx, deps, language);
  if (at.rest === "/events") return openEvents(ctx, deps, page);
  const data = dataAt(at.rest, ctx, language);
  if (data !== null) return sendData(ctx, deps, page, data);
  const missing = page.document(documentNames.of("missing", language));
  const asked = documentAt(at.rest, language);
  const document = asked === null ? null : page.document(asked.name);
  if (page.published() === null || missing === null) return sendPreparing(ctx, deps, language);
  if (asked === null || document === null) {
    return sendDocument(ctx, deps, page, missing, { language, hidden: true, status: 404 });
  }
  await sendDocument(ctx, deps, page, document, { language, ...asked });
}

export function pageFor(ctx: Context, { status, config, clock }: PageDeps, slug: string): StatusView | null {
  const page = status.pages.page(slug);
  return page !== null && mayRead(page.access()!, visitorOf(ctx, config), clock.now()) ? page : null;
}

/** @throws AppError `not_found` if the visitor may not read the default page */
export function readDefaultPage(ctx: Context, deps: PageDeps): StatusView {
  const page = pageFor(ctx, deps, defaultSlug);
  if (page === null) throw new AppError("not_found", "Nothing exists at this address");
  return page;
}

const visitorOf = (ctx: Context, config: PageDeps["config"]): Visitor => ({
  cookies: ctx.req.headers.cookie,
  address: ctx.state.address,
  isTls: isTls(config, ctx),
});

/** `framed` documents may be embedded by other sites, `hidden` ones are never indexed. */
function documentAt(rest: string, language: PageLanguage) {
  if (rest === "") return { name: documentNames.of("page", language), framed: true };
  if (rest === "/embed") return { name: documentNames.of("embed", language), framed: true, hidden: true };
  if (rest === "/history") return { name: documentNames.of("history", language) };
  const id = /^\/incidents\/(\w{1,20})$/.exec(rest)?.[1];
  return id === undefined ? null : { name: documentNames.incident(id, language) };
}

function dataAt(rest: string, ctx: Context, language: PageLanguage): PageData | null {
  if (rest === "/data.json") return { kind: "json", name: documentNames.json, language: null };
  if (rest === "/style.css") return { kind: "style", name: documentNames.style, language: null };
  if (rest === "/feed.atom") return { kind: "feed", name: documentNames.of("feed", language), language };
  const image = /^\/image\.([\w-]{22})$/.exec(rest)?.[1];
  if (image !== undefined) return { kind: "image", name: documentNames.image(image), language: null };
  const id = /^\/badges\/([1-9]\d{0,9})\.svg$/.exec(rest)?.[1];
  if (id === undefined) return null;
  const kind = new URLSearchParams(ctx.querystring).get("kind") ?? "status";
  return { kind: "badge", name: documentNames.badge(kind, Number(id), language), language };
}

/** Documents of locked and missing pages exist in every language. */
export const languagesOf = (page: StatusView | null): readonly PageLanguage[] =>
  page === null ? pageLanguages : (page.published()?.summary.languages ?? usualLanguages);

/** `?lang=`, else Accept-Language, else the first. (The API defaults to English.) */
export function pageLanguage(
  ctx: Pick<Context, "req" | "querystring">,
  among: readonly PageLanguage[] = pageLanguages,
): PageLanguage {
  const asked = new URLSearchParams(ctx.querystring).get("lang") ?? "";
  return matchLanguage(asked, among) ?? chooseLanguage(ctx.req.headers["accept-language"] ?? "", among);
}

function redirectToPage(ctx: Context, { home }: PagePath): void {
  ctx.status = 301;
  ctx.set("Location", ctx.querystring === "" ? home : `${home}?${ctx.querystring}`);
}

type Shown = { language: PageLanguage; framed?: boolean; hidden?: boolean; status?: 200 | 404 };

async function sendDocument(
  ctx: Context,
  { config }: PageDeps,
  page: StatusView,
  document: StatusDocument,
  shown: Shown,
) {
  const { language, framed = false, hidden = false, status: code = 200 } = shown;
  const { summary } = page.published()!;
  const isClosed = page.access()!.isPrivate;
  const { set, removed } = htmlHeaders(summary, { framed, hidden: hidden || isClosed, isHttps: isHttps(config) });
  const caching = code === 404 ? "public, max-age=5" : sharedCaching;
  ctx.set({ ...set, ...languageHeaders(language), "Cache-Control": isClosed ? privateCaching : caching });
  for (const name of removed) ctx.remove(name);
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
  image: "application/octet-stream",
  style: "text/css; charset=utf-8",
};

/** Documents that a page may lack. */
const optionalKinds = new Set<keyof typeof dataTypes>(["badge", "image", "style"]);

type PageData = { kind: keyof typeof dataTypes; name: string; language: PageLanguage | null };

/** @throws AppError `unavailable` until the page is available; `not_found` if it has no such document */
export async function sendData(
  ctx: Context,
  { config }: PageDeps,
  page: StatusView,
  { kind, name, language }: PageData,
): Promise<void> {
  const published = page.published();
  const document = page.document(name);
  if (published === null || (document === null && !optionalKinds.has(kind))) throw unavailable("status-page");
  if (document === null) throw new AppError("not_found", "Nothing exists at this address");
  const { isPrivate } = page.access()!;
  ctx.set(isPrivate ? privateHeaders : dataHeaders(published.summary, config));
  if (kind === "image") ctx.set({ ...imagePolicy, ...(!isPrivate && { "Cache-Control": "public, max-age=86400" }) });
  const contentType = document.type ?? dataTypes[kind];
  if (language !== null) ctx.set(languageHeaders(language));
  await sendBytes(ctx, { ...document, contentType });
}

export function openEvents(ctx: Context, { status, config, clock }: PageDeps, page: StatusView): void {
  ctx.compress = false;
  ctx.set(page.access()!.isPrivate ? noindex : sharedHeaders(config));
  if (ctx.method === "HEAD") {
    ctx.set(streamHeaders);
    ctx.status = 200;
    return;
  }
  const visitor = visitorOf(ctx, config);
  const mayStay = () => {
    const access = page.access();
    return access !== null && mayRead(access, visitor, clock.now());
  };
  status.streams.add(page, { sink: ctx.res, address: visitor.address, mayStay }, () => beginStream(ctx));
}

export type FormAnswer = { kind: NeutralKind; language: PageLanguage; texts: Record<string, string> };

/** Fills the visitor's texts into a document. Returns `false` if the document is not available. */
export function sendForm(
  ctx: Context,
  { status, config }: PageDeps,
  page: StatusView | null,
  { kind, language, texts }: FormAnswer,
  code: number,
): boolean {
  const name = documentNames.of(kind, language);
  const document = page === null ? status.pages.neutral(name) : page.document(name);
  const summary = page === null ? noSummary : page.published()?.summary;
  if (document === null || summary === undefined) return false;
  ctx.set(htmlHeaders(summary, { framed: false, hidden: true, isHttps: isHttps(config) }).set);
  ctx.set({ "Cache-Control": page === null ? privateCaching : "no-store", "Content-Language": language });
  ctx.status = code;
  ctx.body = withBase(fillIn(document, texts), ctx.state.base);
  return true;
}
const noSummary = { logoUrl: null, embedOrigins: [], searchable: false, hasImages: false };

function fillIn({ bytes, blanks }: StatusDocument, texts: Record<string, string>): string {
  let text = bytes.toString();
  for (const [name, blank] of Object.entries(blanks)) {
    const escaped = write(html`${texts[name] ?? ""}`);
    text = text.replaceAll(blank, () => escaped);
  }
  return text;
}

/** The response does not reveal whether the page exists. `error` explains a failed attempt to unlock. */
export function sendLocked(ctx: Context, deps: PageDeps, language: PageLanguage, error = "", status = 404): void {
  if (sendForm(ctx, deps, null, { kind: "locked", language, texts: { error } }, status)) return;
  sendPlain(ctx, { language, ...formWords[language].locked, ...(error !== "" && { text: error }), status });
  ctx.set("Cache-Control", privateCaching);
}

/** The browser reloads until the page was published, without a script. */
function sendPreparing(ctx: Context, deps: PageDeps, language: PageLanguage): void {
  ctx.set({ "Retry-After": String(reloadSeconds), Refresh: String(reloadSeconds) });
  const texts = formWords[language].preparing;
  if (sendForm(ctx, deps, null, { kind: "notice", language, texts }, 503)) return;
  sendPlain(ctx, { language, ...texts, status: 503 });
}

/** For when the page's own documents are not available. */
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
          <main>
            <h1>${title}</h1>
            <p>${text}</p>
          </main>
        </body>
      </html> `,
  );
}
