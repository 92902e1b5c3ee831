import { invalid } from "@sonde/kit/errors";

/** The deepest level that is read. */
const mostLevels = 20;

const notValid = (path: readonly (string | number)[]) =>
  invalid([{ path: path.join(".").slice(0, 200), message: "This value is not valid" }]);

/**
 * Rejects texts that cannot be stored: with NUL or a lone surrogate, and values nested too deep. Lists and objects may
 * be as large as the body permits: this runs in a thread with a budget.
 * @throws AppError invalid with the path of the first
 */
export function refuseText(value: unknown, path: readonly (string | number)[] = []): void {
  if (typeof value === "string") {
    if (!value.includes("\0") && value.isWellFormed()) return;
    throw notValid(path);
  }
  if (typeof value !== "object" || value === null) return;
  if (path.length > mostLevels) throw notValid(path);
  const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
  for (const key of keys) refuseText((value as Record<string | number, unknown>)[key], [...path, key]);
}
