import { environmentSlug, updateProviderInput } from "@sonde/proto/http/sign-in";
import type { OpenProvider } from "./store.ts";

export type ProviderVariables = {
  OIDC_ISSUER?: string | undefined;
  OIDC_CLIENT_ID?: string | undefined;
  OIDC_CLIENT_SECRET?: string | undefined;
  OIDC_NAME?: string | undefined;
  OIDC_TOKEN_AUTH?: string | undefined;
  OIDC_SCOPES?: string | undefined;
  OIDC_ROLE_CLAIM?: string | undefined;
  OIDC_ROLES?: string | undefined;
  OIDC_OTHERWISE?: string | undefined;
};

const variableOf: Record<string, keyof ProviderVariables> = {
  issuer: "OIDC_ISSUER",
  clientId: "OIDC_CLIENT_ID",
  clientSecret: "OIDC_CLIENT_SECRET",
  tokenAuth: "OIDC_TOKEN_AUTH",
  name: "OIDC_NAME",
  scopes: "OIDC_SCOPES",
  roleClaim: "OIDC_ROLE_CLAIM",
  roles: "OIDC_ROLES",
  otherwise: "OIDC_OTHERWISE",
};

/** Returns `null` without a provider, or the problem of each invalid variable. */
export function providerOf(
  given: ProviderVariables,
): OpenProvider | null | { problems: { name: string; message: string }[] } {
  const { OIDC_ISSUER, OIDC_CLIENT_ID } = given;
  if (OIDC_ISSUER === undefined && OIDC_CLIENT_ID === undefined) return null;
  const { data, error } = updateProviderInput.safeParse({
    name: given.OIDC_NAME ?? "SSO",
    issuer: OIDC_ISSUER ?? "",
    clientId: OIDC_CLIENT_ID ?? "",
    clientSecret: given.OIDC_CLIENT_SECRET,
    tokenAuth: given.OIDC_TOKEN_AUTH,
    scopes: given.OIDC_SCOPES?.split(/[\s,]+/).filter((scope) => scope !== ""),
    roleClaim: given.OIDC_ROLE_CLAIM,
    roles: given.OIDC_ROLES === undefined ? undefined : readRoles(given.OIDC_ROLES),
    otherwise: given.OIDC_OTHERWISE,
  });
  if (error !== undefined) {
    const problems = error.issues.map(({ path: [field], message }) => ({
      name: variableOf[String(field)] ?? "OIDC_ISSUER",
      message,
    }));
    return { problems };
  }
  return {
    ...data,
    slug: environmentSlug,
    secret: data.clientSecret ?? null,
    tokenAuth: data.tokenAuth ?? null,
    updatedAtMs: null,
  };
}

/** Reads JSON (a list of rules, or an object of value to role) or `group=role,group=role`. */
function readRoles(text: string): unknown {
  if (/^\s*[[{]/.test(text)) {
    try {
      const read = JSON.parse(text) as unknown;
      return Array.isArray(read) ? read : Object.entries(read as object).map(([value, role]) => ({ value, role }));
    } catch {
      return text;
    }
  }
  return text.split(",").map((pair) => {
    // Group names may contain "=": split at the last one.
    const at = pair.lastIndexOf("=");
    return { value: pair.slice(0, Math.max(0, at)).trim(), role: pair.slice(at + 1).trim() };
  });
}
