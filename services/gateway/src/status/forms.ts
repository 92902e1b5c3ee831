import { AppError, invalid, toAppError } from "@sonde/kit/errors";
import { readBody } from "@sonde/kit/http/request-body";
import { statusOfCode } from "@sonde/proto/http/envelope";
import { translate } from "@sonde/proto/http/messages";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import type { PageLanguage } from "@sonde/proto/http/status/documents";
import { subscribeInput, subscriptionTokenInput } from "@sonde/proto/http/status/subscribers";
import type { z } from "zod";
import type { Context } from "../context.ts";
import type { Deps } from "../deps.ts";
import { allowMethods } from "../middleware/errors.ts";
import { isOwnOrigin } from "../middleware/host.ts";
import { formWords } from "./form-words.ts";
import { type FormAnswer, pageLanguage, sendForm, sendPlain } from "./serve.ts";

type Needed = Pick<Deps, "status" | "config" | "services" | "subscriptions" | "log">;
type Fields = { form: URLSearchParams; language: PageLanguage };

/** A choice of 500 services takes 12 KiB. */
const formLimits = { maxBytes: 16 * 1024, deadlineMs: 15_000 };
const longestToken = 200;

const forms = ["/status/subscribe", "/status/confirm", "/status/unsubscribe"] as const;
type FormPath = (typeof forms)[number];

type FormContext = Context & { path: FormPath };

/** Whether a request is for a form of the public page. */
export const isForm = (ctx: Context): ctx is FormContext => forms.some((form) => form === ctx.path);

/**
 * Handles the forms of the public page, which work without its script, and the one-click POST of mail programs (RFC
 * 8058): its token is in the query, and its body is ignored. None needs a session or a cookie. A form that a page of
 * another site sends is refused: its visitors could be made to request mails. Following a link changes nothing: it
 * shows a button.
 */
export async function handleForm(ctx: FormContext, deps: Needed): Promise<void> {
  ctx.compress = false;
  ctx.state.route = ctx.path;
  const { method, path } = ctx;
  if (!allowMethods(ctx, ["GET", "HEAD", "POST"])) return;
  if (method === "POST") return answerPost(ctx, deps);
  if (path === "/status/subscribe") return ctx.redirect("/status");
  const language = pageLanguage(ctx);
  const token = new URLSearchParams(ctx.querystring).get("token") ?? "";
  if (token === "" || token.length > longestToken) return sendNotice(ctx, deps, language, notValid());
  send(ctx, deps, { kind: path === "/status/confirm" ? "confirm" : "unsubscribe", language, texts: { token } });
}

async function answerPost(ctx: FormContext, deps: Needed): Promise<void> {
  let language = pageLanguage(ctx);
  try {
    refuseForeign(ctx, deps.config);
    const form = await readForm(ctx);
    const asked = form.get("lang");
    if (asked === "zh-CN" || asked === "en-US") language = asked;
    await actions[ctx.path](ctx, deps, { form, language });
    const words = formWords[language];
    const notice = {
      "/status/subscribe": words.asked,
      "/status/confirm": words.confirmed,
      "/status/unsubscribe": words.ended,
    };
    send(ctx, deps, { kind: "notice", language, texts: notice[ctx.path] });
  } catch (thrown) {
    const error = toAppError(thrown);
    const { requestId } = ctx.state;
    if (error.code === "internal")
      deps.log.error({ err: error.cause ?? error, requestId, route: ctx.path }, "request failed");
    sendNotice(ctx, deps, language, error);
  }
}

const actions: Record<FormPath, (ctx: Context, deps: Needed, fields: Fields) => Promise<unknown>> = {
  "/status/subscribe": async (ctx, { services, subscriptions }, { form, language }) => {
    const wanted = check(subscribeInput, {
      email: (form.get("email") ?? "").trim(),
      services: form.getAll("services"),
    });
    await subscriptions.subscribe(ctx.state.address);
    return services.statusPage.subscribe({ ...wanted, language }, askOf(ctx));
  },
  "/status/confirm": async (ctx, { services, subscriptions }, { form }) => {
    const { token } = check(subscriptionTokenInput, { token: tokenOf(ctx, form) }, notValid);
    await subscriptions.token(ctx.state.address);
    return services.statusPage.confirmSubscription({ token }, askOf(ctx));
  },
  "/status/unsubscribe": async (ctx, { services, subscriptions }, { form }) => {
    const { token } = check(subscriptionTokenInput, { token: tokenOf(ctx, form) }, notValid);
    await subscriptions.token(ctx.state.address);
    return services.statusPage.unsubscribe({ token }, askOf(ctx));
  },
};

/**
 * Rejects requests from pages of other sites, by Origin and Fetch Metadata (W3C); programs send neither. The one-click
 * POST may come from a page that shows mails: its token proves possession of the mail.
 * @throws AppError `forbidden`
 */
function refuseForeign({ path, querystring, req: { headers } }: FormContext, { publicUrl }: Needed["config"]): void {
  if (path === "/status/unsubscribe" && new URLSearchParams(querystring).has("token")) return;
  if (headers["sec-fetch-site"] !== "cross-site" && isOwnOrigin(headers, publicUrl)) return;
  throw new AppError("forbidden", "Forms of other sites are not accepted here");
}

const askOf = ({ state }: Context) => ({ call: { requestId: state.requestId } });
const tokenOf = (ctx: Context, form: URLSearchParams) =>
  form.get("token") ?? new URLSearchParams(ctx.querystring).get("token") ?? "";
const notValid = () => new AppError("invalid", "This link is not valid, or too old");

function check<Schema extends z.ZodType>(schema: Schema, value: unknown, refusal?: () => AppError): z.output<Schema> {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  throw refusal === undefined ? invalid(faultsOf(error.issues)) : refusal();
}

/** The fields of a form; none of a body of another type, such as mail programs may send. @throws AppError */
async function readForm({ req, res }: Context): Promise<URLSearchParams> {
  const bytes = await readBody(req, res, formLimits);
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(req.headers["content-type"] ?? "");
  const text = isForm ? bytes.toString() : "";
  if (text.includes("\0") || /%00/.test(text)) throw new AppError("invalid", "The request could not be understood");
  return new URLSearchParams(text);
}

/** The error as a document for people. */
function sendNotice(ctx: Context, deps: Needed, language: PageLanguage, error: AppError): void {
  const { title, away } = formWords[language].failed;
  const { requestId } = ctx.state;
  const [first] = error.details;
  const message = () => {
    if (error.code === "unavailable") return away;
    if (error.code === "internal") {
      return translate("Something went wrong. Quote request {requestId} when you report it.", language, { requestId });
    }
    return first === undefined
      ? translate(error.key, language, error.params)
      : translate(first.message, language, first.params);
  };
  const seconds = error.retryAfterSeconds ?? (error.code === "unavailable" ? 30 : undefined);
  if (seconds !== undefined) ctx.set("Retry-After", String(Math.max(1, Math.ceil(seconds))));
  send(ctx, deps, { kind: "notice", language, texts: { title, text: message() } }, statusOfCode[error.code]);
}

/** In the page's style; where nothing is known of the page, without it. */
function send(ctx: Context, deps: Needed, answer: FormAnswer, status = 200): void {
  if (sendForm(ctx, deps, answer, status)) return;
  const { language, kind, texts } = answer;
  const { title, away } = formWords[language].failed;
  if (kind === "notice") sendPlain(ctx, { language, title, text: away, ...texts, status });
  else sendPlain(ctx, { language, title, text: away, status: statusOfCode.unavailable });
}
