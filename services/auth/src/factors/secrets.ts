import { AppError } from "@sonde/kit/errors";
import type { SealedTexts } from "@sonde/kit/postgres/known-key";
import { type SecretBox, secretContexts } from "@sonde/kit/secrets";
import type { Context, Deps } from "../context.ts";

/** @throws AppError `unavailable` where the installation has no key for them */
export function requireSecretBox({ secrets }: Pick<Context, "secrets">): SecretBox {
  if (secrets === null) throw new AppError("unavailable", "This requires SONDE_KEY_SIGNIN, which is not set");
  return secrets;
}

/** Every secret that this service stores, but for tokens, which a new login replaces. */
export const sealedTexts: readonly SealedTexts[] = [
  { context: secretContexts.totp, query: "select sealed_secret as sealed from factors" },
  { context: secretContexts.oidcClient, query: "select client_secret as sealed from providers" },
];

/** Seals what an older key sealed by the present one, so that the old key can be taken away. */
export async function resealFactors({ secrets, store, log }: Deps): Promise<void> {
  if (secrets === null) return;
  for (const { id, sealedSecret } of await store.factors.sealed()) {
    if (secrets.isCurrent(sealedSecret, "totp")) continue;
    try {
      await store.factors.reseal(id, sealedSecret, secrets.seal(secrets.open(sealedSecret, "totp"), "totp"));
    } catch (error) {
      log.error({ err: error, factorId: id }, "the secret of an authenticator app cannot be opened");
    }
  }
}
