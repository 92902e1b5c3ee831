import { AppError, toAppError } from "@sonde/kit/errors";
import { readBody } from "@sonde/kit/http/request-body";
import { statusOfCode } from "@sonde/proto/http/envelope";
import { translate } from "@sonde/proto/http/messages";
import { languageOf } from "@sonde/proto/http/language";
import { type PageLanguage, pageLanguages } from "@sonde/proto/http/status/languages";
import { subscribeInput, subscriptionTokenInput } from "@sonde/proto/http/status/subscribers";
import type { z } from "zod";
import type { Context } from "../context.ts";
import type { Deps } from "../deps.ts";
import { allowMethods } from "../middleware/errors.ts";
import { isOwnOrigin } from "../middleware/host.ts";
import { validate } from "../validate.ts";
import { formWords } from "./form-words.ts";
import type { PagePath } from "./paths.ts";
import { type FormAnswer, pageFor, pageLanguage, sendForm, sendLocked, sendPlain } from "./serve.ts";

type PageDeps = Pick<Deps, "status" | "config" | "clock" | "services" | "subscriptions" | "log">;
type Fields = { form: URLSearchParams; language: PageLanguage };

/** A selection of 500 services takes 12 KiB. */
const formLimits = { maxBytes: 16 * 1024, deadlineMs: 15_000 };
const maxTokenLength = 200;

const forms = ["/subscribe", "/confirm", "/unsubscribe"] as const;
type FormName = (typeof forms)[number];

type FormPath = PagePath & { rest: FormName };

export const isForm = (at: PagePath): at is FormPath => forms.some((form) => form === at.rest);

/**
 * Handles the forms of a page, which work without its script, and the one-click POST of mail programs (RFC 8058), whose
 * token is in the query. None needs a session or a cookie. Following a link changes nothing: it shows a button. A token
 * works even if the page is locked, but the response then does not show the page's style.
 */
export async function handleForm(ctx: Context, deps: PageDeps, at: FormPath): Promise<void> {
  if (!allowMethods(ctx, ["GET", "HEAD", "POST"])) return;
  if (ctx.method === "POST") return answerPost(ctx, deps, at);
  if (at.rest === "/subscribe") return ctx.redirect(at.home);
  const language = pageLanguage(ctx);
  const token = tokenInQuery(ctx);
  if (token === null) return sendNotice(ctx, deps, at, language, notValid());
  send(ctx, deps, at, { kind: at.rest === "/confirm" ? "confirm" : "unsubscribe", language, texts: { token } });
}

export function tokenInQuery(ctx: Context): string | null {
  const token = new URLSearchParams(ctx.querystring).get("token") ?? "";
  return token === "" || token.length > maxTokenLength ? null : token;
}

async function answerPost(ctx: Context, deps: PageDeps, at: FormPath): Promise<void> {
  let language = pageLanguage(ctx);
  try {
    if (at.rest !== "/unsubscribe" || tokenInQuery(ctx) === null) refuseForeign(ctx, deps.config);
    const form = await readForm(ctx);
    language = languageOfForm(form) ?? language;
    if (at.rest === "/subscribe" && pageFor(ctx, deps, at.slug) === null) return sendLocked(ctx, deps, language);
    await actions[at.rest](ctx, deps, { form, language, slug: at.slug });
    const words = formWords[language];
    const notice = { "/subscribe": words.asked, "/confirm": words.confirmed, "/unsubscribe": words.ended };
    send(ctx, deps, at, { kind: "notice", language, texts: notice[at.rest] });
  } catch (thrown) {
    sendNotice(ctx, deps, at, language, loggedError(thrown, ctx, deps.log));
  }
}

export function languageOfForm(form: URLSearchParams): PageLanguage | null {
  return pageLanguages.find((language) => language === form.get("lang")) ?? null;
}

export function loggedError(thrown: unknown, { state: { requestId, route } }: Context, log: PageDeps["log"]): AppError {
  const error = toAppError(thrown);
  if (error.code === "internal") log.error({ err: error.cause ?? error, requestId, route }, "request failed");
  return error;
}

