import { AppError } from "@sonde/kit/errors";
import { hasBody, readBody } from "@sonde/kit/http/request-body";
import { environmentSlug, providerSlug, type SignInError, startQuery } from "@sonde/proto/http/sign-in";
import type { Context } from "../../context.ts";
import type { Deps } from "../../deps.ts";
import { allowMethods } from "../../middleware/errors.ts";
import { ownOrigin } from "../../middleware/host.ts";
import { validate } from "../../validate.ts";

type SignInDeps = Pick<Deps, "config" | "services" | "sessions" | "log">;

const pattern = /^\/api\/auth\/oidc\/([^/]+)\/(start|callback|logout)$/;
const formLimits = { maxBytes: 64 * 1024, deadlineMs: 15_000 };
const cookieSeconds = 600;
const maxQueryLength = 8_000;

export const isProviderPath = (path: string): boolean => pattern.test(path);

/** Failures redirect to the login page with a code for a message; no text from the provider is shown. */
export async function serveProviders(ctx: Context, deps: SignInDeps): Promise<void> {
  const [, given = "", step = ""] = pattern.exec(ctx.path) ?? [];
  ctx.state.route = `/api/auth/oidc/:slug/${step}`;
  ctx.set("Cache-Control", "no-store");
  if (!allowMethods(ctx, step === "logout" ? ["POST"] : ["GET"])) return;
  const slug = providerSlug.safeParse(given).data;
  if (slug === undefined) throw new AppError("not_found", "Provider does not exist");
  if (step === "logout") return endSessions(ctx, deps, slug);
  await (step === "start" ? start : finish)(ctx, deps, slug).catch((error: unknown) => {
    if (error instanceof AppError && ["not_found", "invalid"].includes(error.code)) throw error;
    const { requestId } = ctx.state;
    deps.log.warn({ err: error, requestId, provider: slug }, "sign-in through a provider failed");
    toLogin(ctx, "failed");
  });
}

async function start(ctx: Context, { services, config }: SignInDeps, slug: string): Promise<void> {
  const { next } = validate(startQuery, ctx.query);
  const { address } = ctx.state;
  const origin = ownOrigin(config, ctx);
  const begun = await services.signIn.startSignIn({ slug, origin, address, next }, callOptions(ctx));
  if ("error" in begun) return toLogin(ctx, begun.error);
  const isSecure = origin.startsWith("https:");
  const others = flowsOf(ctx.req.headers.cookie);
  for (const { name } of others.slice(0, Math.max(0, others.length - maxFlows + 1))) setCookie(ctx, name, "", 0);
  const id = idOf(new URL(begun.url).searchParams.get("state"));
  setCookie(ctx, `${isSecure ? prefixIn(ctx) : ""}sonde-flow-${id}`, begun.flow, cookieSeconds);
  redirect(ctx, begun.url);
}

async function finish(ctx: Context, { services }: SignInDeps, slug: string): Promise<void> {
  const query = ctx.querystring;
  if (query.length > maxQueryLength) return toLogin(ctx, "not-valid");
  const { address } = ctx.state;
  const id = idOf(new URLSearchParams(query).get("state"));
  const { value: flow } = flowOf(ctx, id) ?? {};
  const finished = await services.signIn.finishSignIn({ slug, query, flow, address }, callOptions(ctx));
  if ("error" in finished) return toLogin(ctx, finished.error);
  redirect(ctx, `/login/complete?code=${finished.code}.${id}`);
}

/** OpenID Connect Back-Channel Logout 1.0, 2.5. */
async function endSessions(ctx: Context, { services, sessions }: SignInDeps, slug: string): Promise<void> {
  const bytes = hasBody(ctx.req) ? await readBody(ctx.req, ctx.res, formLimits) : Buffer.alloc(0);
  const logoutToken = new URLSearchParams(bytes.toString()).get("logout_token");
  if (logoutToken === null || logoutToken === "") throw new AppError("invalid", "The logout token is not valid");
  await services.signIn.endByProvider({ slug, logoutToken, address: ctx.state.address }, callOptions(ctx));
  await sessions.settle();
  ctx.status = 200;
  ctx.body = "";
}

