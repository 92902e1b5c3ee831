import * as z from "zod";
import { answerFields, clearableFields, distinctSchemas, partialFields } from "./checks/kind.ts";
import { checkResult } from "./checks.ts";
import { managedBy } from "../config/managed.ts";
import { id, instant, pathId, success } from "../envelope.ts";
import {
  type CheckDraft,
  type CheckOf,
  checkTypes,
  type CheckType,
  faultsOfTime,
  isPassive,
  kindOf,
  type PassiveType,
  passiveTypes,
  withoutUndefined,
  probedTypes,
  refuseTogether,
  unionOfKinds,
} from "./kinds.ts";
import type { HeartbeatFacts } from "./pings.ts";
import { tags } from "../tags.ts";
import { wholeNumber } from "../numbers.ts";
import { dependsOn } from "./targets.ts";
import { nameOf, textOf } from "../text.ts";

export const monitorStatuses = ["pending", "up", "down", "paused"] as const;
/** What a list may be narrowed to. */
export const monitorFilters = [...monitorStatuses, "stale", "active", "expiring"] as const;
export type MonitorFilter = (typeof monitorFilters)[number];
export type MonitorStatus = (typeof monitorStatuses)[number];

/** The default timeout in seconds: the lesser of 10 and 80 % of the interval. */
export function defaultTimeoutSeconds(intervalMinutes: number): number {
  return Math.min(10, Math.round(intervalMinutes * 60 * 0.8 * 1000) / 1000);
}

/** As long as the longest text of a kind. */
const maxTextLength = 262_144;
const maxIntervalMinutes = 7 * 24 * 60;
export const location = z.string().min(1).max(63);

/** Minutes; fractions where `MONITOR_MIN_INTERVAL_SECONDS` allows less than one: `monitors` knows the least. */
export const interval = z
  .number()
  .positive()
  .max(maxIntervalMinutes, "The interval must be at most {max} min")
  .meta({ description: "Minutes." });

export const timeout = z
  .number()
  .min(0.1, "The timeout must be at least {min} seconds")
  .max(300, "The timeout must be at most {max} seconds")
  .meta({ description: "Seconds, shorter than the interval. Default: 10, or 80 % of the interval if that is less." });

export const monitorName = nameOf(100);

const maxOpinions = 5;
/** Who looks before a failure is believed: `need` of these locations must see it too. */
export const confirm = z
  .strictObject({
    locations: z
      .array(location)
      .min(1, "Choose at least one location")
      .max(mostOpinions)
      .overwrite((locations) => [...new Set(locations)]),
    need: z.int().min(1).max(maxOpinions).default(1),
  })
  .refine(({ locations, need }) => need <= locations.length, {
    path: ["need"],
    message: "This cannot exceed the number of locations",
  });
export type Confirm = z.output<typeof confirm>;
const shownConfirm = z.object({ locations: z.array(z.string()), need: z.int() });

/** The settings that all kinds of monitors share. */
const shared = {
  name: monitorName,
  /** What it is, in plain text: shown below the name. */
  description: textOf({ max: 500 }).default(""),
  interval: interval.default(1),
  timeout: timeout.optional(),
  retries: wholeNumber(0, 10, "Enter a whole number of retries from 0 to {max}").default(1),
  tags: tags.default([]),
  locations: z
    .array(location)
    .min(1, "Choose at least one location")
    .max(20)
    .overwrite((locations) => [...new Set(locations)])
    .optional(),
  confirm: confirm
    .nullable()
    .meta({
      description:
        "Second opinion: a failure counts only if `need` of these other locations, checked immediately, confirm it. Null or absent uses the setting for all monitors.",
    })
    .optional(),
  paused: z.boolean().default(false),
  dependsOn: dependsOn.default([]),
  /** A runbook, or other help for recipients of alerts; markdown. */
  note: textOf({ max: 4000 }).default(""),
  keepBody: z.boolean().default(true).meta({
    description:
      "Stores the first 2 KiB of the response of failed checks, visible to users who may write. Turning it off deletes stored ones.",
  }),
};
/** The same, for documents. */
export const sharedFields: z.ZodRawShape & typeof shared = shared;
export type SharedFields = z.output<z.ZodObject<typeof shared>>;
/** What each has where nothing else is given. */
export const sharedDefaults = z.object(shared).omit({ name: true }).parse({});
/** The same of a kind. */
export const sharedDefaultsOf = (type: CheckType): typeof sharedDefaults => ({
  ...sharedDefaults,
  interval: kindOf(type).interval.usual,
});
/** The fields for a kind, whose interval may be one of its own. */
function sharedOf(type: CheckType): z.ZodRawShape {
  const { min, usual } = kindOf(type).interval;
  if (min === undefined) return sharedBy(type, shared);
  return sharedBy(type, {
    ...shared,
    interval: interval.min(least, "The interval must be at least {min} min").default(usual),
  });
}

