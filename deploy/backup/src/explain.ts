import { explainError, StartupError } from "@sonde/kit/service/startup-error";

const unreachable = new Set(["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EHOSTUNREACH"]);
/** SQLSTATEs: wrong password, unknown role, unknown database, insufficient privilege. */
const refused = new Set(["28P01", "28000", "3D000", "42501"]);

/** Describes a failure in one line for the user. Programming errors are returned unchanged, with their stack. */
export function explainFailure(fault: unknown, failed: string): unknown {
  const isMistake = [TypeError, ReferenceError, SyntaxError].some((kind) => fault instanceof kind);
  if (fault instanceof StartupError || isMistake || !(fault instanceof Error)) return fault;
  const { code = "" } = fault as NodeJS.ErrnoException;
  const reason = unreachable.has(code)
    ? `PostgreSQL or ClickHouse is unreachable (${code})`
    : refused.has(code)
      ? `PostgreSQL rejects this user (${fault.message})`
      : explainError(fault);
  const line = reason.replace(/\.$/, "").replaceAll(/\s+/g, " ");
  return new StartupError(`${failed}: ${line}.`, { cause: fault });
}

export const failedRestore = "The restore failed; do not use the data it has written";
export const failedBackup = "The backup failed";
