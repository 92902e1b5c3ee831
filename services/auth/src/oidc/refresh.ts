import { createLimiter } from "@sonde/kit/concurrency/limiter";
import { secretContexts } from "@sonde/kit/secrets";
import { AppError } from "@sonde/kit/errors";
import { counter } from "@sonde/kit/telemetry/metrics";
import type { GrantedRole } from "@sonde/proto/http/sign-in";
import { type Context, type Deps, record } from "../context.ts";
import { changeSessions } from "../sessions/change.ts";
import { userAuditTarget } from "../users/store.ts";
import { byOf, grantRole } from "./accounts.ts";
import { askForTokens, loadClient, providerFailure } from "./connection.ts";
import { claimsOf, sealToken } from "./flow.ts";
import { findProvider } from "./providers.ts";
import { roleOf, valuesAt } from "./roles.ts";
import type { OpenProvider, ProviderSession } from "./store.ts";

const everyMs = 3_600_000;
/** A provider that is away is asked again after this. */
const retryMs = 300_000;
const [atOnce, batch] = [4, 20];
const refreshed = counter("sonde_auth_role_reads_total", "Role refreshes from identity providers, by outcome", [
  "outcome",
]);

/**
 * Reads the roles again of sessions that providers opened, each once an hour, by one replica. A group that is lost, or a token
 * that the provider refuses, ends sessions; a provider that is away changes nothing.
 */
export async function rereadRoles(deps: Deps): Promise<void> {
  const limiter = createLimiter<number>({ total: atOnce, waiting: Infinity });
  for (;;) {
    const nowMs = deps.clock.now();
    const due = await deps.store.signIn.claimDue(nowMs - everyMs, nowMs, batch);
    await Promise.all(due.map((session) => limiter.run(session.identityId, () => reread(deps, session))));
    if (due.length < batch) return;
  }
}

type Read = { granted: GrantedRole; refreshToken: string; provider: OpenProvider };

async function reread(ctx: Context, session: ProviderSession): Promise<void> {
  const { tokenHash, slug, identityId } = session;
  const identity = await ctx.store.signIn.identityById(identityId);
  if (identity === undefined) return;
  try {
    const read = await readRole(ctx, session, identity.sub);
    // Also one that stays: it is sealed by the present key then.
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
    ctx.log.warn({ provider: slug, reason: providerFailure(error) }, "a role could not be read again");
    await ctx.store.signIn.checkAgain(tokenHash, ctx.clock.now() - everyMs + retryMs);
  }
}

/** The role that a session's provider gives now; null where it refuses the session, or is no provider any more. */
async function readRole(ctx: Context, { slug, refreshToken }: ProviderSession, sub: string): Promise<Read | null> {
  if (refreshToken === null || ctx.secrets === null) throw new Error("there is no token to read it by");
  const { refreshTokenGrant, ResponseBodyError } = await loadClient();
  try {
    const provider = await findProvider(ctx, slug);
    const connection = await ctx.signIn.connections.connect(provider);
    const token = ctx.secrets.open(refreshToken, secretContexts.oidcToken);
    const tokens = await askForTokens(connection, (config) => refreshTokenGrant(config, token));
    const claims = await claimsOf(ctx, connection, provider, tokens, sub);
    const granted = roleOf(provider, valuesAt(claims, provider.roleClaim));
    return { granted, refreshToken: tokens.refresh_token ?? token, provider };
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return null;
    if (error instanceof ResponseBodyError && error.error === "invalid_grant") return null;
    throw error;
  }
}
