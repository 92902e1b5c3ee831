/** True for a text that databases have a place for. */
export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** The path of the first text of a value that cannot be stored; null: there is none. */
export function unstorableIn(value: unknown, path = ""): string | null {
  if (typeof value === "string") return isStorable(value) ? null : path;
  if (typeof value !== "object" || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    const found = unstorableIn(inner, path === "" ? name : `${path}.${name}`);
    if (found !== null) return found;
  }
  return null;
}
