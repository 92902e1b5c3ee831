import type { SignInProvider, TokenAuth } from "@sonde/proto/http/sign-in";
import { secretMask } from "@sonde/proto/http/secrets";

export type ProviderValues = {
  slug: string;
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Empty: use the provider's metadata. */
  tokenAuth: TokenAuth | "";
  scopes: string;
  roleClaim: string;
  /** One rule per line: `group = role`. */
  roles: string;
  otherwise: SignInProvider["otherwise"];
  linkByMail: boolean;
};

export const emptyValues: ProviderValues = {
  slug: "",
  name: "",
  issuer: "",
  clientId: "",
  clientSecret: "",
  tokenAuth: "",
  scopes: "openid profile email",
  roleClaim: "$.groups",
  roles: "",
  otherwise: "none",
  linkByMail: false,
};

export const toValues = ({ clientSecret, tokenAuth, scopes, roles, ...provider }: SignInProvider): ProviderValues => ({
  ...provider,
  clientSecret: clientSecret ?? "",
  tokenAuth: tokenAuth ?? "",
  scopes: scopes.join(" "),
  roles: roles.map(({ value, role }) => `${value} = ${role}`).join("\n"),
});

/** Converts form values to the request. Invalid rules are rejected by the schema. */
export function readInput(values: ProviderValues) {
  const { name, issuer, clientId, clientSecret, tokenAuth, scopes, roleClaim, roles, otherwise, linkByMail } = values;
  return {
    name,
    issuer: issuer.trim(),
    clientId: clientId.trim(),
    clientSecret: clientSecret === secretMask ? secretMask : clientSecret.trim(),
    ...(tokenAuth !== "" && { tokenAuth }),
    scopes: scopes.split(/[\s,]+/).filter((scope) => scope !== ""),
    roleClaim: roleClaim.trim(),
    roles: roles
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map(readRule),
    otherwise,
    linkByMail,
  };
}

/** A group name may contain `=`, so the last one separates. */
function readRule(line: string): { value: string; role: "admin" | "user" | "viewer" } {
  const at = line.lastIndexOf("=");
  const role = line.slice(at + 1).trim();
  return { value: line.slice(0, Math.max(0, at)).trim(), role: role as "admin" };
}
