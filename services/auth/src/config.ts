import { common, env, readConfig as read } from "@sonde/kit/service/config";
import { isLoopback } from "@sonde/kit/addresses";
import { type RegistrationMode, registrationModes } from "@sonde/proto/http/auth";
import { factorPolicies } from "@sonde/proto/http/factors";
import { passwordPolicies } from "@sonde/proto/http/sign-in";
import * as z from "zod";
import { providerOf } from "./oidc/environment.ts";

export const schema = z
  .object({
    ...common,
    DATABASE_URL: env.databaseUrl(),
    /** Optional because installations of earlier versions lack it; features that need it are then refused. */
    SONDE_KEY_SIGNIN: env.keys().optional(),
    /** Start even if this key opens no stored secret; see `refuseUnknownKey` in kit. */
    SONDE_ABANDON_SECRETS: env.flag(false),
    /** Base of the URLs that providers redirect to; passkeys are bound to it. */
    PUBLIC_URL: env.publicUrl(),
    /** Ranges in which providers are refused, in addition to link-local and metadata addresses. */
    PROBE_DENY_CIDRS: env.deniedCidrs(),
    CA_FILE: env.caFile(),
    AUTH_SETUP_CODE: z.string().max(256).optional(),
    AUTH_REGISTRATION: z.enum(registrationModes, "must be open, approval or closed").optional(),
    AUTH_FACTOR: z.enum(factorPolicies, "must be off, admins or all").default("off"),
    AUTH_PASSWORDS: z.enum(passwordPolicies, "must be on, admins or off").default("on"),
    /** An identity provider that only the environment can change. Administrators can add others. */
    OIDC_ISSUER: z.string().optional(),
    OIDC_CLIENT_ID: z.string().optional(),
    OIDC_CLIENT_SECRET: z.string().optional(),
    /** `basic` or `post`; follows the provider's metadata by default. */
    OIDC_TOKEN_AUTH: z.string().optional(),
    OIDC_NAME: z.string().optional(),
    OIDC_SCOPES: z.string().optional(),
    OIDC_ROLE_CLAIM: z.string().optional(),
    /** `group=role,group=role`, or JSON. */
    OIDC_ROLES: z.string().optional(),
    OIDC_OTHERWISE: z.string().optional(),
    /** Retention of audit entries, rounded up to whole months. */
    RETENTION_AUDIT_DAYS: env.int(400, { min: 31, max: 3650 }),
    /** The gateway's listen address: on loopback, registration is open by default. */
    HOST: z.string().optional(),
  })
  .transform(({ AUTH_REGISTRATION, ...rest }, ctx) => {
    const provider = providerOf(rest);
    const problems = provider !== null && "problems" in provider ? provider.problems : [];
    for (const { name, message } of problems) ctx.addIssue({ code: "custom", path: [name], message });
    return {
      ...rest,
      provider: provider !== null && "problems" in provider ? null : provider,
      AUTH_REGISTRATION: AUTH_REGISTRATION ?? defaultRegistration(rest.HOST),
    };
  });

export type Config = z.output<typeof schema>;

/** @throws ConfigError listing every problem */
export const readConfig = (environment: NodeJS.ProcessEnv = process.env): Config => read(schema, environment);

export function defaultRegistration(host: string | undefined): RegistrationMode {
  return host === undefined || isLoopback(host) ? "open" : "approval";
}

/** @throws ConfigError */
export const readDatabaseUrl = (environment: NodeJS.ProcessEnv = process.env): string =>
  read(z.object({ DATABASE_URL: env.databaseUrl() }), environment).DATABASE_URL;