/** Those of what a runner checks: a kind that is passive has none of them. */
export const probedFields = ["interval", "timeout", "retries", "locations", "confirm", "keepBody", "invert"] as const;
type ProbedField = (typeof probedFields)[number];
type Without<Fields, Names extends string> = Omit<Fields, Names> & { [Name in Names]?: never };

export const isProbedField = (name: string): name is ProbedField => probedFields.some((field) => field === name);
const withoutProbed = <Shape extends object>(fields: Shape): Omit<Shape, ProbedField> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !isProbedField(name))) as Omit<Shape, ProbedField>;
/** Of fields that all kinds share those that monitors of a kind have. */
export const sharedBy = (type: CheckType, fields: z.ZodRawShape): z.ZodRawShape =>
  isPassive(type) ? withoutProbed(fields) : fields;

/** What a client sends. */
export type MonitorInputDraft = z.input<z.ZodObject<typeof shared>> & CheckDraft;
/** What a verb receives: a whole input with its defaults. */
export type MonitorInput = {
  [Type in CheckType]: CheckOf<Type> &
    (Type extends PassiveType ? Without<SharedFields, ProbedField> : SharedFields & { timeout: number });
}[CheckType];

/** A whole input, by kind; the default of `timeout` depends on the interval. */
export const monitorInput = unionOfKinds(({ type, fields }) => ({
  ...sharedOf(type),
  ...clearableFields(fields),
}))
  .superRefine(refuseTogether)
  .transform((given) => {
    const input = { type: "http", ...withoutUndefined(given) } as MonitorInput;
    if (isPassive(input.type)) return input;
    const { interval, timeout } = input as { interval: number; timeout?: number };
    return { ...input, timeout: timeout ?? defaultTimeoutSeconds(interval) } as MonitorInput;
  })
  .superRefine((input, ctx) => {
    const { interval, timeout } = input;
    for (const { path, ...fault } of faultsOfTime(input, (timeout ?? Infinity) * 1000)) {
      ctx.addIssue({ code: "custom", path: [path], ...fault });
    }
    if (interval !== undefined && timeout !== undefined && timeout >= interval * 60) {
      ctx.addIssue({ code: "custom", path: ["timeout"], message: "The timeout must be shorter than the interval" });
    }
  }) as unknown as z.ZodType<MonitorInput, MonitorInputDraft>;

/** The fields of all kinds, each optional; `monitors` knows which the monitor has. */
function fieldsOfAllKinds(): z.ZodRawShape {
  const shapes = checkTypes.map((type) => kindOf(type).fields);
  const names = new Set(shapes.flatMap((shape) => Object.keys(shape)));
  return Object.fromEntries(
    [...names].map((name) => [name, fieldOfAllKinds(shapes.flatMap((shape) => shape[name] ?? []))]),
  );
}

