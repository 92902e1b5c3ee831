/** The operator can fix it: printed as one line without a stack. */
export class StartupError extends Error {
  override readonly name = "StartupError";
}

export function explainError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, path } = error as NodeJS.ErrnoException;
  const where = path ? ` ${path}` : "";
  if (code === "ENOSPC") return `The disk is full: nothing more can be written${path ? ` to${where}` : ""}.`;
  if (code === "EACCES" || code === "EPERM") return `This user may not access${where || " a file"} (${error.message}).`;
  if (code === "EROFS") return `The file system is read-only:${where}.`;
  return error.message;
}
