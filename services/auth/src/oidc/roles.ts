import { parseJsonPath } from "@sonde/proto/http/monitors/json-path";
import { type GrantedRole, grantedRoles, type SignInProvider } from "@sonde/proto/http/sign-in";

/** Limits what a provider can make us hold in memory. */
const maxValues = 5000;

/** Returns the string or list of strings at a path, otherwise nothing. */
export function valuesAt(claims: unknown, path: string): string[] {
  const steps = parseJsonPath(path);
  if (!Array.isArray(steps)) return [];
  let value = claims;
  for (const step of steps) {
    if (typeof value !== "object" || value === null) return [];
    const at = Array.isArray(value) && typeof step === "number" && step < 0 ? value.length + step : step;
    value = Object.hasOwn(value, at) ? (value as Record<string | number, unknown>)[at] : undefined;
  }
  const list = Array.isArray(value) ? value.slice(0, maxValues) : [value];
  return list.filter((one) => typeof one === "string");
}

/** Returns the highest role that matches, or the default. */
export function roleOf(
  { roles, otherwise }: Pick<SignInProvider, "roles" | "otherwise">,
  values: readonly string[],
): GrantedRole {
  const given = new Set(roles.filter(({ value }) => values.includes(value)).map(({ role }) => role));
  return grantedRoles.find((role) => role !== "none" && given.has(role)) ?? otherwise;
}