const callOptions = ({ state: { requestId, address } }: Context) => ({ call: { requestId, address } });
const toLogin = (ctx: Context, error: SignInError) => redirect(ctx, `/login?error=${error}`);

function redirect(ctx: Context, to: string): void {
  ctx.status = 302;
  ctx.set("Location", to);
  ctx.body = "";
}

/** Browsers accept cookies with this prefix only from this host over https; without TLS the prefix is omitted. */
const securePrefix = "__Host-";
/** Below a base path, browsers reject `__Host-`. */
const prefixIn = ({ state }: Pick<Context, "state">) => (state.base === "" ? securePrefix : "__Secure-");
const maxFlows = 5;
/** The cookie of a flow is named after this many characters of its state. */
const idLength = 12;
const idOf = (state: string | null) => (state ?? "").slice(0, idLength);

function setCookie(ctx: Context, name: string, value: string, seconds: number): void {
  const secure = name.startsWith("__") ? "; Secure" : "";
  const path = name.startsWith(securePrefix) ? "/" : ctx.state.base || "/";
  ctx.append("Set-Cookie", `${name}=${value}; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`);
}

type Flow = { name: string; id: string; value: string };

/** Sign-ins in progress in this browser, oldest first (RFC 6265, 5.4). */
const flowsOf = (header = ""): Flow[] =>
  [...header.matchAll(/(?:^|;\s*)((?:__Host-|__Secure-)?sonde-flow-([\w-]*))=([\w-]{43})(?=;|$)/g)].map(
    ([, name = "", id = "", value = ""]) => ({ name, id, value }),
  );

function flowOf({ req }: Pick<Context, "req">, id: string): Flow | undefined {
  const found = flowsOf(req.headers.cookie).filter((flow) => flow.id === id);
  return found.find(({ name }) => name.startsWith("__")) ?? found[0];
}

/** Splits the code of `/login/complete` into auth's code and the flow's secret. `forget` deletes the flow's cookie. */
export function readCode(ctx: Context, given: string): { code: string; flow: string | undefined; forget: () => void } {
  // auth rejects any other text.
  const [, code = given, id = ""] = /^([\w-]{20,})\.([\w-]+)$/.exec(given) ?? [];
  const flow = flowOf(ctx, id);
  return { code, flow: flow?.value, forget: () => flow && setCookie(ctx, flow.name, "", 0) };
}

type Json = { [key: string]: unknown };

const slugInPath = { name: "slug", in: "path", required: true, schema: { type: "string" } };
const described = (id: string, summary: string, more: Json): Json => ({
  summary,
  operationId: id,
  tags: ["auth"],
  security: [],
  "x-who": "anyone",
  ...more,
});
const moved = (description: string) => ({
  description,
  headers: { Location: { description, schema: { type: "string" } } },
});

export const describeProviders = (): Record<string, Json> => ({
  "/api/auth/oidc/{slug}/start": {
    get: described("getAuthOidcSlugStart", "Sign in with a provider; for browsers", {
      description: `Sets a cookie that binds the sign-in to this browser for 10 minutes. \`${environmentSlug}\` is the provider set by environment variables.`,
      parameters: [
        slugInPath,
        {
          name: "next",
          in: "query",
          required: false,
          schema: { type: "string", description: "Path on this site to continue to" },
        },
      ],
      responses: { 302: moved("To the provider, or to `/login?error=`") },
    }),
  },
  "/api/auth/oidc/{slug}/callback": {
    get: described("getAuthOidcSlugCallback", "Redirect target for providers", {
      parameters: [slugInPath],
      responses: { 302: moved("To `/login/complete?code=`, or to `/login?error=`") },
    }),
  },
  "/api/auth/oidc/{slug}/logout": {
    post: described("postAuthOidcSlugLogout", "End the sessions of a user who logged out at the provider", {
      description: "OpenID Connect Back-Channel Logout 1.0, called by the provider. Each token is accepted once.",
      parameters: [slugInPath],
      requestBody: {
        required: true,
        content: {
          "application/x-www-form-urlencoded": {
            schema: { type: "object", properties: { logout_token: { type: "string" } }, required: ["logout_token"] },
          },
        },
      },
      responses: { 200: { description: "The sessions have ended" }, 400: { description: "The token is not valid" } },
    }),
  },
});
