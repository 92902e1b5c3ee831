import * as z from "zod";
import { instant, success } from "./envelope.ts";
import { parseJsonPath } from "./monitors/json-path.ts";
import { nameOf, textOf } from "./text.ts";
import { roles, user } from "./users.ts";

export const passwordPolicies = ["on", "admins", "off"] as const;
/**
 * Who can sign in with a password: everyone, administrators, or only the first administrator, so that one way in
 * remains.
 */
export type PasswordPolicy = (typeof passwordPolicies)[number];

/** Sign-in options for the login page. */
export const signInState = z.object({
  passwords: z.enum(passwordPolicies),
  providers: z.array(z.object({ slug: z.string(), name: z.string() })),
});
export type SignInState = z.infer<typeof signInState>;
/** Used until the actual state is known. */
export const plainSignIn: SignInState = { passwords: "on", providers: [] };

/** Slug of the provider set by environment variables. */
export const environmentSlug = "env";
/** Reserved paths below `/api/auth/oidc`. */
const reservedSlugs = [environmentSlug, "exchange"];
export const maxProviders = 50;
export const maxRoleRules = 100;
/** Roles a provider can grant; `none` denies access. */
export const grantedRoles = [...roles, "none"] as const;
export type GrantedRole = (typeof grantedRoles)[number];

export const providerSlug = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/,
    "Use 1 to 40 lowercase letters, digits and hyphens, without a hyphen at either end",
  );

const isLocal = (host: string) => /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(host);
const issuer = z
  .url("Enter an address such as https://id.example.com/realms/main")
  .max(500)
  .refine((text) => {
    if (!URL.canParse(text)) return false;
    const { protocol, hostname, search, hash, username, password } = new URL(text);
    const isSafe = protocol === "https:" || (protocol === "http:" && isLocal(hostname));
    return isSafe && search === "" && hash === "" && username === "" && password === "";
  }, "Enter an https address without a query; http is allowed only for this machine");

const roleClaim = z
  .string()
  .max(200)
  .refine((text) => Array.isArray(parseJsonPath(text)), "Enter a JSONPath such as $.groups")
  .meta({ description: "Path of the groups in the claims: a string or a list of strings.", examples: ["$.groups"] });

const scope = z
  .string()
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/, "A scope cannot contain spaces, quotes or backslashes");
const roleRule = z.strictObject({ value: textOf({ max: 200 }).min(1, "This field is required"), role: z.enum(roles) });

export const tokenAuths = ["basic", "post"] as const;
export type TokenAuth = (typeof tokenAuths)[number];

const fields = {
  name: nameOf(60).meta({ description: "Label of the button on the login page." }),
  issuer,
  clientId: textOf({ max: 200 }).min(1, "This field is required"),
  clientSecret: textOf({ max: 500 })
    .optional()
    .meta({ description: "Masked in responses. Absent or masked keeps the stored secret; empty removes it." }),
  tokenAuth: z.enum(tokenAuths, "Choose basic or post").optional().meta({
    description:
      "How the secret is sent to the token endpoint: in the Authorization header or in the body. If absent, the provider's metadata decides. The other way is tried once if the provider returns invalid_client.",
  }),
  scopes: z.array(scope).min(1).max(20).default(["openid", "profile", "email"]),
  roleClaim: roleClaim.default("$.groups"),
  roles: z
    .array(roleRule)
    .max(maxRoleRules)
    .default([])
    .meta({ description: "If several apply, the highest role wins." }),
  otherwise: z
    .enum(["viewer", "user", "none"])
    .default("none")
    .meta({ description: "Role of users without a matching value; `none` denies access." }),
  linkByMail: z
    .boolean()
    .default(false)
    .meta({ description: "Links a user to the existing account with the same verified address." }),
};

export const updateProviderInput = z.strictObject(fields);
export type UpdateProviderInput = z.infer<typeof updateProviderInput>;
export const createProviderInput = z.strictObject({
  slug: providerSlug.refine((slug) => !reservedSlugs.includes(slug), "This name is reserved"),
  ...fields,
});
export type CreateProviderInput = z.infer<typeof createProviderInput>;

export const signInProvider = z.object({
  slug: z.string(),
  name: z.string(),
  issuer: z.string(),
  clientId: z.string(),
  clientSecret: z.string().optional().meta({ description: "Masked; absent if there is none." }),
  tokenAuth: z.enum(tokenAuths).optional(),
  scopes: z.array(z.string()),
  roleClaim: z.string(),
  roles: z.array(z.object({ value: z.string(), role: z.enum(roles) })),
  otherwise: z.enum(["viewer", "user", "none"]),
  linkByMail: z.boolean(),
  isReadOnly: z
    .boolean()
    .meta({ description: "True if environment variables set the provider, so it cannot be changed here." }),
  redirectUri: z.string().meta({ description: "Redirect URI to allow at the provider." }),
  logoutUri: z.string().meta({ description: "Address for back-channel logout at the provider." }),
  updatedAt: instant.optional(),
});
export type SignInProvider = z.infer<typeof signInProvider>;
export const providersAnswer = success({ providers: z.array(signInProvider), passwords: z.enum(passwordPolicies) });
export const providerAnswer = success({ provider: signInProvider });

export const testProviderInput = z.strictObject({
  provider: updateProviderInput
    .optional()
    .meta({ description: "The input to test; absent tests the stored provider." }),
  claims: z.record(z.string(), z.unknown()).optional().meta({ description: "Sample claims to evaluate." }),
});
export type TestProviderInput = z.infer<typeof testProviderInput>;

const step = z.object({ isOk: z.boolean(), detail: z.string().optional() });
export const providerReport = z.object({
  discovery: step,
  keys: step,
  clock: step.extend({ differenceSeconds: z.number().optional() }),
  backchannelLogout: z
    .boolean()
    .meta({ description: "True if the provider's metadata states support for back-channel logout." }),
  role: z
    .object({ role: z.enum(grantedRoles), values: z.array(z.string()) })
    .optional()
    .meta({ description: "Values found at the path in the sample claims, and the resulting role." }),
});
export type ProviderReport = z.infer<typeof providerReport>;
export const providerReportAnswer = success({ report: providerReport });

/** A path in this app. Backslashes and control characters must not make it point to another site. */
export const nextPath = z
  .string()
  .max(2000)
  .regex(/^\/(?![/\\])[^\\\p{Cc}]*$/u, "Enter a path on this site");
export const startQuery = z.strictObject({ next: nextPath.optional() });

/** Why a sign-in with a provider failed; the login page has a text for each. */
export const signInErrors = [
  "denied",
  "expired",
  "provider-away",
  "provider-refused",
  "not-valid",
  "no-role",
  "pending",
  "disabled",
  "no-account",
  "too-many",
  "failed",
] as const;
export type SignInError = (typeof signInErrors)[number];

export const exchangeInput = z.strictObject({ code: z.string().min(20).max(100) });
export const exchangeAnswer = success({
  token: z.string(),
  user,
  next: z.string().optional().meta({ description: "Path passed when the sign-in started." }),
});
