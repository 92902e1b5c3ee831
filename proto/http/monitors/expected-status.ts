/** Inclusive ranges of HTTP status codes. */
export type StatusRange = { from: number; to: number };

/** Parses an expected status: `200`, `2xx`, `200-204,301`. Returns `null` for anything else. */
export function parseExpectedStatus(text: string | number): StatusRange[] | null {
  const parts = String(text).split(",");
  const ranges = parts.map((part) => parsePart(part.trim().toLowerCase()));
  return ranges.every((range) => range !== null) ? ranges : null;
}

export function isExpectedStatus(ranges: readonly StatusRange[], statusCode: number): boolean {
  return ranges.some(({ from, to }) => statusCode >= from && statusCode <= to);
}

function parsePart(part: string): StatusRange | null {
  const group = /^([1-5])xx$/.exec(part)?.[1];
  if (group !== undefined) return { from: Number(group) * 100, to: Number(group) * 100 + 99 };
  const [, first, last] = /^([1-5]\d\d)(?:\s*-\s*([1-5]\d\d))?$/.exec(part) ?? [];
  if (first === undefined) return null;
  const range = { from: Number(first), to: Number(last ?? first) };
  return range.from <= range.to ? range : null;
}
