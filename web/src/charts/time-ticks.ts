const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const steps = [1, 2, 5, 10, 15, 30].map((each) => each * minute).concat([1, 2, 3, 6, 12].map((each) => each * hour));
const daySteps = [1, 2, 5, 10];

/**
 * Round instants between two others (epoch milliseconds) for the marks of a time axis, at most `most` of them: full
 * minutes and hours, or midnights, of the reader's clock.
 */
export function timeTicks(fromMs: number, toMs: number, most: number): number[] {
  const step = steps.find((each) => (toMs - fromMs) / each <= most);
  const midnight = new Date(fromMs);
  midnight.setHours(0, 0, 0, 0);
  const ticks: number[] = [];
  if (step !== undefined) {
    const first = midnight.getTime() + Math.ceil((fromMs - midnight.getTime()) / step) * step;
    for (let at = first; at <= toMs; at += step) ticks.push(at);
    return ticks;
  }
  const days = daySteps.find((each) => (toMs - fromMs) / (each * day) <= most) ?? 30;
  if (midnight.getTime() < fromMs) midnight.setDate(midnight.getDate() + 1);
  for (; midnight.getTime() <= toMs; midnight.setDate(midnight.getDate() + days)) ticks.push(midnight.getTime());
  return ticks;
}
