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

export const readTags = (text: string): string[] =>
  text
    .split(/[,，、]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");

/**
 * Parses a duration such as `5`, `90s`, `1.5 min`, `1h 30m` or `2 小时` to seconds, or `null` if it is invalid. A bare
 * number is in `bareUnit`.
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

/** `undefined` for an empty text, NaN for an invalid number. */
export function parseTypedNumber(text: string): number | undefined {
  return text.trim() === "" ? undefined : Number(text);
}

/** Adds `https://` to an address without a scheme, unless the result is not a valid URL. `htp:/x` has a scheme. */
export function withScheme(typed: string): string {
  const text = typed.trim();
  if (text === "" || /^(?:[a-z][a-z\d+.-]*:\/|https?:)/i.test(text)) return text;
  const whole = `https://${text.replace(/^\/\//, "")}`;
  return URL.canParse(whole) ? whole : text;
}

/** Host of a typed address without `www.`. Empty if there is none or if the address contains credentials. */
export function typedHost(typed: string): string {
  const text = typed.trim().toLowerCase();
  // A partly typed scheme is not a host.
  if ("https://".startsWith(text) || "http://".startsWith(text)) return "";
  const whole = withScheme(typed);
  const [, authority = ""] = /^https?:\/\/([^/?#]*)/i.exec(whole) ?? [];
  if (!URL.canParse(whole) || authority.includes("@")) return "";
  return authority.replace(/^www\./i, "");
}

/** Joins host and port. An IPv6 address gets brackets. */
export function hostAndPort(host: string, port: string): string {
  const name = host.trim();
  if (name === "" || port.trim() === "") return name;
  return `${name.includes(":") ? `[${name}]` : name}:${port.trim()}`;
}
