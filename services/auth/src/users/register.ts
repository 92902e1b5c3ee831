import { AppError } from "@sonde/kit/errors";
import type { RegisterInput, RegistrationMode } from "@sonde/proto/http/auth";
import { hash, timingSafeEqual } from "node:crypto";
import { countedAddress } from "@sonde/kit/addresses";
import type { Message } from "@sonde/proto/http/messages";
import type { SignInState } from "@sonde/proto/http/sign-in";
import type { Role, UserStatus } from "@sonde/proto/http/users";
import { relyingPartyOf } from "../factors/passkeys.ts";
import { readSignInState } from "../oidc/providers.ts";
import { type Context, record, type RegistrationPolicy } from "../context.ts";
import { type Account, presentUser, userAuditTarget } from "./store.ts";

type RegistrationState = {
  mode: RegistrationMode;
  firstAccount: boolean;
  setupCodeRequired: boolean;
  passkeys: boolean;
  signIn: SignInState;
};

const hasPasskeys = (origin: string) => relyingPartyOf(origin) !== null;

export async function registrationState(
  ctx: Context,
  { origin }: { origin?: string | undefined },
): Promise<RegistrationState> {
  const { store, policy } = ctx;
  const firstAccount = !(await store.users.any());
  return {
    mode: policy.registration,
    firstAccount,
    setupCodeRequired: firstAccount && policy.setupCode !== undefined,
    // Gateways of the previous version send no origin.
    passkeys: !firstAccount && (origin === undefined || hasPasskeys(origin)) && (await store.factors.anyPasskey()),
    signIn: await readSignInState(ctx),
  };
}

/** @throws AppError `invalid`, `forbidden` (closed, or wrong setup code), `conflict`, `too_many` */
export async function register(ctx: Context, input: RegisterInput & { address: string }): Promise<Account> {
  const { username, email = null, password, setupCode = "" } = input;
  const address = countedAddress(input.address);
  // Check before queueing: a blocked address must not take a place in the queue.
  const refuseOver = () => ctx.store.attempts.refuseTooMany("register", address, "", ctx.clock.now());
  await refuseOver();
  const codeMatches = sameText(setupCode, ctx.policy.setupCode ?? "");
  const decide = (isFirst: boolean) => orRefuse(refuseRegistration(ctx.policy, { isFirst, codeMatches }));
  const passwordHash = await ctx.passwords.inTurn(
    address,
    async ({ hash: hashOf }) => {
      // Check again: concurrent attempts are counted while this one waits.
      await refuseOver();
      await ctx.store.attempts.add("register", address, "", ctx.clock.now());
      // Checked early to avoid hashing. The decision below, under the lock, is the one that counts.
      decide(!(await ctx.store.users.any()));
      await ctx.store.users.refuseTaken({ username, email });
      return hashOf(password);
    },
    ctx.signal,
  );

  const user = await ctx.store.transaction(async ({ users, audit }) => {
    await users.lockAll();
    const { role, status } = decide(!(await users.any()));
    await users.refuseTaken({ username, email });
    const made = await users.insert({
      username,
      email,
      // The first account belongs to the administrator, whose address counts as verified.
      emailVerified: email !== null && role === "admin",
      role,
      status,
      passwordHash,
      createdAtMs: ctx.clock.now(),
    });
    await record({ audit }, { action: "register", target: userAuditTarget(made), after: presentUser(made), by: made });
    return made;
  });
  ctx.log.info({ userId: user.id, role: user.role, status: user.status }, "user registered");
  return user;
}

function orRefuse(admission: Admission) {
  if ("refusal" in admission) throw new AppError("forbidden", admission.refusal);
  return admission;
}

const sameText = (left: string, right: string) =>
  timingSafeEqual(hash("sha256", left, "buffer"), hash("sha256", right, "buffer"));

type Admission = { role: Role; status: UserStatus } | { refusal: Message };

/** The first account is an active admin under every policy, but requires the setup code if one is configured. */
export function refuseRegistration(
  policy: RegistrationPolicy,
  { isFirst, codeMatches }: { isFirst: boolean; codeMatches: boolean },
): Admission {
  if (isFirst) {
    if (policy.setupCode !== undefined && !codeMatches) return { refusal: "The setup code is not correct" };
    return { role: "admin", status: "active" };
  }
  if (policy.registration === "closed") return { refusal: "Registration is closed" };
  return { role: "user", status: policy.registration === "open" ? "active" : "pending" };
}
