import type { AppError } from "@sonde/kit/errors";
import { statusOfCode } from "@sonde/proto/http/envelope";
import { translate } from "@sonde/proto/http/messages";
import { languageOf } from "@sonde/proto/http/language";
import type { PageLanguage } from "@sonde/proto/http/status/languages";
import type { Context } from "../context.ts";
import type { Deps } from "../deps.ts";
import { allowMethods } from "../middleware/errors.ts";
import {
  explainToVisitor,
  handleForm,
  isForm,
  languageOfForm,
  loggedError,
  readForm,
  refuseForeign,
  tokenInQuery,
} from "./forms.ts";
import type { PagePath } from "./paths.ts";
import { formWords } from "./form-words.ts";
import { pageFor, pageLanguage, sendForm, sendLocked, sendPlain, servePage } from "./serve.ts";
import { openByToken, unlockPage } from "./unlock.ts";

/** The same for every address: it must not reveal who may read the page. */
const mailed = "If this address can view the page, a link is on its way";

type PageDeps = Pick<Deps, "status" | "config" | "clock" | "services" | "subscriptions" | "log">;

export function serveStatusPages(deps: PageDeps) {
  return async (ctx: Context, at: PagePath): Promise<void> => {
    ctx.compress = false;
    ctx.state.route = isForm(at) ? `/status${at.rest}` : "status";
    if (isForm(at)) return handleForm(ctx, deps, at);
    const page = pageFor(ctx, deps, at.slug);
    const isLink = at.rest === "/open";
    if (ctx.method === "POST" && (isLink || page === null)) return takeProof(ctx, deps, at);
    // The visitor has unlocked the page in another tab.
    if (ctx.method === "POST" && page !== null && page.access()!.isPrivate) return seeOther(ctx, at.home);
    if (!allowMethods(ctx, isLink ? ["GET", "HEAD", "POST"] : ["GET", "HEAD"])) return;
    if (page === null && new URLSearchParams(ctx.querystring).has("members")) return redirectToApp(ctx, deps, at);
    return isLink ? showButton(ctx, deps) : servePage(ctx, deps, at, page);
  };
}

/** In the app a session opens the page. On a page's own host this needs PUBLIC_URL. */
function redirectToApp(ctx: Context, deps: PageDeps, { slug }: PagePath): void {
  const { publicUrl } = deps.config;
  const isHosted = ctx.state.hostedPage !== null;
  if (isHosted && publicUrl === null) return sendLocked(ctx, deps, pageLanguage(ctx));
  const asked = new URLSearchParams({ open: slug, ...(isHosted && { host: ctx.hostname }) });
  ctx.redirect(`${publicUrl ?? ""}/status/config?${asked.toString()}`);
  ctx.set("Cache-Control", "no-store");
}

/** Opening takes a click, because mail scanners follow links. */
function showButton(ctx: Context, deps: PageDeps): void {
  const language = pageLanguage(ctx);
  const token = tokenInQuery(ctx);
  if (token === null) return sendLocked(ctx, deps, language);
  if (sendForm(ctx, deps, null, { kind: "open", language, texts: { token } }, 200)) return;
  const { title, away } = formWords[language].failed;
  sendPlain(ctx, { language, title, text: away, status: statusOfCode.unavailable });
}

async function takeProof(ctx: Context, deps: PageDeps, at: PagePath): Promise<void> {
  let language = pageLanguage(ctx);
  try {
    refuseForeign(ctx, deps.config);
    const form = await readForm(ctx);
    language = languageOfForm(form) ?? language;
    const token = form.get("token") ?? "";
    const { password, email } = { password: form.get("password") ?? "", email: (form.get("email") ?? "").trim() };
    if (token !== "") await openByToken(ctx, deps, at.slug, token);
    else if (!(await unlockPage(ctx, deps, at.slug, { password, email }, language))) {
      return sendLocked(ctx, deps, language, translate(mailed, languageOf(language)), 200);
    }
    seeOther(ctx, /^(?:|\/history|\/incidents\/\w{1,20})$/.test(at.rest) ? ctx.path : at.home);
  } catch (thrown) {
    refuse(ctx, deps, language, loggedError(thrown, ctx, deps.log));
  }
}

function refuse(ctx: Context, deps: PageDeps, language: PageLanguage, error: AppError): void {
  // 401 would require an authentication scheme, and browsers could not offer a suitable one.
  const code = error.code === "unauthenticated" ? "forbidden" : error.code;
  sendLocked(ctx, deps, language, explainToVisitor(ctx, language, error), statusOfCode[code]);
}

function seeOther(ctx: Context, path: string): void {
  ctx.redirect(path);
  ctx.status = 303;
  ctx.set("Cache-Control", "no-store");
}
