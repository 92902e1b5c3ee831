const unitSeconds: Record<string, number> = {
  ms: 0.001,
  s: 1,
  sec: 1,
  second: 1,
  seconds: 1,
  秒: 1,
  毫秒: 0.001,
  m: 60,
  min: 60,
  mins: 60,
  minute: 60,
  minutes: 60,
  分: 60,
  分钟: 60,
  h: 3600,
  hr: 3600,
  hour: 3600,
  hours: 3600,
  时: 3600,
  小时: 3600,
  d: 86_400,
  day: 86_400,
  days: 86_400,
  天: 86_400,
};

/**
 * Reads a duration as people write it: `5`, `90s`, `1.5 min`, `1h 30m`, `2 小时`.
 * A bare number has the field's own unit. Answers seconds, or null for anything else.
 */
export function parseDuration(text: string, bareUnit: "s" | "m"): number | null {
  const trimmed = text.trim().toLowerCase();
  if (/^\d+(?:\.\d+)?$/.test(trimmed)) return Number(trimmed) * (unitSeconds[bareUnit] ?? 1);
  if (!/^(?:\d+(?:\.\d+)?\s*[a-z\u4e00-\u9fff]+\s*)+$/.test(trimmed)) return null;
  let seconds = 0;
  for (const [, amount, name] of trimmed.matchAll(/(\d+(?:\.\d+)?)\s*([a-z\u4e00-\u9fff]+)/g)) {
    const size = unitSeconds[name ?? ""];
    if (size === undefined) return null;
    seconds += Number(amount) * size;
  }
  return Math.round(seconds * 1000) / 1000;
}
