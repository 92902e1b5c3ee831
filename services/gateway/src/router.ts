import { type Layer, Router } from "@koa/router";
import { AppError } from "@sonde/kit/errors";
import { languageHeaders } from "@sonde/kit/http/answer";
import { translate } from "@sonde/proto/http/messages";
import type { Role } from "@sonde/proto/http/users";
import type { Context, Session } from "./context.ts";
import type { Deps } from "./deps.ts";
import { Batches, streamJson } from "./middleware/batches.ts";
import { readJsonBody, readJsonBytes } from "./middleware/body.ts";
import { allowMethods } from "./middleware/errors.ts";
import { readIdempotencyKey } from "./middleware/idempotency-key.ts";
import type { Ids, RawRequest, Result, Route, Who } from "./route.ts";
import { readerView } from "./sessions/reader-view.ts";
import { hasScope, mayWrite, requireScope } from "./sessions/scopes.ts";
import { requireSession } from "./sessions/sessions.ts";
import { readId, readTextId } from "./validate.ts";

export const compressedFromBytes = 1024;

/** Checks in this order: path, method, session, role, ids, limits, then body and query. */
export function createRouter(routes: readonly Route[], deps: Deps): (ctx: Context) => Promise<void> {
  /** One router per noun, because a router tests all of its paths for each request. */
  const routers = new Map<string, Router>();
  const tables = new Map<Layer, readonly Route[]>();
  // Fixed segments before ids: `/api/monitors/bulk` is not a monitor, whatever the method.
  const paths = Object.entries(Object.groupBy(routes, ({ path }) => path)).toSorted(
    ([one], [other]) => Number(one.includes(":")) - Number(other.includes(":")),
  );
  for (const [path, table = []] of paths) {
    const router = routers.get(nounOf(path)) ?? new Router({ sensitive: true });
    routers.set(nounOf(path), router);
    const methods = table.map(({ method }) => method);
    tables.set(router.register(path, methods, []) as Layer, table);
  }
  return async (ctx) => {
    // `router.routes()` would take 13 % of a request's time.
    const layer = routers.get(nounOf(ctx.path))?.match(ctx.path, ctx.method).path[0];
    if (layer === undefined) throw new AppError("not_found", "Nothing exists at this address");
    const table = tables.get(layer)!;
    const method = ctx.method === "HEAD" ? "GET" : ctx.method;
    const route = table.find((one) => one.method === method);
    if (route !== undefined) await answer(ctx, route, layer.captures(ctx.path), deps);
    else
      allowMethods(
        ctx,
        table.flatMap((one) => (one.method === "GET" ? ["HEAD", "GET"] : [one.method])),
      );
  };
}

/** `monitors` for `/api/monitors/12`. */
const nounOf = (path: string) => path.split("/", 3)[2] ?? "";

async function answer(ctx: Context, route: Route, captures: readonly string[], deps: Deps): Promise<void> {
  ctx.state.route = route.path;
  const session = route.who === "anyone" ? null : await requireSession(ctx.req, ctx.state.address, deps.sessions);
  ctx.state.session = session;
  if (session?.key !== undefined) {
    requireScope(session.key, route);
    await deps.keyUse.count(session.key, ctx.state.address);
  }
  // `self` needs the id in the path; all other roles are checked before anything else is read.
  if (session !== null && route.who !== "self") authorize(route, session, false);
  const params = readIds(route, captures);
  if (session !== null && route.who === "self") authorize(route, session, params["id"] === session.userId);
  const leave = await route.admit?.(deps, params, ctx.state.address);
  const run = async () => {
    const body = await readBody(ctx, route);
    const query = ctx.querystring === "" ? {} : ctx.query;
    return route.run({ ...deps, ctx, session, params, query, body, ask: callOptions(ctx, route, session, body) });
  };
  const result = await within(route, deps, session, run).finally(leave);
  if (result !== null) present(ctx, route, shownTo(session, result));
}

function shownTo(session: Session | null, result: Result): Result {
  if (session !== null && mayWrite(session)) return result;
  const view = (entity: unknown) => (entity instanceof Batches ? entity.map(readerView) : readerView(entity));
  return Object.fromEntries(Object.entries(result).map(([name, entity]) => [name, view(entity)]));
}

const within = (route: Route, deps: Deps, session: Session | null, run: () => Promise<Result | null>) =>
  route.within === null || session === null ? run() : route.within(deps, session, run);

/** Applies the same checks of role, scopes and limits as a direct request. @throws AppError */
export async function runFor(route: Route, session: Session, raw: RawRequest): Promise<Result> {
  permit(route, session);
  return shownTo(session, (await within(route, raw, session, () => route.run(raw))) ?? {});
}

/** Only for routes without account ids. */
export const isOpenTo = (route: Route, { role, key }: Session): boolean =>
  (key === undefined || hasScope(key, route)) && mayUse(route.who, role, false);

/** Only for routes without account ids. @throws AppError `forbidden` */
export function permit(route: Route, session: Session): void {
  if (session.key !== undefined) requireScope(session.key, route);
  authorize(route, session, false);
}

async function readBody({ method, req, res }: Context, { bytes }: Route): Promise<unknown> {
  if (method === "GET" || method === "HEAD") return undefined;
  return bytes === null ? readJsonBody(req, res) : readJsonBytes(req, res, bytes);
}

/** @param texts path segments, still encoded */
function readIds(route: Route, texts: readonly string[]): Ids {
  const ids = Object.entries(route.params).map(([name, declared], at) => [
    name,
    typeof declared === "object" ? readTextId(texts[at], declared) : readId(texts[at], declared),
  ]);
  return Object.fromEntries(ids) as Ids;
}

function authorize({ who }: Route, { role }: Session, isSelf: boolean): void {
  if (!mayUse(who, role, isSelf)) throw new AppError("forbidden", "You are not allowed to do this");
}

function mayUse(who: Who, role: Role, isSelf: boolean): boolean {
  switch (who) {
    case "anyone":
    case "session":
      return true;
    case "write":
      return role === "admin" || role === "user";
    case "self":
      return role === "admin" || isSelf;
    case "admin":
      return role === "admin";
    default:
      return false;
  }
}

function callOptions(ctx: Context, route: Route, session: Session | null, body: unknown): RawRequest["ask"] {
  const { requestId, address } = ctx.state;
  if (session === null) return { call: { requestId, address } };
  const { userId, username, role, key } = session;
  const request = () => JSON.stringify([ctx.querystring, body]);
  const idempotency = route.idempotent
    ? readIdempotencyKey(ctx.req, { userId, route: route.path, request })
    : undefined;
  const actor = { id: userId, username, role, keyId: key?.id };
  return { call: { requestId, actor, address, idempotency } };
}

function present(ctx: Context, { status }: Route, result: Result): void {
  const { message, messageParams } = result;
  const text = message === undefined ? undefined : translate(message, ctx.state.language, messageParams);
  const answered = { success: true, ...result, message: text, messageParams: undefined };
  const inBatches = Object.values(result).some((entity) => entity instanceof Batches);
  // Serialised once here: Koa would do it twice, to measure and to send the body.
  const body = inBatches ? streamJson(answered) : JSON.stringify(answered);
  ctx.status = status;
  for (const [name, value] of Object.entries(languageHeaders(ctx.state.language))) ctx.res.setHeader(name, value);
  ctx.res.setHeader("Content-Type", "application/json; charset=utf-8");
  // Compressing megabytes of a stream would block a core for seconds.
  if (typeof body !== "string" || Buffer.byteLength(body) < compressedFromBytes) ctx.compress = false;
  ctx.body = body;
}
