/** One line of a chart; `values` one a step, null where nothing was measured. */
export type MetricsSeries = { id: string; label: string; values: readonly (number | null)[] };

/** What stands around the plot, in pixels; the cursor above it reckons with the same. */
export const chartEdges = { top: 8, right: 8, bottom: 26, left: 76 };

const colors = ["--series-1", "--series-2", "--series-4", "--series-5", "--series-6", "--series-3"] as const;
const dashes = [undefined, "5 3", "1 3"];

/** Colour and dash by place; beyond six lines the dash tells them apart. */
export function seriesLook(place: number): { color: string; width: number; dash?: string } {
  const dash = dashes[Math.floor(place / colors.length) % dashes.length];
  return {
    color: `var(${colors[place % colors.length]})`,
    width: place === 0 ? 1.75 : 1.5,
    ...(dash === undefined ? {} : { dash }),
  };
}
