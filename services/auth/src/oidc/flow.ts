import { countedAddress } from "@sonde/kit/addresses";
import { AppError } from "@sonde/kit/errors";
import { secretContexts } from "@sonde/kit/secrets";
import { counter } from "@sonde/kit/telemetry/metrics";
import type { SignInError } from "@sonde/proto/http/sign-in";
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Context } from "../context.ts";
import { changeSessions } from "../sessions/change.ts";
import { hashToken, createSession, type OpenedSession, type Origin } from "../sessions/sessions.ts";
import { admitIdentity, type Claims } from "./accounts.ts";
import { sendLinkNotice } from "./link-mails.ts";
import {
  requestTokens,
  isProviderUnavailable,
  loadClient,
  type ProviderConnection,
  providerFailure,
  verifyToken,
} from "./connection.ts";
import { findProvider, signInOrigin, redirectUriOf } from "./providers.ts";
import { roleOf, valuesAt } from "./roles.ts";
import type { OpenProvider } from "./store.ts";

const flowMs = 600_000;
const exchangeMs = 60_000;
const outcomes = counter("sonde_auth_provider_logins_total", "Sign-ins through an identity provider, by outcome", [
  "outcome",
]);

/** Derived from the secret in the browser's cookie; none of these values is stored. */
const part = (flow: string, what: "state" | "nonce" | "verifier"): string =>
  createHash("sha256").update(`${what} ${flow}`).digest("base64url");

/** State, nonce and the PKCE verifier derive from `flow`. @throws AppError `not_found` */
export async function startSignIn(
  ctx: Context,
  { slug, origin: asked, address, next }: { slug: string; origin: string; address: string; next?: string | undefined },
): Promise<{ url: string; flow: string } | { error: SignInError }> {
  const provider = await findProvider(ctx, slug);
  const nowMs = ctx.clock.now();
  const from = countedAddress(address);
  try {
    await ctx.store.attempts.refuseTooMany("provider", from, "", nowMs);
  } catch (refusal) {
    if (refusal instanceof AppError && refusal.code === "too_many") return { error: "too-many" };
    throw refusal;
  }
  await ctx.store.attempts.add("provider", from, "", nowMs);
  const connection = await ctx.signIn.connections.connect(provider).catch((error: unknown) => {
    ctx.log.warn({ provider: slug, reason: providerFailure(error) }, "provider discovery failed");
    return null;
  });
  if (connection === null) return refused("provider-away");
  const flow = randomBytes(32).toString("base64url");
  const origin = signInOrigin(ctx, asked);
  await ctx.store.signIn.insertFlow({
    hash: hashToken(flow),
    slug,
    origin,
    next: next ?? null,
    expiresAtMs: nowMs + flowMs,
  });
  const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await loadClient();
  const url = buildAuthorizationUrl(connection.config, {
    redirect_uri: redirectUriOf(origin, slug),
    scope: provider.scopes.join(" "),
    state: part(flow, "state"),
    nonce: part(flow, "nonce"),
    code_challenge: await calculatePKCECodeChallenge(part(flow, "verifier")),
    code_challenge_method: "S256",
  });
  return { url: url.href, flow };
}

function refused(error: SignInError): { error: SignInError } {
  outcomes.inc({ outcome: error });
  return { error };
}

/** Works once, in the browser that started the flow. The code can be exchanged within a minute, in the same browser. */
export async function finishSignIn(
  ctx: Context,
  { slug, query, flow, address }: { slug: string; query: string; flow?: string | undefined; address: string },
): Promise<{ code: string } | { error: SignInError }> {
  const outcome = await finish(ctx, { slug, query, flow }).catch(async (error: unknown) => {
    if (error instanceof AppError && error.code !== "internal") throw error;
    const away = isProviderUnavailable(error);
    ctx.log.warn(
      { provider: slug, address, reason: providerFailure(error), away },
      "sign-in through a provider failed",
    );
    return { error: away ? ("provider-away" as const) : await errorOf(error) };
  });
  if ("error" in outcome) return refused(outcome.error);
  outcomes.inc({ outcome: "ok" });
  return outcome;
}