/** One schema for a field that several kinds have: with a union, errors would not name the fault of a value. */
function fieldOfAllKinds(schemas: readonly z.core.$ZodType[]): z.core.$ZodType {
  const partial = oneText(distinctSchemas(schemas)).flatMap((field) =>
    Object.values(partialFields(clearableFields({ field }))),
  );
  const [only, ...others] = partial as [z.core.$ZodType, ...z.core.$ZodType[]];
  return others.length === 0 ? only : z.union([only, ...others]);
}

/** Of several texts any: the kind of the monitor decides which is meant, and the whole is judged by that one. */
function oneText(schemas: z.core.$ZodType[]): z.core.$ZodType[] {
  const [texts, others] = [schemas.filter(isText), schemas.filter((schema) => !isText(schema))];
  return texts.length < 2 ? schemas : [texts.some(isOptional) ? anyText.optional() : anyText, ...others];
}
const anyText = z.string().max(maxTextLength);
const isOptional = (schema: z.core.$ZodType) => schema instanceof z.ZodOptional;
const isText = (schema: z.core.$ZodType): boolean =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
    ? isText(schema.unwrap())
    : schema instanceof z.ZodString;

/** A partial input: only what is present changes, null clears. Rules across fields are checked on the whole by `monitors`. */
export const monitorPatch = z.strictObject({
  type: z.enum(checkTypes).optional().meta({ description: "Type of the monitor; it cannot be changed." }),
  ...partialFields(shared),
  ...fieldsOfAllKinds(),
}) as unknown as z.ZodType<MonitorPatch, MonitorPatch>;
export type MonitorPatch = Partial<SharedFields> & { type?: CheckType; [field: string]: unknown };

/** Splits an input, whole or partial, into what every monitor has and what its kind has. */
export function splitInput<Input extends object>(
  input: Input,
): { shared: Pick<Input, keyof Input & keyof SharedFields>; check: Record<string, unknown> } {
  const entries = Object.entries(input);
  const isShared = ([name]: [string, unknown]) => name in shared;
  return {
    shared: Object.fromEntries(entries.filter(isShared)) as Pick<Input, keyof Input & keyof SharedFields>,
    check: Object.fromEntries(entries.filter((entry) => !isShared(entry))),
  };
}

/** What a check may change of a monitor. */
export const monitorState = {
  status: z.enum(monitorStatuses),
  /** Milliseconds of the last check; null before the first. */
  responseTime: z.number().nullable(),
  lastCheckedAt: instant.nullable(),
  /** Null while paused. */
  nextCheckAt: instant.nullable(),
  statusSince: instant,
  /** Three slots were missed: `status` is outdated, and the screen shows no data. */
  stale: z.boolean(),
  /** Ten changes of state within an hour: its incident stays open until ten minutes passed without one. */
  flapping: z.boolean(),
  certificateExpiresAt: instant.optional().meta({ description: "For `domain` monitors, the expiry of the domain." }),
  /** Who issued the certificate that a `tls` check saw last. */
  certificateIssuer: z.string().optional(),
  /** Why the last check failed. */
  lastError: z.string().optional(),
  /** It is up, but these of its locations see it down. */
  partial: z.array(z.string()).optional(),
};

/** What every monitor answers with, as far as the service of monitors knows it. */
const facts = {
  id,
  name: z.string(),
  description: z.string(),
  /** What lists show: `https://example.com/`, `tcp://db:5432`, `dns://example.com/AAAA`, `tls://example.com:443`. */
  target: z.string().meta({ examples: ["https://example.com/health"] }),
  interval: z.number().meta({ description: "Minutes. For heartbeats, the period; with cron, the longest upcoming one." }),
  timeout: z.number(),
  retries: z.int(),
  tags: z.array(z.string()),
  locations: z.array(z.string()),
  confirm: shownConfirm.optional(),
  paused: z.boolean(),
  dependsOn,
  note: z.string(),
  /** Absent from the version before. */
  keepBody: z.boolean().default(true),
  invert: z.boolean().default(false),
  ...monitorState,
  managed: managedBy.optional().meta({ description: "The source that manages some of its fields." }),
  createdAt: instant,
  updatedAt: instant,
};

