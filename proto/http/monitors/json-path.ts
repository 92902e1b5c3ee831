/** A path step: a member name or an element index. */
export type PathStep = string | number;

const step = /\.([\p{L}_$][\p{L}\p{N}_$-]*)|\[(-?\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/uy;

/**
 * Parses a JSONPath that selects at most one value (a singular query of RFC 9535): `$.data.items[0]['first name']`.
 * Wildcards, slices, filters and descendants are not supported. For an invalid path, returns the part that could not be
 * parsed.
 */
export function parseJsonPath(text: string): PathStep[] | { unread: string } {
  if (!text.startsWith("$")) return { unread: text };
  const steps: PathStep[] = [];
  let at = 1;
  while (at < text.length) {
    step.lastIndex = at;
    const found = step.exec(text);
    if (found === null) return { unread: text.slice(at) };
    const [whole, name, index, single, double] = found;
    const quoted = single ?? double;
    if (index !== undefined) steps.push(Number(index));
    else steps.push(name ?? (quoted ?? "").replace(/\\(.)/g, "$1"));
    at += whole.length;
  }
  return steps;
}
