import { countedAddress } from "@sonde/kit/addresses";
import { AppError } from "@sonde/kit/errors";
import type { JWTPayload } from "jose";
import { type Context, record } from "../context.ts";
import { changeSessions } from "../sessions/change.ts";
import { userAuditTarget } from "../users/store.ts";
import { byOf } from "./accounts.ts";
import { isProviderUnavailable, providerFailure, toleranceSeconds, verifyToken } from "./connection.ts";
import { findProvider } from "./providers.ts";

const event = "http://schemas.openid.net/event/backchannel-logout";
const maxAgeSeconds = 300;

/**
 * OpenID Connect Back-Channel Logout 1.0, 2.6. Gateways have ended the sessions before this resolves.
 * @throws AppError `invalid` (invalid or reused token), `not_found`, `too_many`, `unavailable`
 */
export async function endByProvider(
  ctx: Context,
  { slug, logoutToken, address }: { slug: string; logoutToken: string; address: string },
): Promise<void> {
  const from = countedAddress(address);
  await ctx.store.attempts.refuseTooMany("logout", from, "", ctx.clock.now());
  const provider = await findProvider(ctx, slug);
  const claims = await readToken(ctx, provider, logoutToken).catch(async (error: unknown) => {
    ctx.log.warn({ provider: slug, address, reason: providerFailure(error) }, "logout token rejected");
    if (isProviderUnavailable(error)) throw new AppError("unavailable", "The provider is not responding");
    await ctx.store.attempts.add("logout", from, "", ctx.clock.now());
    throw notValid();
  });
  const { iss, jti, sub, sid, expiresAtMs } = claims;
  const subject = { issuers: [iss, provider.issuer], sub, sid };
  await changeSessions(ctx, async ({ signIn, users, sessions, audit, end }) => {
    if (!(await signIn.takeLogoutToken(provider.issuer, jti, expiresAtMs))) throw notValid();
    await signIn.forgetFlowsOf(subject);
    for (const userId of await signIn.usersOf(subject)) {
      const user = await users.lock(userId);
      const tokens = await signIn.tokensOf(subject, userId);
      for (const token of tokens) await sessions.delete(token);
      await end(tokens);
      if (user !== undefined && tokens.length > 0)
        await record({ audit }, { action: "logout", target: userAuditTarget(user), by: byOf(provider) });
    }
  });
}

const notValid = () => new AppError("invalid", "The logout token is not valid");

type LogoutClaims = {
  iss: string;
  jti: string;
  sub?: string | undefined;
  sid?: string | undefined;
  expiresAtMs: number;
};

async function readToken(
  ctx: Context,
  provider: Parameters<Context["signIn"]["connections"]["connect"]>[0],
  token: string,
): Promise<LogoutClaims> {
  const connection = await ctx.signIn.connections.connect(provider);
  const claims = await verifyToken(connection, token, { nowMs: ctx.clock.now(), maxAgeSeconds });
  const { jti, sub, iat = 0, exp } = claims;
  const sid = claims["sid"];
  const hasEvent = typeof claims["events"] === "object" && claims["events"] !== null && event in claims["events"];
  if (!hasEvent || "nonce" in claims || typeof jti !== "string" || jti === "" || jti.length > 500)
    throw new Error("not a logout token");
  if (typeof sub !== "string" && typeof sid !== "string") throw new Error("the logout token has neither sub nor sid");
  return {
    iss: claims.iss ?? provider.issuer,
    jti,
    sub: asText(sub),
    sid: asText(sid),
    expiresAtMs: (Math.max(exp ?? 0, iat + maxAgeSeconds) + 2 * toleranceSeconds) * 1000,
  };
}

const asText = (value: JWTPayload[string]): string | undefined => (typeof value === "string" ? value : undefined);
