import { AppError } from "@sonde/kit/errors";
import type { SecretBox } from "@sonde/kit/secrets";
import type { Context } from "../context.ts";

/** @throws AppError `unavailable` where the installation has no key for them */
export function secretsOf({ secrets }: Pick<Context, "secrets">): SecretBox {
  if (secrets === null) throw new AppError("unavailable", "Sonde needs SONDE_KEY_SIGNIN for this, and it is not set");
  return secrets;
}
