/** A fault that a person can mend; shown as one line, without a stack, before the process ends with code 1. */
export class StartupError extends Error {
  override readonly name = "StartupError";
}

/** The one line to show for any thrown value: the system's own errors get words, others keep theirs. */
export function describeFault(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  const { code, path } = fault as NodeJS.ErrnoException;
  const where = path ? ` ${path}` : "";
  if (code === "ENOSPC") return `The disk is full: nothing more can be written${path ? ` to${where}` : ""}.`;
  if (code === "EACCES" || code === "EPERM")
    return `This user has no right to use${where || " something"} (${fault.message}).`;
  if (code === "EROFS") return `The file system is read-only:${where}.`;
  return fault.message;
}
