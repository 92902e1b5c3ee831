import { remoteFacts } from "./runners.ts";
import * as z from "zod";
import { answerFields, clearableFields, distinctSchemas, partialFields } from "./checks/kind.ts";
import { checkResult, goodChecks } from "./checks.ts";
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
import type { GroupFacts } from "./groups.ts";
import type { InboundFacts } from "./inbound.ts";
import type { HeartbeatFacts } from "./pings.ts";
import { tags } from "../tags.ts";
import { wholeNumber } from "../numbers.ts";
import { faultsOfSlow, slowFields } from "./slow.ts";
import { dependsOn } from "./targets.ts";
import { nameOf, textOf } from "../text.ts";

export const monitorStatuses = ["pending", "up", "down", "paused"] as const;
/** Values of the `status` filter. */
export const monitorFilters = [...monitorStatuses, "slow", "stale", "active", "expiring"] as const;
export type MonitorFilter = (typeof monitorFilters)[number];
export type MonitorStatus = (typeof monitorStatuses)[number];

/** Returns the default timeout in seconds: 10, or 80 % of the interval if that is less. */
export function defaultTimeoutSeconds(intervalMinutes: number): number {
  return Math.min(10, Math.round(intervalMinutes * 60 * 0.8 * 1000) / 1000);
}

/** Length of the longest text in any kind. */
const maxTextLength = 262_144;
const maxIntervalMinutes = 7 * 24 * 60;
export const location = z.string().min(1).max(63);

/** Minutes; fractions if `MONITOR_MIN_INTERVAL_SECONDS` allows less than one. `monitors` enforces the minimum. */
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
/** Second opinion: a failure counts only if `need` of these locations confirm it. */
export const confirm = z
  .strictObject({
    locations: z
      .array(location)
      .min(1, "Choose at least one location")
      .max(maxOpinions)
      .overwrite((locations) => [...new Set(locations)]),
    need: z.int().min(1).max(maxOpinions).default(1),
  })
  .refine(({ locations, need }) => need <= locations.length, {
    path: ["need"],
    message: "This cannot exceed the number of locations",
  });
export type Confirm = z.output<typeof confirm>;
const shownConfirm = z.object({ locations: z.array(z.string()), need: z.int() });

/** Settings shared by all kinds of monitors. */
const shared = {
  name: monitorName,
  /** Plain text, shown below the name. */
  description: textOf({ max: 500 }).default(""),
  interval: interval.default(1),
  timeout: timeout.optional(),
  retries: wholeNumber(0, 10, "Enter a whole number of retries from 0 to {max}").default(1),
  ...slowFields,
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
  /** Runbook for recipients of alerts, in Markdown. */
  note: textOf({ max: 4000 }).default(""),
  keepBody: z.boolean().default(true).meta({
    description:
      "Stores the first 2 KiB of the response of failed checks, visible to users who may write. Turning it off deletes stored ones.",
  }),
};
/** The shared settings, for documents. */
export const sharedFields: z.ZodRawShape & typeof shared = shared;
export type SharedFields = z.output<z.ZodObject<typeof shared>>;
export const sharedDefaults = z.object(shared).omit({ name: true }).parse({});
export const sharedDefaultsOf = (type: CheckType): typeof sharedDefaults => ({
  ...sharedDefaults,
  interval: kindOf(type).interval.usual,
});
/** Shared fields for a kind, which may have its own interval. */
function sharedOf(type: CheckType): z.ZodRawShape {
  const { min, usual } = kindOf(type).interval;
  if (min === undefined) return sharedBy(type, shared);
  return sharedBy(type, {
    ...shared,
    interval: interval.min(min, "The interval must be at least {min} min").default(usual),
  });
}

/** Fields of probed kinds; passive kinds lack them. */
export const probedFields = [
  "interval",
  "timeout",
  "retries",
  "recoverAfter",
  "slowAfter",
  "slowChecks",
  "locations",
  "confirm",
  "keepBody",
  "invert",
] as const;
type ProbedField = (typeof probedFields)[number];
type Without<Fields, Names extends string> = Omit<Fields, Names> & { [Name in Names]?: never };

export const isProbedField = (name: string): name is ProbedField => probedFields.some((field) => field === name);
const withoutProbed = <Shape extends object>(fields: Shape): Omit<Shape, ProbedField> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !isProbedField(name))) as Omit<Shape, ProbedField>;
/** Returns the shared fields that apply to a kind. */
export const sharedBy = (type: CheckType, fields: z.ZodRawShape): z.ZodRawShape =>
  isPassive(type) ? withoutProbed(fields) : fields;

