import { explainError, StartupError } from "@sonde/kit/service/startup-error";
import { ConfigError } from "@sonde/kit/service/config-error";

/** The message of an error that a user can fix; the stack of any other. */
export function describeError(error: unknown): string | undefined {
  const canBeFixed = error instanceof StartupError || error instanceof ConfigError;
  return error instanceof Error && !canBeFixed && !("syscall" in error) ? error.stack : explainError(error);
}
