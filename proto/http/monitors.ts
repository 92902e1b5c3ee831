import { z } from "zod";
import { assertion } from "./assertions.ts";
import { checkResult } from "./checks.ts";
import { id, instant, listQuery, pathId, success } from "./envelope.ts";
import { parseExpectedStatus } from "./expected-status.ts";
import { nameOf, textOf, trimmedLine } from "./text.ts";

export const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
export type Method = (typeof methods)[number];
export const monitorStatuses = ["pending", "up", "down", "paused"] as const;
/** What a list may be narrowed to. */
export const monitorFilters = [...monitorStatuses, "stale"] as const;
export type MonitorFilter = (typeof monitorFilters)[number];
export type MonitorStatus = (typeof monitorStatuses)[number];

/** What a secret header's value answers as; sent back, it keeps the stored value. */
export const secretMask = "••••••";

const secretHeader =
  /^(?:(?:proxy-)?authorization|authentication|(?:set-)?cookie|token|apikey|.*-(?:key|apikey|token|secret|password|auth|jwt|signature))$/i;

/** Whether the name of a header, in whatever case, says that its value is a secret: of a request and of an answer. */
export function isSecretHeader(name: string): boolean {
  return secretHeader.test(name);
}

/** The default timeout in seconds: the lesser of 10 and 80 % of the interval. */
export function defaultTimeoutSeconds(intervalMinutes: number): number {
  return Math.min(10, Math.round(intervalMinutes * 60 * 0.8 * 1000) / 1000);
}

const maxIntervalMinutes = 7 * 24 * 60;
// The probe writes these from the URL and the body; a second value would make a request that no server reads alike.
const probeHeaders = new Set([
  "content-length",
  "transfer-encoding",
  "connection",
  "upgrade",
  "te",
  "trailer",
  "expect",
]);

/** A header by RFC 9110: a token, and a value of visible characters, spaces and tabs. */
export const header = z.strictObject({
  name: z
    .string()
    .max(200)
    .regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, "This is not a valid header name")
    .refine((name) => !probeHeaders.has(name.toLowerCase()), "This header is set by the probe itself"),
  value: z
    .string()
    .max(8000)
    .refine(
      (value) => value === secretMask || /^(?:[\t\x20-\x7e\x80-\xff]*)$/.test(value),
      "This is not a valid header value",
    )
    .meta({
      pattern: String.raw`^[\t\x20-\x7e\x80-\xff]*$`,
      description: `A secret answers as ${secretMask}; sent back, that keeps what is stored.`,
    })
    .transform((value) => value.trim()),
});
export type Header = z.infer<typeof header>;

const urlPattern = String.raw`^[Hh][Tt][Tt][Pp][Ss]?://[^\u0000-\u001f\u007f-\u009f]*$`;
export const monitorUrl = trimmedLine()
  .min(1, "URL is required")
  .max(2048, "The address is too long (at most {max} characters)")
  .superRefine((text, ctx) => {
    if (text === "") return;
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || !/^https?:$/.test(url.protocol) || !/^https?:\/\//i.test(text) || url.hostname === "") {
      ctx.addIssue({ code: "custom", message: "Please enter a full http or https address" });
    } else if (url.username !== "" || url.password !== "") {
      ctx.addIssue({ code: "custom", message: "The address may not hold a user name or password" });
    }
  })
  .meta({ format: "uri", pattern: urlPattern, description: "http or https, without user name and password." });

const expectedStatusMessage = "Give a status code, a class or a range, such as 200, 2xx or 200-204,301";
const statusText = z
  .string()
  .trim()
  .max(200)
  .meta({ pattern: String.raw`^\s*[1-5](xx|\d\d(\s*-\s*[1-5]\d\d)?)(\s*,\s*[1-5](xx|\d\d(\s*-\s*[1-5]\d\d)?))*\s*$` });
export const expectedStatus = z
  .union([z.int(expectedStatusMessage).meta({ minimum: 100, maximum: 599 }), statusText], expectedStatusMessage)
  .refine((value) => parseExpectedStatus(value) !== null, expectedStatusMessage)
  .meta({ description: "A status code, a class or a range: 200, 2xx, 200-204,301." });

const tagLength = "A tag has 1 to {max} characters";
export const tag = nameOf(40, tagLength, tagLength);
export const location = z.string().min(1).max(63);

/** Minutes; fractions where `MONITOR_MIN_INTERVAL_SECONDS` allows less than one: `monitors` knows the least. */
export const interval = z
  .number()
  .positive()
  .max(maxIntervalMinutes, "The interval is at most {max} min")
  .meta({ description: "Minutes." });

