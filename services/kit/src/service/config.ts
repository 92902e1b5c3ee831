import * as z from "zod";
import { isKeyList } from "../secret-keys.ts";
import { isLoopback, loopbackRanges, parseCidr } from "../addresses.ts";
import { readAuthorities } from "./authorities.ts";
import { ConfigError } from "./config-error.ts";

export { ConfigError };

/** Empty variables count as missing. @throws ConfigError with every invalid variable */
export function readConfig<Schema extends z.ZodType>(schema: Schema, environment: NodeJS.ProcessEnv): z.output<Schema> {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const parsed = schema.safeParse(present, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join(".") || "environment"}: ${issue.message}`);
  throw new ConfigError(faults);
}

/** For issues whose schema has no message. */
function describeIssue(issue: z.core.$ZodRawIssue): string {
  const unit = issue.code === "too_small" || issue.code === "too_big" ? unitOf(issue.origin) : "";
  if (issue.code === "too_small") return `must be at least ${issue.minimum}${unit}`;
  if (issue.code === "too_big") return `must be at most ${issue.maximum}${unit}`;
  if (issue.code === "invalid_value") return `must be ${alternatives().format(issue.values.map(String))}`;
  if (issue.code === "invalid_type") return issue.input === undefined ? "is missing" : `must be a ${issue.expected}`;
  return "is not valid";
}

/** Lazy: the first use of ICU takes 1 MiB. */
const alternatives = () => new Intl.ListFormat("en", { type: "disjunction" });
const unitOf = (origin: string) => (origin === "string" ? " characters long" : "");

export function variablesOf(schema: z.ZodObject | z.ZodPipe): string[] {
  if (schema instanceof z.ZodPipe) return schema.in instanceof z.ZodObject ? variablesOf(schema.in) : [];
  return Object.keys(schema.shape);
}

const canBeParsed = (urls: string) => urls.split(",").every((url) => URL.canParse(url));

/** Paths of Sonde itself: behind a proxy that strips the prefix, both would look the same. */
const ownPaths = new Set(
  "api mcp agent ping downloads assets docs status install dashboard monitors agents incidents settings login".split(
    " ",
  ),
);

function isPublicUrl(text: string): boolean {
  if (!URL.canParse(text)) return true; // Reported as another error.
  const { pathname, username, password } = new URL(text);
  const isPlain = /^(?:\/[\w.~-]+)*\/*$/.test(pathname) && !/[?#%\s]/.test(text);
  return isPlain && username + password === "" && !ownPaths.has(pathname.split("/")[1]!.toLowerCase());
}

const areCidrs = (list: readonly string[]) => list.every((entry) => parseCidr(entry) !== undefined);
const toCidrs = (list: readonly string[]) => list.map((entry) => parseCidr(entry)!);
const split = (text: string) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** Without its own message, a bound would show that of its schema. */
const within = <Schema extends z.ZodCoercedNumber>(schema: Schema, { min, max }: { min: number; max: number }) =>
  schema.min(min, `must be at least ${min}`).max(max, `must be at most ${max}`);

export const env = {
  port: (fallback: number, { min = 0 } = {}) =>
    within(z.coerce.number("must be a port").int("must be a port"), { min, max: 65_535 }).default(fallback),
  int: (fallback: number, { min = 0, max = Number.MAX_SAFE_INTEGER } = {}) =>
    within(z.coerce.number("must be a number").int("must be a whole number"), { min, max }).default(fallback),
  number: (fallback: number, { min = 0, max = Number.MAX_SAFE_INTEGER } = {}) =>
    within(z.coerce.number("must be a number"), { min, max }).default(fallback),
  flag: (fallback: boolean) =>
    z
      .enum(["0", "1", "true", "false"], "must be 1 or 0")
      .transform((value) => value === "1" || value === "true")
      .default(fallback),
  list: () => z.string().default("").transform(split),
  cidrs: () =>
    z
      .string()
      .default("")
      .transform(split)
      .refine(areCidrs, { error: "must be a comma-separated list of addresses and CIDRs", abort: true })
      .transform(toCidrs),
  /** See `denied` for the default. */
  deniedCidrs: () =>
    z
      .string()
      .optional()
      .transform((text) => (text === undefined ? undefined : text.trim() === "none" ? [] : split(text)))
      .refine(
        (list) => list === undefined || areCidrs(list),
        "must be none, or a comma-separated list of addresses and CIDRs",
      ),
  httpUrl: () => z.url({ protocol: /^https?$/, error: "must be an http or https address" }),
  /** May have a path, if a proxy serves Sonde below one. */
  publicUrl: () =>
    env
      .httpUrl()
      .refine(
        (text) => isPublicUrl(text),
        "must be an address such as https://sonde.example.com or https://example.com/uptime, without query and user, and the first part of its path must not be one of Sonde's own",
      )
      .optional(),
  /** Part of bus subjects and user names. */
  location: () =>
    z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,63}$/, "must be 1 to 63 letters, digits, - or _")
      .default("default"),
  natsUrl: () =>
    z
      .string()
      .regex(/^(nats|tls|ws|wss):\/\/\S+$/, "must be an address such as nats://127.0.0.1:4222")
      .refine(canBeParsed, "must be an address such as nats://127.0.0.1:4222")
      .default("nats://127.0.0.1:4222"),
  databaseUrl: () =>
    z
      .string("must be an address such as postgres://user:password@host/db")
      .regex(/^postgres(ql)?:\/\/\S+$/, "must begin with postgres://")
      .refine(canBeParsed, "must be an address such as postgres://user:password@host/db"),
  /** Several, comma-separated, during a key change. */
  secretKey: () =>
    z
      .string("must be 32 bytes in base64 (openssl rand -base64 32)")
      .refine(isKeyList, "must be 32 bytes in base64 (openssl rand -base64 32)"),
  caFile: () =>
    z
      .string()
      .transform((path, ctx) => {
        try {
          return readAuthorities(path);
        } catch (error) {
          ctx.addIssue(error instanceof Error ? error.message : String(error));
          return z.NEVER;
        }
      })
      .optional(),
  keys: () =>
    z
      .string("is missing (`npm run keys` prints it)")
      .refine(isKeyList, "must be keys of 32 bytes in base64 (`npm run keys` prints them)"),
  logLevel: () => z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
} as const;

/**
 * Loopback is allowed while the gateway itself listens on it (`HOST`), since all users are on this machine. Otherwise
 * remote users could probe local services.
 */
export function denied({
  HOST,
  PROBE_DENY_CIDRS,
}: {
  HOST?: string | undefined;
  PROBE_DENY_CIDRS?: string[] | undefined;
}) {
  return PROBE_DENY_CIDRS ?? (HOST === undefined || isLoopback(HOST) ? [] : [...loopbackRanges]);
}

/** `SONDE_LOCAL` is set by `npm start`. */
export const common = {
  NATS_URL: env.natsUrl(),
  /** More than one needs a cluster of nats-servers. */
  NATS_STREAM_REPLICAS: env.int(1, { min: 1, max: 5 }),
  OPS_PORT: env.port(0),
  LOG_LEVEL: env.logLevel(),
  /** Read by `telemetry/spans.ts`, validated here to be reported with the other errors. */
  OTEL_EXPORTER_OTLP_ENDPOINT: env.httpUrl().optional(),
  SONDE_LOCAL: env.flag(false),
} as const;

export type CommonConfig = z.output<z.ZodObject<typeof common>>;