const actions: Record<FormName, (ctx: Context, deps: PageDeps, fields: Fields & { slug: string }) => Promise<unknown>> =
  {
    "/subscribe": async (ctx, { services, subscriptions }, { form, language, slug }) => {
      const wanted = validate(subscribeInput, {
        email: (form.get("email") ?? "").trim(),
        services: form.getAll("services"),
      });
      await subscriptions.subscribe(ctx.state.address);
      return services.statusPage.subscribe({ ...wanted, slug, language: languageOf(language) }, callOptions(ctx));
    },
    "/confirm": async (ctx, { services, subscriptions }, { form }) => {
      const { token } = readToken(ctx, form);
      await subscriptions.token(ctx.state.address);
      return services.statusPage.confirmSubscription({ token }, callOptions(ctx));
    },
    "/unsubscribe": async (ctx, { services, subscriptions }, { form }) => {
      const { token } = readToken(ctx, form);
      await subscriptions.token(ctx.state.address);
      return services.statusPage.unsubscribe({ token }, callOptions(ctx));
    },
  };

/**
 * Rejects forms of other sites, by Origin and Fetch Metadata (W3C), since their visitors could be made to request
 * mails. The one-click POST is exempt: its token proves possession of the mail.
 * @throws AppError `forbidden`
 */
export function refuseForeign(
  { req: { headers } }: Context,
  { publicUrl }: Pick<PageDeps["config"], "publicUrl">,
): void {
  if (headers["sec-fetch-site"] !== "cross-site" && isOwnOrigin(headers, publicUrl)) return;
  throw new AppError("forbidden", "Forms submitted from other sites are not accepted");
}

export const callOptions = ({ state }: Context) => ({ call: { requestId: state.requestId } });

function readToken(ctx: Context, form: URLSearchParams): z.output<typeof subscriptionTokenInput> {
  const token = form.get("token") ?? new URLSearchParams(ctx.querystring).get("token") ?? "";
  const { data } = subscriptionTokenInput.safeParse({ token });
  if (data === undefined) throw notValid();
  return data;
}
export const notValid = () => new AppError("invalid", "This link is invalid or has expired");

/** Ignores bodies of another type, which mail programs may send. @throws AppError */
export async function readForm({ req, res }: Context): Promise<URLSearchParams> {
  const bytes = await readBody(req, res, formLimits);
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(req.headers["content-type"] ?? "");
  const text = isForm ? bytes.toString() : "";
  if (text.includes("\0") || /%00/.test(text)) throw new AppError("invalid", "The request is malformed");
  return new URLSearchParams(text);
}

function sendNotice(ctx: Context, deps: PageDeps, at: FormPath, language: PageLanguage, error: AppError): void {
  const texts = { title: formWords[language].failed.title, text: explainToVisitor(ctx, language, error) };
  send(ctx, deps, at, { kind: "notice", language, texts }, statusOfCode[error.code]);
}

/** Also sets Retry-After if retrying makes sense. */
export function explainToVisitor(ctx: Context, language: PageLanguage, error: AppError): string {
  const { requestId } = ctx.state;
  const [first] = error.details;
  const seconds = error.retryAfterSeconds ?? (error.code === "unavailable" ? 30 : undefined);
  if (seconds !== undefined) ctx.set("Retry-After", String(Math.max(1, Math.ceil(seconds))));
  if (error.code === "unavailable") return formWords[language].failed.away;
  if (error.code === "internal") {
    return translate("Something went wrong. Quote request {requestId} when you report it.", languageOf(language), {
      requestId,
    });
  }
  return first === undefined
    ? translate(error.key, languageOf(language), error.params)
    : translate(first.message, languageOf(language), first.params);
}

function send(ctx: Context, deps: PageDeps, at: FormPath, answer: FormAnswer, status = 200): void {
  const page = pageFor(ctx, deps, at.slug);
  if (page !== null && sendForm(ctx, deps, page, answer, status)) return;
  if (sendForm(ctx, deps, null, answer, status)) return;
  const { language, kind, texts } = answer;
  const { title, away } = formWords[language].failed;
  if (kind === "notice") sendPlain(ctx, { language, title, text: away, ...texts, status });
  else sendPlain(ctx, { language, title, text: away, status: statusOfCode.unavailable });
}
