import { type Html, trusted } from "@sonde/kit/http/html";

const mostPoints = 32;
/** Units of the picture: whole numbers are fine enough, and few bytes. */
const step = 4;
const height = 36;
const margin = 3;

/** Response times as a line, oldest first; gaps stay gaps. Decoration: the latest figure is beside it. */
export function sparkline(means: readonly (number | null)[]): Html | null {
  const points = thinned(means);
  const known = points.filter((point) => point !== null);
  if (known.length < 2) return null;
  const [low, high] = [Math.min(...known), Math.max(...known)];
  // A service that answers evenly shows a flat line in the middle, not its noise.
  const spread = Math.max(high - low, high * 0.2, 1);
  const levelOf = (point: number) =>
    Math.round(height / 2 - ((point - (high + low) / 2) / spread) * (height - 2 * margin));
  let path = "";
  let [atX, atY, isGap] = [0, 0, true];
  for (const [index, point] of points.entries()) {
    if (point !== null) {
      const [x, y] = [index * step, levelOf(point)];
      path += `${isGap ? "m" : "l"}${x - atX} ${y - atY}`;
      [atX, atY] = [x, y];
    }
    isGap = point === null;
  }
  const width = (points.length - 1) * step;
  return trusted(
    `<svg class="line" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" aria-hidden="true"><path d="${path}"/></svg>`,
  );
}

/** Thins points to the width of the picture: means of neighbours. */
function thinned(means: readonly (number | null)[]): (number | null)[] {
  const size = Math.max(1, Math.ceil(means.length / mostPoints));
  return Array.from({ length: Math.ceil(means.length / size) }, (_, index) => {
    const known = means.slice(index * size, (index + 1) * size).filter((mean) => mean !== null);
    return known.length === 0 ? null : known.reduce((sum, mean) => sum + mean, 0) / known.length;
  });
}
