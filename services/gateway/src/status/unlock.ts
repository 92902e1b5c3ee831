import { AppError, unavailable } from "@sonde/kit/errors";
import { languageOf } from "@sonde/proto/http/language";
import type { PageLanguage } from "@sonde/proto/http/status/languages";
import { unlockInput } from "@sonde/proto/http/status/pages";
import { pagePath } from "@sonde/proto/http/status/snapshot";
import type { Context } from "../context.ts";
import type { Deps } from "../deps.ts";
import { isTls, ownOrigin } from "../middleware/host.ts";
import { validate } from "../validate.ts";
import { type CachedAccess, isAddressAllowed, findTicket, redeem } from "./access.ts";
import { callOptions, notValid } from "./forms.ts";
import { belowPath, cookieName, type Grant, grantOf, newTicket, sealGrant } from "./grants.ts";

type PageDeps = Pick<Deps, "status" | "config" | "clock" | "services" | "subscriptions">;

const wrong = () => new AppError("unauthenticated", "Incorrect page password");

/**
 * Unlocks with a password, or requests a link by mail, without revealing whether the address may read the page.
 * @returns whether the cookie was set @throws AppError
 */
export async function unlockPage(
  ctx: Context,
  deps: PageDeps,
  slug: string,
  { password = "", email = "" }: { password?: string | undefined; email?: string | undefined },
  language: PageLanguage,
): Promise<boolean> {
  const proof = validate(unlockInput, password === "" && email !== "" ? { email } : { password });
  if (proof.email !== undefined) await deps.subscriptions.subscribe(ctx.state.address);
  const { address } = ctx.state;
  const asked = { ...proof, slug, address, language: languageOf(language) };
  const { until, source } = await deps.services.statusPage.unlockPage(asked, callOptions(ctx));
  if (until === undefined || source === undefined) return false;
  setCookie(ctx, deps, accessFor(ctx, deps, slug) ?? refuseWith(wrong()), { source, expiresAtMs: until });
  return true;
}

/** Accepts the token of a shared link or a mail, and a member's ticket, which works once. @throws AppError */
export async function openByToken(ctx: Context, deps: PageDeps, slug: string, token: string): Promise<void> {
  await deps.subscriptions.token(ctx.state.address);
  const access = accessFor(ctx, deps, slug);
  const nowMs = deps.clock.now();
  const ticket = access === null ? null : findTicket(access, token, nowMs);
  if (access !== null && ticket !== null) {
    const { source: id, expiresAtMs } = ticket;
    await deps.services.statusPage.takePageTicket({ id, expiresAtMs }, callOptions(ctx));
    return setCookie(ctx, deps, access, grantOf("m", nowMs));
  }
  const known = access === null ? null : redeem(access, token, nowMs);
  if (access !== null && known !== null) return setCookie(ctx, deps, access, known);
  const { until, source } = await deps.services.statusPage.openPageLink({ slug, token }, callOptions(ctx));
  setCookie(ctx, deps, access ?? refuseWith(notValid()), { source, expiresAtMs: until });
}

/**
 * @returns the page's URL: on this host with the cookie set, on the page's own host with a ticket
 * @throws AppError `not_found`
 */
export function openToMember(ctx: Context, deps: PageDeps, slug: string, host: string | undefined): string {
  const access = accessFor(ctx, deps, slug) ?? refuseWith(new AppError("not_found", "Page does not exist"));
  const nowMs = deps.clock.now();
  if (host === undefined || !access.hosts.includes(host)) {
    if (access.key !== null) setCookie(ctx, deps, access, grantOf("m", nowMs));
    return pagePath(slug);
  }
  const url = new URL(ownOrigin(deps.config, ctx));
  url.hostname = host;
  if (access.key === null) return url.origin;
  return `${url.origin}/open?token=${sealGrant(slug, access.key, newTicket(nowMs))}`;
}

/** `null` if the page does not exist or does not allow the visitor's address. */
function accessFor(ctx: Context, { status }: PageDeps, slug: string): CachedAccess | null {
  const access = status.pages.page(slug)?.access() ?? null;
  return access !== null && isAddressAllowed(access, ctx.state.address) ? access : null;
}

function setCookie(ctx: Context, { config, clock }: PageDeps, { slug, key }: CachedAccess, grant: Grant): void {
  // The key arrives through the bus, slightly after the page.
  if (key === null) throw unavailable("status-page");
  const secure = isTls(config, ctx);
  const seconds = Math.max(0, Math.floor((grant.expiresAtMs - clock.now()) / 1000));
  const path = ctx.state.hostedPage === null ? ctx.state.base : "";
  const name = path === "" ? cookieName(slug, secure) : belowPath(cookieName(slug, secure));
  const parts = [`${name}=${sealGrant(slug, key, grant)}`, `Path=${path || "/"}`, `Max-Age=${seconds}`];
  ctx.append("Set-Cookie", [...parts, "HttpOnly", "SameSite=Lax", ...(secure ? ["Secure"] : [])].join("; "));
}

function refuseWith(error: AppError): never {
  throw error;
}
