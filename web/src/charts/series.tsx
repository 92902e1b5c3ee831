/** One line of a chart. `values` has one entry per step, `null` if nothing was measured. */
export type MetricsSeries = { id: string; label: string; values: readonly (number | null)[] };

/** Margins of the plot in pixels. The cursor layer uses the same. */
export const chartEdges = { top: 8, right: 8, bottom: 26, left: 76 };

export type LineLook = { color: string; width: number; dash?: string | undefined };

const colors = ["--series-1", "--series-2", "--series-4", "--series-5", "--series-6", "--series-3"] as const;
const dashes = [undefined, "5 3", "1 3"];

export const thresholdLook = { color: "var(--down)", width: 1.5, dash: "1.5 3.5" };

/** Colour and dash of the line with this index. Beyond six lines the dash distinguishes them. */
export function seriesLook(index: number): LineLook {
  return {
    color: `var(${colors[index % colors.length]})`,
    width: index === 0 ? 1.75 : 1.5,
    dash: dashes[Math.floor(index / colors.length) % dashes.length],
  };
}

export function LineMark({ color, width, dash }: LineLook) {
  return (
    <svg viewBox="0 0 16 8" aria-hidden="true" className="h-2 w-4 shrink-0">
      <path d="M1 4h14" stroke={color} strokeWidth={width + 0.5} strokeDasharray={dash} strokeLinecap="round" />
    </svg>
  );
}
