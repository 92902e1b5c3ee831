import type { HistorySummary } from "@sonde/proto/http/monitors/checks";

/** How a figure changed against the period before. */
export type FigureChange = { text: string; direction: "up" | "down" | "same"; verdict: "better" | "worse" | "same" };
type Figure = "p50" | "p95" | "failures" | "coverage";

/** More coverage is good; more of everything else is bad. */
const higherIsBetter: readonly Figure[] = ["coverage"];
const styles = new Map<string, Intl.NumberFormat>();

/** Null where one of both periods has no such figure. `points` says percentage points as people read them. */
export function compare(
  figure: Figure,
  now: HistorySummary,
  before: HistorySummary | null,
  { language, points }: { language: string; points: (value: string) => string },
): FigureChange | null {
  const [to, from] = [now[figure], before?.[figure] ?? null];
  if (to === null || from === null || now.checks === 0 || before?.checks === 0) return null;
  const isTime = figure === "p50" || figure === "p95";
  if (isTime && from === 0) return null;
  const change = isTime ? Math.round((to / from - 1) * 100) / 100 : Math.round((to - from) * 100) / 100;
  const text = signed(change, language, isTime ? "percent" : "decimal");
  const direction = change > 0 ? "up" : change < 0 ? "down" : "same";
  const verdict =
    direction === "same" ? "same" : (direction === "up") === higherIsBetter.includes(figure) ? "better" : "worse";
  return { text: figure === "coverage" ? points(text) : text, direction, verdict };
}

function signed(value: number, language: string, style: "percent" | "decimal"): string {
  const key = `${language} ${style}`;
  const known =
    styles.get(key) ??
    new Intl.NumberFormat(language, {
      style,
      signDisplay: "exceptZero",
      maximumFractionDigits: style === "percent" ? 0 : 2,
    });
  styles.set(key, known);
  return known.format(value);
}
