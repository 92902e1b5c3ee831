/** A stretch of steps in maintenance; epoch milliseconds. */
export type Band = { fromMs: number; toMs: number };

/** Steps in maintenance, those side by side as one. */
export function maintenanceBands(points: readonly { start: number; inMaintenance: boolean }[], stepMs: number): Band[] {
  const bands: Band[] = [];
  for (const { start, inMaintenance } of points) {
    if (!inMaintenance) continue;
    const last = bands.at(-1);
    if (last?.toMs === start) last.toMs = start + stepMs;
    else bands.push({ fromMs: start, toMs: start + stepMs });
  }
  return bands;
}