/** Input as sent by clients. */
export type MonitorInputDraft = z.input<z.ZodObject<typeof shared>> & CheckDraft;
/** Complete input with defaults. */
export type MonitorInput = {
  [Type in CheckType]: CheckOf<Type> &
    (Type extends PassiveType ? Without<SharedFields, ProbedField> : SharedFields & { timeout: number });
}[CheckType];

/** Complete input, by kind. The default of `timeout` depends on the interval. */
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
    const timeoutMs = (timeout ?? Infinity) * 1000;
    for (const { path, ...fault } of [...faultsOfTime(input, timeoutMs), ...faultsOfSlow(input.slowAfter, timeoutMs)]) {
      ctx.addIssue({ code: "custom", path: [path], ...fault });
    }
    if (interval !== undefined && timeout !== undefined && timeout >= interval * 60) {
      ctx.addIssue({ code: "custom", path: ["timeout"], message: "The timeout must be shorter than the interval" });
    }
  }) as unknown as z.ZodType<MonitorInput, MonitorInputDraft>;

/** Fields of all kinds, each optional; `monitors` knows which ones the monitor has. */
function fieldsOfAllKinds(): z.ZodRawShape {
  const shapes = checkTypes.map((type) => kindOf(type).fields);
  const names = new Set(shapes.flatMap((shape) => Object.keys(shape)));
  return Object.fromEntries(
    [...names].map((name) => [name, fieldOfAllKinds(shapes.flatMap((shape) => shape[name] ?? []))]),
  );
}

/** Combines the schemas of a field that several kinds have. A union would hide which rule a value violates. */
function fieldOfAllKinds(schemas: readonly z.core.$ZodType[]): z.core.$ZodType {
  const partial = oneText(distinctSchemas(schemas)).flatMap((field) =>
    Object.values(partialFields(clearableFields({ field }))),
  );
  const [only, ...others] = partial as [z.core.$ZodType, ...z.core.$ZodType[]];
  return others.length === 0 ? only : z.union([only, ...others]);
}

/**
 * Accepts any text if there are several text schemas; the monitor's kind decides, and the complete input is validated
 * with it.
 */
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

/**
 * Partial input: only present fields change, and `null` clears. `monitors` checks rules across fields on the complete
 * result.
 */
export const monitorPatch = z.strictObject({
  type: z.enum(checkTypes).optional().meta({ description: "Type of the monitor; it cannot be changed." }),
  ...partialFields(shared),
  ...fieldsOfAllKinds(),
}) as unknown as z.ZodType<MonitorPatch, MonitorPatch>;
export type MonitorPatch = Partial<SharedFields> & { type?: CheckType; [field: string]: unknown };

/** Splits a complete or partial input into shared fields and fields of its kind. */
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

/** State of a monitor that checks can change. */
export const monitorState = {
  status: z.enum(monitorStatuses),
  /** Milliseconds of the last check; `null` before the first. */
  responseTime: z.number().nullable(),
  lastCheckedAt: instant.nullable(),
  /** `null` while paused. */
  nextCheckAt: instant.nullable(),
  statusSince: instant,
  /** True after three missed slots: `status` is outdated, and the screen shows no data. */
  stale: z.boolean(),
  /** True after ten state changes within an hour; its incident stays open until there was none for ten minutes. */
  flapping: z.boolean(),
  certificateExpiresAt: instant.optional().meta({ description: "For `domain` monitors, the expiry of the domain." }),
  /** Issuer of the certificate in the last `tls` check. */
  certificateIssuer: z.string().optional(),
  /** Error of the last check. */
  lastError: z.string().optional(),
  /** Locations that see it down while it is up. */
  partial: z.array(z.string()).optional(),
  slow: z.boolean().default(false).meta({ description: "True while it is up but slower than `slowAfter`." }),
  recovery: goodChecks.optional().meta({ description: "While it is down: successful checks in a row." }),
};

