/** True for text that PostgreSQL can store: no NUL, no lone surrogates. */
export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

export function unstorableIn(value: unknown, path = ""): string | null {
  if (typeof value === "string") return isStorable(value) ? null : path;
  if (typeof value !== "object" || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    const found = unstorableIn(inner, path === "" ? name : `${path}.${name}`);
    if (found !== null) return found;
  }
  return null;
}

/** Empty for other values. `String()` would throw for some objects, such as `{"toString": 1}`. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
