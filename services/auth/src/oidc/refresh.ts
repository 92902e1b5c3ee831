import { createLimiter } from "@sonde/kit/concurrency/limiter";
import { secretContexts } from "@sonde/kit/secrets";
import { AppError } from "@sonde/kit/errors";
import { counter } from "@sonde/kit/telemetry/metrics";
import type { GrantedRole } from "@sonde/proto/http/sign-in";
import { type Context, type Deps, record } from "../context.ts";
import { changeSessions } from "../sessions/change.ts";
import { userAuditTarget } from "../users/store.ts";
import { byOf, grantRole } from "./accounts.ts";
import { requestTokens, loadClient, providerFailure } from "./connection.ts";
import { claimsOf, sealToken } from "./flow.ts";
import { findProvider } from "./providers.ts";
import { roleOf, valuesAt } from "./roles.ts";
import type { OpenProvider, ProviderSession } from "./store.ts";

const everyMs = 3_600_000;
const retryMs = 300_000;
const [atOnce, batch] = [4, 20];
const refreshed = counter("sonde_auth_role_reads_total", "Role refreshes from identity providers, by outcome", [
  "outcome",
]);

/**
 * Each session once an hour, by one replica. `none` or a rejected token ends sessions, an unavailable provider does
 * not.
 */
export async function refreshRoles(deps: Deps): Promise<void> {
  const limiter = createLimiter<number>({ total: atOnce, waiting: Infinity });
  for (;;) {
    const nowMs = deps.clock.now();
    const due = await deps.store.signIn.claimDue(nowMs - everyMs, nowMs, batch);
    await Promise.all(due.map((session) => limiter.run(session.identityId, () => refreshRole(deps, session))));
    if (due.length < batch) return;
  }
}

type Read = { granted: GrantedRole; refreshToken: string; provider: OpenProvider };

async function refreshRole(ctx: Context, session: ProviderSession): Promise<void> {
  const { tokenHash, slug, identityId } = session;
  const identity = await ctx.store.signIn.identityById(identityId);
  if (identity === undefined) return;
  try {
    const read = await readRole(ctx, session, identity.sub);
    // Also when unchanged, to reseal it with the current key.
    if (read !== null) await ctx.store.signIn.keepToken(tokenHash, sealToken(ctx, read.refreshToken));
    await changeSessions(ctx, async (change) => {
      await change.users.lockAll();
      const user = await change.users.lock(identity.userId);
      if (user === undefined) return;
      if (read !== null) return void (await grantRole(ctx, change, read.provider, user, read.granted));
      if (!(await change.sessions.delete(tokenHash))) return;
      await change.end([tokenHash]);
      await record(change, { action: "logout", target: userAuditTarget(user), by: byOf({ name: slug }) });
    });
    refreshed.inc({ outcome: read === null ? "refused" : read.granted === "none" ? "none" : "ok" });
  } catch (error) {
    refreshed.inc({ outcome: "failed" });
    ctx.log.warn({ provider: slug, reason: providerFailure(error) }, "refreshing a role failed");
    await ctx.store.signIn.checkAgain(tokenHash, ctx.clock.now() - everyMs + retryMs);
  }
}

/** `null` if the provider rejects the session or was deleted. */
async function readRole(ctx: Context, { slug, refreshToken }: ProviderSession, sub: string): Promise<Read | null> {
  if (refreshToken === null || ctx.secrets === null) throw new Error("no refresh token, or no key to open it");
  const { refreshTokenGrant, ResponseBodyError } = await loadClient();
  try {
    const provider = await findProvider(ctx, slug);
    const connection = await ctx.signIn.connections.connect(provider);
    const token = ctx.secrets.open(refreshToken, secretContexts.oidcToken);
    const tokens = await requestTokens(connection, (config) => refreshTokenGrant(config, token));
    const claims = await claimsOf(ctx, connection, provider, tokens, sub);
    const granted = roleOf(provider, valuesAt(claims, provider.roleClaim));
    return { granted, refreshToken: tokens.refresh_token ?? token, provider };
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return null;
    if (error instanceof ResponseBodyError && error.error === "invalid_grant") return null;
    throw error;
  }
}
