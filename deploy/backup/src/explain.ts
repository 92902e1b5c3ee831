import { describeFault, StartupError } from "@sonde/kit/service/startup-error";

const unreached = new Set(["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EHOSTUNREACH"]);
/** SQLSTATE of a wrong password, an unknown role, an unknown database, and of what may not be done. */
const refused = new Set(["28P01", "28000", "3D000", "42501"]);

/** A failure in one line for the user, after what it means for them. Only a mistake in the code keeps its stack. */
export function explainFailure(fault: unknown, failed: string): unknown {
  const isMistake = [TypeError, ReferenceError, SyntaxError].some((kind) => fault instanceof kind);
  if (fault instanceof StartupError || isMistake || !(fault instanceof Error)) return fault;
  const { code = "" } = fault as NodeJS.ErrnoException;
  const reason = unreached.has(code)
    ? `PostgreSQL or ClickHouse is unreachable (${code})`
    : refused.has(code)
      ? `PostgreSQL rejects this user (${fault.message})`
      : describeFault(fault);
  const line = reason.replace(/\.$/, "").replaceAll(/\s+/g, " ");
  return new StartupError(`${failed}: ${line}.`, { cause: fault });
}

export const failedRestore = "The restore failed; do not use the data it has written";
export const failedBackup = "The backup failed";
