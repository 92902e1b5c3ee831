import { AppError } from "@sonde/kit/errors";
import { languageHeaders } from "@sonde/kit/http/answer";
import { translate } from "@sonde/proto/http/messages";
import type { Middleware } from "koa";
import { Batches, streamJson } from "./batches.ts";
import type { Context, Session, State } from "./context.ts";
import type { Deps } from "./deps.ts";
import Router from "./koa-router.cjs";
import { readJson, readJsonBytes } from "./middleware/body.ts";
import { readIdempotencyKey } from "./middleware/idempotency-key.ts";
import { requireSession } from "./middleware/session.ts";
import { mayUse } from "./permissions.ts";
import type { Ids, RawRequest, Result, Route } from "./route.ts";
import { readId, readTextId } from "./validate.ts";

/**
 * Makes the router of a table of routes. A request is refused by the first that applies: no such path, another method,
 * no session, a role without permission, impossible ids, a limit that is reached, a body or query that does not match
 * its schema.
 */
export function createRouter(routes: readonly Route[], deps: Deps): Middleware<State> {
  const router = new Router<State>({ sensitive: true });
  for (const route of routes) {
    router.register(route.path, [route.method], async (ctx) => {
      await answer(ctx, route, ctx.params, deps);
    });
  }
  const dispatch = router.routes();
  // A path without ids needs no pattern to be found.
  const exact = new Map(
    routes.filter(({ path }) => !path.includes(":")).map((route) => [`${route.method} ${route.path}`, route]),
  );
  const names = new Set([...exact.values()].map(({ path }) => path));
  // Handlers do not call `next`, so a request that gets here matched no route.
  return async (ctx) => {
    const { method, path } = ctx;
    // HEAD is handled as GET, and exact paths precede paths with ids that would match them.
    const route = exact.get(`${method === "HEAD" ? "GET" : method} ${path}`);
    if (route !== undefined) return answer(ctx, route, {}, deps);
    // A fixed path segment is no id: `/api/monitors/bulk` is no monitor, whatever the method.
    if (names.has(path) && !methodsAt(path).includes(method)) return refuse(ctx);
    return dispatch(ctx as Parameters<typeof dispatch>[0], async () => refuse(ctx));
  };

  function methodsAt(path: string): string[] {
    const layers = router.match(path, "GET").path;
    const own = names.has(path) ? layers.filter((layer) => layer.path === path) : layers;
    return [...new Set(own.flatMap((layer) => layer.methods))];
  }

  function refuse(ctx: Context): void {
    const allowed = methodsAt(ctx.path);
    if (allowed.length === 0) throw new AppError("not_found", "There is nothing at this address");
    ctx.set("Allow", [...allowed, "OPTIONS"].join(", "));
    if (ctx.method !== "OPTIONS") throw new AppError("method_not_allowed", "This method is not allowed here");
    ctx.status = 204;
  }
}

async function answer(ctx: Context, route: Route, texts: Record<string, string>, deps: Deps): Promise<void> {
  ctx.state.route = route.path;
  const session = route.who === "anyone" ? null : await requireSession(ctx.req, deps.sessions);
  ctx.state.session = session;
  // `self` needs the id that the path names; every other role is settled before anything of the request is read.
  if (session !== null && route.who !== "self") authorize(route, session, false);
  const params = readIds(route, texts);
  if (session !== null && route.who === "self") authorize(route, session, params["id"] === session.userId);
  const run = async () => {
    const body = await readBody(ctx, route);
    const query = ctx.querystring === "" ? {} : ctx.query;
    return route.run({ ...deps, ctx, session, params, query, body, ask: askOf(ctx, route, session, body) });
  };
  const result = await (route.within === null || session === null ? run() : route.within(deps, session, run));
  if (result !== null) present(ctx, route, result);
}

async function readBody({ method, req, res }: Context, { bytes }: Route): Promise<unknown> {
  if (method === "GET" || method === "HEAD") return undefined;
  return bytes === null ? readJson(req, res) : readJsonBytes(req, res, bytes);
}

function readIds(route: Route, texts: Record<string, string>): Ids {
  const ids: Ids = {};
  for (const name in route.params) {
    const declared = route.params[name]!;
    const isText = typeof declared === "object";
    ids[name] = isText ? readTextId(texts[name], declared) : readId(texts[name], declared);
  }
  return ids;
}

function authorize(route: Route, session: Session, isSelf: boolean): void {
  if (!mayUse(route.who, session.role, isSelf)) {
    throw new AppError("forbidden", "You are not allowed to do this");
  }
}

function askOf(ctx: Context, route: Route, session: Session | null, body: unknown): RawRequest["ask"] {
  const { requestId } = ctx.state;
  if (session === null) return { call: { requestId } };
  const { userId, username, role } = session;
  const request = () => JSON.stringify([ctx.querystring, body]);
  const idempotency = route.idempotent
    ? readIdempotencyKey(ctx.req, { userId, route: route.path, request })
    : undefined;
  return { call: { requestId, actor: { id: userId, username, role }, idempotency } };
}

function present(ctx: Context, { status }: Route, result: Result): void {
  const { message, messageParams } = result;
  const text = message === undefined ? undefined : translate(message, ctx.state.language, messageParams);
  const answered = { success: true, ...result, message: text, messageParams: undefined };
  // Written once, here: Koa would write it to measure it, and again to send it.
  const inBatches = Object.values(result).some((entity) => entity instanceof Batches);
  ctx.status = status;
  ctx.set(languageHeaders(ctx.state.language));
  ctx.set("Content-Type", "application/json; charset=utf-8");
  // Compressing the megabytes of a stream would take a core from others for seconds.
  if (inBatches) ctx.compress = false;
  ctx.body = inBatches ? streamJson(answered) : JSON.stringify(answered);
}