/** Of those what a person set, as an export has it; by `id` the rest of an export names the monitor. */
export const exportedFacts = (type: CheckType): Pick<typeof facts, "id" | (keyof typeof facts & keyof typeof shared)> =>
  sharedBy(
    type,
    Object.fromEntries(Object.entries(facts).filter(([name]) => name === "id" || name in shared)),
  ) as ReturnType<typeof exportedFacts>;

/** The same of a kind that is passive, whose `interval` follows from its own fields. */
const passiveFacts = { ...withoutProbed(facts), interval: facts.interval };
const factsBy = (type: CheckType): z.ZodRawShape => (isPassive(type) ? passiveFacts : facts);

/** What the gateway adds. */
const added = {
  /** Percent; null without data. */
  uptime: z.object({ h24: z.number().nullable(), d30: z.number().nullable() }),
  /** A maintenance window covers it now: no alerts are sent for it, and its checks are outside uptime. */
  inMaintenance: z.literal(true).optional(),
  /** A silence holds its messages until then, and nothing else. */
  silencedUntil: instant.optional(),
};

/** A monitor as its service answers it; the fields of its check were validated when they were saved. */
export type KnownMonitor = {
  [Type in CheckType]: CheckOf<Type> &
    (Type extends PassiveType ? Without<Facts, Exclude<ProbedField, "interval">> & HeartbeatFacts : Facts);
}[CheckType];
type Facts = z.infer<z.ZodObject<typeof facts>>;
export const knownMonitor = z.discriminatedUnion("type", [
  z.looseObject({ type: z.enum(probedTypes), ...facts }),
  z.looseObject({ type: z.enum(passiveTypes), ...passiveFacts }),
]) as unknown as z.ZodType<KnownMonitor, KnownMonitor>;

/** A monitor, by kind. */
export type Monitor = KnownMonitor & z.infer<z.ZodObject<typeof added>>;
const [firstType, ...otherTypes] = checkTypes;
const answerOf = (type: CheckType) =>
  z.object({ type: z.literal(type), ...factsBy(type), ...added, ...answerFields(kindOf(type)), ...kindOf(type).facts });
export const monitor = z.discriminatedUnion("type", [
  answerOf(firstType),
  ...otherTypes.map(answerOf),
]) as unknown as z.ZodType<Monitor>;

/** Cloning: a masked header value means the stored one of this monitor, as long as it is sent to the same origin. */
export const createQuery = z.strictObject({ cloneOf: pathId.optional() });
/** Testing an edit: a masked header value means the stored one of this monitor. */
export const testQuery = z.strictObject({ monitorId: pathId.optional() });

/** Figures that are unavailable at the moment: `uptime` is null then, though there may be some. */
const unavailable = z.array(z.enum(["uptime"])).optional();
export const monitorAnswer = success({ monitor, unavailable });
export const monitorsAnswer = success({ monitors: z.array(monitor), total: z.int(), unavailable });
export const checkNowAnswer = success({ result: checkResult, monitor, unavailable });

/** The second opinion of all monitors that name none of their own; null: there is none. */
export const confirmInput = z.strictObject({ confirm: confirm.nullable() });
export const confirmAnswer = success({ confirm: shownConfirm.nullable() });

/** What keeps a probe runner from checking: it cannot resolve names, or cannot reach its network. */
export const runnerTroubles = ["names", "network"] as const;
export type RunnerTrouble = (typeof runnerTroubles)[number];

/**
 * The locations of probe runners. One with `runners` 0 is named by `monitors` active monitors that are not checked
 * there.
 */
export const locationsAnswer = success({
  locations: z.array(
    z.object({ name: z.string(), runners: z.int(), monitors: z.int(), trouble: z.enum(runnerTroubles).optional() }),
  ),
});
