import { AppError } from "@sonde/kit/errors";
import type { SealedTexts } from "@sonde/kit/postgres/known-key";
import { type SecretBox, secretContexts } from "@sonde/kit/secrets";
import type { Context, Deps } from "../context.ts";

/** @throws AppError `unavailable` if the installation has no key for sign-in secrets */
export function requireSecretBox({ secrets }: Pick<Context, "secrets">): SecretBox {
  if (secrets === null) throw new AppError("unavailable", "This requires SONDE_KEY_SIGNIN, which is not set");
  return secrets;
}

/** All stored secrets except refresh tokens, which the next login replaces. */
export const sealedTexts: readonly SealedTexts[] = [
  { context: secretContexts.totp, query: "select sealed_secret as sealed from factors" },
  { context: secretContexts.oidcClient, query: "select client_secret as sealed from providers" },
];

/** Reseals secrets with the current key; the old one can then be removed. */
export async function resealFactors({ secrets, store, log }: Deps): Promise<void> {
  if (secrets === null) return;
  for (const { id, sealedSecret } of await store.factors.sealed()) {
    if (secrets.isCurrent(sealedSecret, "totp")) continue;
    try {
      await store.factors.reseal(id, sealedSecret, secrets.seal(secrets.open(sealedSecret, "totp"), "totp"));
    } catch (error) {
      log.error({ err: error, factorId: id }, "authenticator app secret cannot be opened");
    }
  }
}
