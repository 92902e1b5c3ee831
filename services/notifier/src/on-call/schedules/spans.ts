export const dayMs = 86_400_000;

/** Epoch milliseconds; the end is excluded. */
export type Span = { startMs: number; endMs: number };

/** Returns the part of a span within a period, or nothing. */
export function cut<Of extends Span>(span: Of, period: Span): Of[] {
  const startMs = Math.max(span.startMs, period.startMs);
  const endMs = Math.min(span.endMs, period.endMs);
  return startMs < endMs ? [{ ...span, startMs, endMs }] : [];
}

/** Sorts spans, and removes from each what an earlier one covers. */
export function apart<Of extends Span>(spans: readonly Of[]): Of[] {
  let coveredMs = -Infinity;
  return [...spans].sort(byStart).flatMap((span) => {
    const rest = cut(span, { startMs: coveredMs, endMs: Infinity });
    coveredMs = Math.max(coveredMs, span.endMs);
    return rest;
  });
}

/** Sorts spans, and joins those that overlap or touch. */
export function joined(spans: readonly Span[]): Span[] {
  const found: Span[] = [];
  for (const { startMs, endMs } of [...spans].sort(byStart)) {
    const last = found.at(-1);
    if (last !== undefined && startMs <= last.endMs) last.endMs = Math.max(last.endMs, endMs);
    else found.push({ startMs, endMs });
  }
  return found;
}

/** The parts of sorted spans that are also in the others. */
export function common<Of extends Span>(spans: readonly Of[], others: readonly Span[]): Of[] {
  const found: Of[] = [];
  let first = 0;
  for (const span of spans) {
    while (first < others.length && others[first]!.endMs <= span.startMs) first++;
    for (let at = first; at < others.length && others[at]!.startMs < span.endMs; at++) {
      found.push(...cut(span, others[at]!));
    }
  }
  return found;
}

/** Sorted spans with others on top, which replace what they cover. */
export function replaced<Of extends Span>(below: readonly Of[], above: readonly Of[]): Of[] {
  const free: Span[] = [];
  let coveredMs = -Infinity;
  for (const { startMs, endMs } of above) {
    if (startMs > coveredMs) free.push({ startMs: coveredMs, endMs: startMs });
    coveredMs = endMs;
  }
  free.push({ startMs: coveredMs, endMs: Infinity });
  return [...common(below, free), ...above].sort(byStart);
}

const byStart = (one: Span, other: Span) => one.startMs - other.startMs;