async function finish(
  ctx: Context,
  { slug, query, flow }: { slug: string; query: string; flow: string | undefined },
): Promise<{ code: string } | { error: SignInError }> {
  const given = new URLSearchParams(query);
  // A foreign state must not use up this browser's flow.
  if (flow === undefined || !sameText(given.get("state") ?? "", part(flow, "state"))) return { error: "expired" };
  const found = await ctx.store.signIn.useFlow(hashToken(flow), slug, ctx.clock.now());
  if (found === undefined) return { error: "expired" };
  const provider = await findProvider(ctx, slug);
  const connection = await ctx.signIn.connections.connect(provider);
  const redirect = new URL(redirectUriOf(found.origin, slug));
  redirect.search = query;
  const { authorizationCodeGrant } = await loadClient();
  const tokens = await requestTokens(connection, (config) =>
    authorizationCodeGrant(config, redirect, {
      expectedState: part(flow, "state"),
      expectedNonce: part(flow, "nonce"),
      pkceCodeVerifier: part(flow, "verifier"),
      idTokenExpected: true,
    }),
  );
  const claims = await claimsOf(ctx, connection, provider, tokens, null);
  const values = valuesAt(claims, provider.roleClaim);
  const admitted = await changeSessions(ctx, async (change) => {
    await change.users.lockAll();
    return admitIdentity(ctx, change, provider, claims, roleOf(provider, values));
  });
  if ("error" in admitted) return admitted;
  // Not awaited: mail servers can be slow.
  if (admitted.linked !== undefined) void sendLinkNotice(ctx, provider, admitted.linked);
  const code = randomBytes(32).toString("base64url");
  await ctx.store.signIn.admitFlow(found.hash, {
    codeHash: hashToken(code),
    identityId: admitted.identityId,
    sid: typeof claims["sid"] === "string" ? claims["sid"].slice(0, 500) : null,
    refreshToken: sealToken(ctx, tokens.refresh_token),
    expiresAtMs: ctx.clock.now() + exchangeMs,
  });
  return { code };
}

/** Works once, in the browser that started the flow. @throws AppError `unauthenticated`, `forbidden` */
export async function exchangeSignIn(
  ctx: Context,
  { code, flow, ...origin }: { code: string; flow?: string | undefined } & Origin,
): Promise<OpenedSession & { next: string | undefined }> {
  const gone = () => new AppError("unauthenticated", "This sign-in is no longer valid, please start again");
  const nowMs = ctx.clock.now();
  const admitted = flow && (await ctx.store.signIn.takeFlow(hashToken(code), hashToken(flow), nowMs));
  if (!admitted) throw gone();
  const { slug, identityId, sid, refreshToken } = admitted;
  const opened = await changeSessions(ctx, async (change) => {
    const identity = await change.signIn.identityById(identityId);
    const user = identity && (await change.users.lock(identity.userId));
    if (user === undefined) throw gone();
    const session = await createSession(ctx, change, user, { ...origin, way: slug });
    const { tokenHash } = session;
    await change.signIn.insertSession({ tokenHash, slug, identityId, sid, refreshToken, checkedAtMs: nowMs });
    return session;
  });
  return { ...opened, next: admitted.next ?? undefined };
}

/** Adds the claims of the userinfo endpoint if the ID token has no role claim. */
export async function claimsOf(
  ctx: Context,
  connection: ProviderConnection,
  provider: Pick<OpenProvider, "roleClaim">,
  tokens: { id_token?: string | undefined; access_token: string },
  sub: string | null,
): Promise<Claims> {
  const signed =
    tokens.id_token === undefined ? {} : await verifyToken(connection, tokens.id_token, { nowMs: ctx.clock.now() });
  const subject = "sub" in signed && typeof signed.sub === "string" ? signed.sub : sub;
  if (subject === null || subject === "" || subject.length > 500 || (sub !== null && subject !== sub))
    throw new Error("the provider returned no subject, or a different one");
  const hasRole = valuesAt(signed, provider.roleClaim).length > 0;
  if (hasRole || connection.config.serverMetadata().userinfo_endpoint === undefined) return { ...signed, sub: subject };
  const { fetchUserInfo } = await loadClient();
  const more = await fetchUserInfo(connection.config, tokens.access_token, subject);
  return { ...more, ...signed, sub: subject };
}

export const sealToken = ({ secrets }: Pick<Context, "secrets">, token: string | undefined): string | null =>
  secrets === null || token === undefined ? null : secrets.seal(token, secretContexts.oidcToken);

async function errorOf(error: unknown): Promise<SignInError> {
  const { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } = await loadClient();
  if (error instanceof AuthorizationResponseError)
    return error.error === "access_denied" ? "denied" : "provider-refused";
  const isRefused = error instanceof ResponseBodyError || error instanceof WWWAuthenticateChallengeError;
  return isRefused ? "provider-refused" : "not-valid";
}

function sameText(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
