import type { AppError } from "@sonde/kit/errors";
import { statusOfCode } from "@sonde/proto/http/envelope";
import { translate } from "@sonde/proto/http/messages";
import type { PageLanguage } from "@sonde/proto/http/status/documents";
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

/** Alike for every address. */
const mailed = "If this address can view the page, a link is on its way";

type Needed = Pick<Deps, "status" | "config" | "clock" | "services" | "subscriptions" | "log">;

/** Handles all requests below the addresses of pages. */
export function serveStatusPages(deps: Needed) {
  return async (ctx: Context, at: PagePath): Promise<void> => {
    ctx.compress = false;
    ctx.state.route = isForm(at) ? `/status${at.rest}` : "status";
    if (isForm(at)) return handleForm(ctx, deps, at);
    const page = pageFor(ctx, deps, at.slug);
    const isLink = at.rest === "/open";
    if (ctx.method === "POST" && (isLink || page === null)) return takeProof(ctx, deps, at);
    // Who opened it meanwhile, in another tab.
    if (ctx.method === "POST" && page !== null && page.access()!.isPrivate) return seeOther(ctx, at.home);
    if (!allowMethods(ctx, isLink ? ["GET", "HEAD", "POST"] : ["GET", "HEAD"])) return;
    if (page === null && new URLSearchParams(ctx.querystring).has("members")) return toMembers(ctx, deps, at);
    return isLink ? showButton(ctx, deps) : servePage(ctx, deps, at, page);
  };
}

/** To the app, where a session opens the page; a page of a host of its own is known by that, and there may be none of the slug. */
function toMembers(ctx: Context, deps: Needed, { slug }: PagePath): void {
  const { publicUrl } = deps.config;
  const isHosted = ctx.state.hostedPage !== null;
  if (isHosted && publicUrl === null) return sendLocked(ctx, deps, pageLanguage(ctx));
  const asked = new URLSearchParams({ open: slug, ...(isHosted && { host: ctx.hostname }) });
  ctx.redirect(`${publicUrl ?? ""}/status/config?${asked.toString()}`);
  ctx.set("Cache-Control", "no-store");
}

/** What a link to a locked page opens: a button, the same for every page and link, since scanners open links. */
function showButton(ctx: Context, deps: Needed): void {
  const language = pageLanguage(ctx);
  const token = tokenInQuery(ctx);
  if (token === null) return sendLocked(ctx, deps, language);
  if (sendForm(ctx, deps, null, { kind: "open", language, texts: { token } }, 200)) return;
  const { title, away } = formWords[language].failed;
  sendPlain(ctx, { language, title, text: away, status: statusOfCode.unavailable });
}

/** Takes what the form of a locked page sent, or the button of a link: a page that opens is shown, with a cookie. */
async function takeProof(ctx: Context, deps: Needed, at: PagePath): Promise<void> {
  let language = pageLanguage(ctx);
  try {
    refuseForeign(ctx, deps.config);
    const form = await readForm(ctx);
    language = languageOfForm(form) ?? language;
    const token = form.get("token") ?? "";
    const { password, email } = { password: form.get("password") ?? "", email: (form.get("email") ?? "").trim() };
    if (token !== "") await openByToken(ctx, deps, at.slug, token);
    else if (!(await unlockPage(ctx, deps, at.slug, { password, email }, language))) {
      return sendLocked(ctx, deps, language, translate(mailed, language), 200);
    }
    seeOther(ctx, /^(?:|\/history|\/incidents\/\w{1,20})$/.test(at.rest) ? ctx.path : at.home);
  } catch (thrown) {
    refuse(ctx, deps, language, loggedError(thrown, ctx, deps.log));
  }
}

function refuse(ctx: Context, deps: Needed, language: PageLanguage, error: AppError): void {
  // 401 would have to name a way to authenticate, which no browser could offer here.
  const code = error.code === "unauthenticated" ? "forbidden" : error.code;
  sendLocked(ctx, deps, language, explainToVisitor(ctx, language, error), statusOfCode[code]);
}

function seeOther(ctx: Context, path: string): void {
  ctx.redirect(path);
  ctx.status = 303;
  ctx.set("Cache-Control", "no-store");
}
