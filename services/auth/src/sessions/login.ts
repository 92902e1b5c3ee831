import { countedAddress } from "@sonde/kit/addresses";
import { AppError } from "@sonde/kit/errors";
import { counter } from "@sonde/kit/telemetry/metrics";
import type { LoginInput } from "@sonde/proto/http/auth";
import type { FactorDemand } from "@sonde/proto/http/factors";
import type { Context } from "../context.ts";
import { demandFactor, type PasskeySite } from "../factors/sign-in.ts";
import { usernameKey } from "../users/store.ts";
import { changeSessions } from "./change.ts";
import { type OpenedSession, createSession, type Origin, refuseInactive, requirePasswordsFor } from "./sessions.ts";

const logins = counter("sonde_auth_logins_total", "Logins by outcome", ["outcome"]);

/**
 * Response and duration are the same for an unknown user and a wrong password. A disabled account is reported only
 * after the correct password. If the user has or needs a second factor, returns a ticket.
 * @throws AppError `unauthenticated`, `forbidden` (pending, disabled), `too_many`
 */
export async function login(
  ctx: Context,
  input: LoginInput & Origin & PasskeySite,
): Promise<OpenedSession | { factor: FactorDemand }> {
  const { username, password } = input;
  const address = countedAddress(input.address);
  const name = usernameKey(username);
  const refuse = () => ctx.store.attempts.refuseTooMany("login", address, name, ctx.clock.now());
  try {
    // Check before queueing: a blocked address must not take a place in the queue.
    await refuse();
    const known = await ctx.passwords.inTurn(
      address,
      async ({ verify }) => {
        // Check again: concurrent attempts are counted while this one waits.
        await refuse();
        const user = await ctx.store.users.byName(username);
        const passwordHash = user && (await ctx.store.users.passwordHash(user.id));
        const matches = await verify(passwordHash ?? null, password);
        if (matches && user !== undefined && passwordHash !== undefined) return { id: user.id, passwordHash };
        await ctx.store.attempts.add("login", address, name, ctx.clock.now());
        throw new AppError("unauthenticated", "Incorrect username or password");
      },
      ctx.signal,
    );
    const opened = await open(ctx, known, input);
    await ctx.store.attempts.clear("login", address, name);
    logins.inc({ outcome: "factor" in opened ? "factor" : "ok" });
    return opened;
  } catch (error) {
    const outcome = error instanceof AppError ? error.code : "internal";
    logins.inc({ outcome });
    ctx.log.info({ address: input.address, outcome }, "login rejected");
    throw error;
  }
}

function open(
  ctx: Context,
  known: { id: number; passwordHash: string },
  input: Origin & PasskeySite,
): Promise<OpenedSession | { factor: FactorDemand }> {
  return changeSessions(ctx, async (change) => {
    const user = await change.users.lock(known.id);
    if (user === undefined || (await change.users.passwordHash(user.id)) !== known.passwordHash)
      throw new AppError("unauthenticated", "Incorrect username or password");
    refuseInactive(user);
    await requirePasswordsFor(ctx, change, user);
    const factor = await demandFactor(ctx, change, user, input);
    return factor === null ? createSession(ctx, change, user, input) : { factor };
  });
}
