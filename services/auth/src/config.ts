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
    /** Seals secrets of sign-in. The environment of a version before has none: then what needs it is refused. */
    SONDE_KEY_SIGNIN: env.keys().optional(),
    /** Start although no stored secret opens with this key; see kit's `refuseUnknownKey`. */
    SONDE_ABANDON_SECRETS: env.flag(false),
    /** Where providers send people back to, and what passkeys belong to. */
    PUBLIC_URL: env.publicUrl(),
    /** Ranges where no provider may be, beside link-local and metadata addresses. */
    PROBE_DENY_CIDRS: env.deniedCidrs(),
    /** Authorities of one's own, trusted beside the system's. */
    CA_FILE: env.caFile(),
    /** The first account must carry it, where it is set. */
    AUTH_SETUP_CODE: z.string().max(256).optional(),
    AUTH_REGISTRATION: z.enum(registrationModes, "must be open, approval or closed").optional(),
    /** Who must have a second factor beside a password. */
    AUTH_FACTOR: z.enum(factorPolicies, "must be off, admins or all").default("off"),
    /** Who may sign in by a password. */
    AUTH_PASSWORDS: z.enum(passwordPolicies, "must be on, admins or off").default("on"),
    /** A provider that people sign in with, which nothing changes; beside it those that administrators add. */
    OIDC_ISSUER: z.string().optional(),
    OIDC_CLIENT_ID: z.string().optional(),
    OIDC_CLIENT_SECRET: z.string().optional(),
    /** `basic` or `post`; by default as the provider says. */
    OIDC_TOKEN_AUTH: z.string().optional(),
    OIDC_NAME: z.string().optional(),
    OIDC_SCOPES: z.string().optional(),
    OIDC_ROLE_CLAIM: z.string().optional(),
    /** `group=role,group=role`, or JSON. */
    OIDC_ROLES: z.string().optional(),
    OIDC_OTHERWISE: z.string().optional(),
    /** How long entries of the audit are kept, by whole months. */
    RETENTION_AUDIT_DAYS: env.int(400, { min: 31, max: 3650 }),
    /** Where the gateway listens: on loopback anyone who reaches it may register. */
    HOST: z.string().optional(),
  })
  .transform(({ AUTH_REGISTRATION, ...rest }, ctx) => {
    const provider = providerOf(rest);
    const faults = provider !== null && "faults" in provider ? provider.faults : [];
    for (const { name, message } of faults) ctx.addIssue({ code: "custom", path: [name], message });
    return {
      ...rest,
      provider: provider !== null && "faults" in provider ? null : provider,
      AUTH_REGISTRATION: AUTH_REGISTRATION ?? defaultRegistration(rest.HOST),
    };
  });

export type Config = z.output<typeof schema>;

/** @throws ConfigError that names every fault */
export const readConfig = (environment: NodeJS.ProcessEnv = process.env): Config => read(schema, environment);

/** `open` while the gateway listens on loopback alone (its default), else `approval`. */
export function defaultRegistration(host: string | undefined): RegistrationMode {
  return host === undefined || isLoopback(host) ? "open" : "approval";
}

/** For the command that needs nothing else. @throws ConfigError */
export const readDatabaseUrl = (environment: NodeJS.ProcessEnv = process.env): string =>
  read(z.object({ DATABASE_URL: env.databaseUrl() }), environment).DATABASE_URL;