/** Response fields that the monitors service provides. */
const facts = {
  id,
  name: z.string(),
  description: z.string(),
  /**
   * Target shown in lists: `https://example.com/`, `tcp://db:5432`, `dns://example.com/AAAA`, `tls://example.com:443`.
   */
  target: z.string().meta({ examples: ["https://example.com/health"] }),
  interval: z.number().meta({
    description:
      "Minutes. For heartbeats, the period; with cron, the longest upcoming one. For inbound monitors and groups 1.",
  }),
  timeout: z.number(),
  retries: z.int(),
  /** Absent from the previous version. */
  recoverAfter: z.int().default(1),
  slowAfter: z.int().optional(),
  slowChecks: z.object({ of: z.int(), in: z.int() }).optional(),
  tags: z.array(z.string()),
  locations: z.array(z.string()),
  confirm: shownConfirm.optional(),
  paused: z.boolean(),
  dependsOn,
  note: z.string(),
  /** Absent from the previous version. */
  keepBody: z.boolean().default(true),
  invert: z.boolean().default(false),
  ...monitorState,
  managed: managedBy.optional().meta({ description: "The source that manages some of its fields." }),
  createdAt: instant,
  updatedAt: instant,
};

/** Settings as exported, with the `id` that other parts of an export refer to. */
export const exportedFacts = (type: CheckType): Pick<typeof facts, "id" | (keyof typeof facts & keyof typeof shared)> =>
  sharedBy(
    type,
    Object.fromEntries(Object.entries(facts).filter(([name]) => name === "id" || name in shared)),
  ) as ReturnType<typeof exportedFacts>;

/** The same for passive kinds, whose `interval` is derived from their fields. */
const passiveFacts = { ...withoutProbed(facts), interval: facts.interval };
const factsBy = (type: CheckType): z.ZodRawShape => (isPassive(type) ? passiveFacts : facts);

/** A monitor that is up became slower if its p95 rose by at least both. */
export const slowerBy = { percent: 50, ms: 50 } as const;

/** Response times of successful checks; heartbeats have none. */
export const p95 = z.object({
  last: z.number().meta({ description: "Milliseconds over the current hour and the two before it." }),
  usual: z.number().nullable().meta({
    description:
      "Median of the p95 of the same hours of the last seven days; null if fewer than three of them have data, or with fewer than five checks in `last`.",
  }),
  change: z.number().nullable().meta({ description: "Percent from `usual` to `last`." }),
  slower: z.boolean().meta({
    description: `True for a monitor that is up if \`last\` is at least ${slowerBy.percent} % and ${slowerBy.ms} ms above \`usual\`.`,
  }),
});
export type MonitorP95 = z.infer<typeof p95>;

/** Fields added by the gateway. */
const added = {
  /** Percent; `null` without data. */
  uptime: z.object({ h24: z.number().nullable(), d30: z.number().nullable() }),
  /** True during a maintenance window: no alerts are sent, and its checks are outside uptime. */
  inMaintenance: z.literal(true).optional(),
  /** A silence defers its messages until then, without any other effect. */
  silencedUntil: instant.optional(),
  p95: p95.optional().meta({ description: "Only in lists; absent without data." }),
};

type FactsByKind = { heartbeat: HeartbeatFacts; inbound: InboundFacts; group: GroupFacts };

/** A monitor as returned by its service; its check was validated when it was saved. */
export type KnownMonitor = {
  [Type in CheckType]: CheckOf<Type> &
    (Type extends PassiveType ? Without<Facts, Exclude<ProbedField, "interval">> & FactsByKind[Type] : Facts);
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

/** For cloning: masked header values refer to this monitor's stored ones if they are sent to the same origin. */
export const createQuery = z.strictObject({ cloneOf: pathId.optional() });
/** For testing an edit: masked header values refer to this monitor's stored ones. */
export const testQuery = z.strictObject({ monitorId: pathId.optional() });

/** Currently unavailable figures; `uptime` is then `null`, and `p95` absent, even if there is data. */
const unavailable = z.array(z.enum(["uptime", "p95"])).optional();
export const monitorAnswer = success({ monitor, unavailable });
export const monitorsAnswer = success({ monitors: z.array(monitor), total: z.int(), unavailable });
export const checkNowAnswer = success({ result: checkResult, monitor, unavailable });

/** Second opinion of monitors without their own; `null` disables it. */
export const confirmInput = z.strictObject({ confirm: confirm.nullable() });
export const confirmAnswer = success({ confirm: shownConfirm.nullable() });

/** Why a probe runner cannot check: it cannot resolve names, or has no network. */
export const runnerTroubles = ["names", "network"] as const;
export type RunnerTrouble = (typeof runnerTroubles)[number];

/**
 * Locations of probe runners. With `runners` 0, `monitors` is the number of active monitors that are not checked there.
 */
export const locationsAnswer = success({
  locations: z.array(
    z.object({
      name: z.string(),
      runners: z.int(),
      monitors: z.int(),
      trouble: z.enum(runnerTroubles).optional(),
      remote: remoteFacts.optional(),
    }),
  ),
});
