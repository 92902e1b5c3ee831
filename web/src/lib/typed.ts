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

/** Tags as people write them, with commas between. */
export const readTags = (text: string): string[] =>
  text
    .split(/[,，、]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");

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

/** A number as it was typed: undefined for an empty field, NaN for what is no number. */
export function parseTypedNumber(text: string): number | undefined {
  return text.trim() === "" ? undefined : Number(text);
}

/**
 * An address as people type it, with `https://` where it names no scheme. What has one, and what is no address with it
 * either, stays as it was typed.
 */
export function withScheme(typed: string): string {
  const text = typed.trim();
  if (text === "" || /^(?:[a-z][a-z\d+.-]*:\/\/|https?:)/i.test(text)) return text;
  const whole = `https://${text.replace(/^\/\//, "")}`;
  return URL.canParse(whole) ? whole : text;
}

/** The host of an address as it was typed, without `www.`; empty while there is none, or where it holds a password. */
export function typedHost(typed: string): string {
  const text = typed.trim().toLowerCase();
  // While a scheme is being typed it is no host.
  if ("https://".startsWith(text) || "http://".startsWith(text)) return "";
  const whole = withScheme(typed);
  const [, authority = ""] = /^https?:\/\/([^/?#]*)/i.exec(whole) ?? [];
  if (!URL.canParse(whole) || authority.includes("@")) return "";
  return authority.replace(/^www\./i, "");
}

/** A host and its port as one text; an IPv6 address is in brackets. */
export function hostAndPort(host: string, port: string): string {
  const name = host.trim();
  if (name === "" || port.trim() === "") return name;
  return `${name.includes(":") ? `[${name}]` : name}:${port.trim()}`;
}
