import type { PartialTheme } from "@nivo/theming";

const text = { fill: "var(--faint)", fontSize: 12, fontFamily: "inherit" };

/** nivo in the app's own colours; both themes come with the CSS variables. */
export const chartTheme: PartialTheme = {
  text,
  axis: { ticks: { text }, domain: { line: { stroke: "transparent" } } },
  grid: { line: { stroke: "var(--line)", strokeWidth: 1 } },
  crosshair: { line: { stroke: "var(--faint)", strokeWidth: 1, strokeOpacity: 0.8 } },
  tooltip: { container: { background: "none", boxShadow: "none", padding: 0 } },
};
