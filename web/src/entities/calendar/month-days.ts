const dayMs = 86_400_000;
const isoDay = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/**
 * Returns a month, its neighbours, and the days of its weeks from Monday on, followed by the day after them.
 * @param wanted `2026-12`; anything else is the month of `today` (`2026-11-29`)
 */
export function weeksOf(wanted: string | null, today: string) {
  const month = /^20\d\d-(0[1-9]|1[0-2])$/.test(wanted ?? "") ? wanted! : today.slice(0, 7);
  const firstMs = Date.parse(`${month}-01`);
  const first = new Date(firstMs);
  const nextMs = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 1);
  const startMs = firstMs - ((first.getUTCDay() + 6) % 7) * dayMs;
  const count = Math.ceil((nextMs - startMs) / dayMs / 7) * 7;
  return {
    month,
    before: isoDay(firstMs - dayMs).slice(0, 7),
    after: isoDay(nextMs).slice(0, 7),
    days: Array.from({ length: count + 1 }, (_, index) => isoDay(startMs + index * dayMs)),
  };
}
