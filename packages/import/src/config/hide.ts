import { secretMask } from "@sonde/proto/http/secrets";

/** Shorter secrets would match parts of ordinary words. */
const shortestSecret = 4;

export function hide<Value>(given: Value, secrets: readonly string[]): Value {
  const long = secrets.filter(({ length }) => length >= shortestSecret).toSorted((a, b) => b.length - a.length);
  const whole = new Set(secrets.filter(({ length }) => length > 0));
  const clean = (value: unknown): unknown => {
    if (typeof value === "string")
      return whole.has(value) ? secretMask : long.reduce((text, secret) => text.replaceAll(secret, secretMask), value);
    if (Array.isArray(value)) return value.map(clean);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, clean(inner)]));
  };
  return clean(given) as Value;
}
