import { common, env, readConfig as read } from "@sonde/kit/service/config";
import { isLoopback } from "@sonde/kit/addresses";
import { type RegistrationMode, registrationModes } from "@sonde/proto/http/auth";
import { factorPolicies } from "@sonde/proto/http/factors";
import { z } from "zod";

export const schema = z
  .object({
    ...common,
    DATABASE_URL: env.databaseUrl(),
    /** Seals secrets of sign-in. The environment of a version before has none: then what needs it is refused. */
    SONDE_KEY_SIGNIN: env.keys().optional(),
    /** Where providers send people back to, and what passkeys belong to. */
    PUBLIC_URL: env.httpUrl().optional(),
    /** Ranges where no provider may be, beside link-local and metadata addresses. */
    PROBE_DENY_CIDRS: env.deniedCidrs(),
    /** Authorities of one's own, trusted beside the system's. */
    CA_FILE: env.caFile(),
    /** The first account must carry it, where it is set. */
    AUTH_SETUP_CODE: z.string().max(256).optional(),
    AUTH_REGISTRATION: z.enum(registrationModes, "must be open, approval or closed").optional(),
    /** Who must have a second factor beside a password. */
    AUTH_FACTOR: z.enum(factorPolicies, "must be off, admins or all").default("off"),
    /** How long entries of the audit are kept, by whole months. */
    RETENTION_AUDIT_DAYS: env.int(400, { min: 31, max: 3650 }),
    /** Where the gateway listens: on loopback anyone who reaches it may register. */
    HOST: z.string().optional(),
  })
  .transform(({ AUTH_REGISTRATION, ...rest }) => ({
    ...rest,
    AUTH_REGISTRATION: AUTH_REGISTRATION ?? defaultRegistration(rest.HOST),
  }));

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