const fields = {
  name: nameOf(100, "Name is required", "The name has at most {max} characters"),
  url: monitorUrl,
  method: z.enum(methods),
  interval,
  /** Seconds. */
  timeout: z
    .number()
    .min(0.1, "The timeout is at least {min} seconds")
    .max(300, "The timeout is at most {max} seconds")
    .meta({
      description: "Seconds, shorter than the interval; by default the lesser of 10 and 80 % of the interval.",
    }),
  expectedStatus,
  headers: z.array(header).max(50, "At most {max} headers"),
  body: textOf({ max: 262_144 }, { max: "The text is too long (at most {max} characters)" })
    .nullish()
    .transform((body) => body ?? undefined),
  followRedirects: z.boolean(),
  verifyTls: z.boolean(),
  retries: z
    .int("Retries are a whole number from 0 to {max}")
    .min(0, "Retries are a whole number from 0 to {max}")
    .max(10, "Retries are a whole number from 0 to {max}"),
  assertions: z.array(assertion).max(20, "At most {max} assertions"),
  tags: z
    .array(tag)
    .max(20, "At most {max} tags")
    .transform((tags) => [...new Set(tags)]),
  locations: z
    .array(location)
    .min(1, "At least one location")
    .max(20)
    .transform((locations) => [...new Set(locations)]),
  paused: z.boolean(),
};

/** A partial input: only what is present changes. Rules across fields are checked on the whole by `monitors`. */
export const monitorPatch = z.strictObject(fields).partial();
export type MonitorPatch = z.infer<typeof monitorPatch>;

/** A whole input with its defaults; the default of `timeout` depends on the interval. */
export const monitorInput = z
  .strictObject({
    ...fields,
    method: fields.method.default("GET"),
    interval: fields.interval.default(1),
    timeout: fields.timeout.optional(),
    expectedStatus: expectedStatus.default(200),
    headers: fields.headers.default([]),
    followRedirects: fields.followRedirects.default(true),
    verifyTls: fields.verifyTls.default(true),
    retries: fields.retries.default(1),
    assertions: fields.assertions.default([]),
    tags: fields.tags.default([]),
    locations: fields.locations.optional(),
    paused: fields.paused.default(false),
  })
  .transform((input) => ({ ...input, timeout: input.timeout ?? defaultTimeoutSeconds(input.interval) }))
  .superRefine(({ interval, timeout }, ctx) => {
    if (timeout >= interval * 60) {
      ctx.addIssue({ code: "custom", path: ["timeout"], message: "The timeout must be shorter than the interval" });
    }
  });
/** What a client sends. */
export type MonitorInputDraft = z.input<typeof monitorInput>;
/** What a verb receives. */
export type MonitorInput = z.output<typeof monitorInput>;

export const monitor = z.object({
  id,
  name: z.string(),
  url: z.string(),
  method: z.enum(methods),
  interval: z.number(),
  timeout: z.number(),
  expectedStatus: z.union([z.int(), z.string()]),
  headers: z.array(z.object({ name: z.string(), value: z.string() })),
  body: z.string().optional(),
  followRedirects: z.boolean(),
  verifyTls: z.boolean(),
  retries: z.int(),
  assertions: z.array(assertion),
  tags: z.array(z.string()),
  locations: z.array(z.string()),
  paused: z.boolean(),
  status: z.enum(monitorStatuses),
  /** Milliseconds of the last check; null before the first. */
  responseTime: z.number().nullable(),
  /** Percent; null without data. */
  uptime: z.object({ h24: z.number().nullable(), d30: z.number().nullable() }),
  lastCheckedAt: instant.nullable(),
  /** Null while paused. */
  nextCheckAt: instant.nullable(),
  statusSince: instant,
  /** Three slots were missed: what `status` says is old, and the screen shows no data. */
  stale: z.boolean(),
  /** Ten changes of state within an hour: its incident stays open until ten minutes passed without one. */
  flapping: z.boolean(),
  certificateExpiresAt: instant.optional(),
  /** Why the last check failed. */
  lastError: z.string().optional(),
  createdAt: instant,
  updatedAt: instant,
});
export type Monitor = z.infer<typeof monitor>;

export const monitorsQuery = z.strictObject({
  ...listQuery(["name", "createdAt", "status", "url", "statusSince"]),
  status: z
    .enum(monitorFilters)
    .optional()
    .meta({ description: "`stale` lists those that missed three slots; they are listed under no other state." }),
  tag: z.string().max(40).optional(),
  compact: z.enum(["true", "false"]).optional().meta({
    description: "`true` leaves out `body`, and leaves `headers` and `assertions` empty: a page that is always small.",
  }),
});

export const bulkActions = ["pause", "resume", "delete"] as const;
export const bulkInput = z.strictObject({
  ids: z.array(id).min(1).max(1000, "At most {max} monitors at once"),
  action: z.enum(bulkActions),
});

/** Testing an edit: a masked header value stands for the one that this monitor has stored. */
export const testQuery = z.strictObject({ monitorId: pathId.optional() });

/** What nobody can tell just now: `uptime` is null then, though there may be some. */
const unavailable = z.array(z.enum(["uptime"])).optional();
export const monitorAnswer = success({ monitor, unavailable });
export const monitorsAnswer = success({ monitors: z.array(monitor), total: z.int(), unavailable });
export const bulkAnswer = success({
  done: z.array(id),
  failed: z.array(z.object({ id, message: z.string() })),
});
export const checkNowAnswer = success({ result: checkResult, monitor, unavailable });

/** Where probe runners are. One with `runners` 0 is named by `monitors` active monitors that nobody checks there. */
export const locationsAnswer = success({
  locations: z.array(z.object({ name: z.string(), runners: z.int(), monitors: z.int() })),
});
