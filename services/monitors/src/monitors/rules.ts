import type { EgressGuard } from "@sonde/kit/egress/guard";
import { AppError, type FieldFault, invalid } from "@sonde/kit/errors";
import type { PatternChecker } from "@sonde/kit/patterns/checker";
import type { SecretBox } from "@sonde/kit/secrets";
import { canonicalHost } from "@sonde/proto/http/monitors/checks/fields";
import {
  type Check,
  type CheckType,
  faultsOfTime,
  isPassive,
  kindOf,
  parseCheck,
} from "@sonde/proto/http/monitors/kinds";
import {
  defaultTimeoutSeconds,
  isProbedField,
  type MonitorInput,
  type MonitorPatch,
  sharedDefaults,
  splitInput,
} from "@sonde/proto/http/monitors/monitors";
import { faultsOf as faultsOfIssues } from "@sonde/proto/http/reasons/issues";
import { heartbeatLocation } from "@sonde/proto/subjects";
import { isIP } from "node:net";
import { periodMs, type RunSchedule, scheduleFaults } from "../heartbeats/schedule.ts";
import type { Locations } from "../locations/locations.ts";
import type { Definition, StoredCheck } from "./monitor.ts";
import { refuseOpinions } from "../opinions/confirm.ts";
import { keyPairFaults, shownCheck, storeCheck } from "./stored-check.ts";

/** Fields of a check as a person sent them: some of its kind's, null for one that is cleared. */
export type CheckPatch = Record<string, unknown>;

/** What a person sent, in the units that are kept. */
export type Patch = Partial<Omit<Definition, "config">> & { check?: CheckPatch; paused?: boolean };

/** An input, whole or partial: what is absent stays absent, and durations become whole milliseconds. */
export function patchOf(input: MonitorInput | MonitorPatch): Patch {
  const { shared, check } = splitInput<MonitorPatch>(input);
  const { interval, timeout, ...alike } = shared;
  return {
    ...alike,
    ...(interval === undefined ? {} : { intervalMs: Math.round(interval * 60_000) }),
    ...(timeout === undefined ? {} : { timeoutMs: Math.round(timeout * 1_000) }),
    ...(Object.keys(check).length === 0 ? {} : { check }),
  };
}

/** What the rules look at beside the input. */
export type RuleContext = {
  guard: EgressGuard;
  secrets: SecretBox;
  minIntervalMs: number;
  nowMs(): number;
  /** Where runners live: a monitor may name only these. */
  locations: Pick<Locations, "living">;
};

/**
 * A definition is sent to runners in one message of the bus (1 MiB). A body of 256 Ki characters fits in every script.
 */
const maxSizeBytes = 960 * 1024;

/** What an input is held against beside its own fields. */
type Base = {
  /** The stored definition: unchanged fields are not refused again. */
  before: Definition | null;
  /** Without `before` masks mean the secrets of this check. */
  secretsOf?: StoredCheck | undefined;
  /** The input is complete: fields that it leaves out have their defaults. Masks still mean the secrets of `before`. */
  whole?: boolean;
  /** Found wrong with the input already (`patternFaults`). */
  found?: readonly FieldFault[];
};

/**
 * The whole definition that an input leads to, held against the rules that look at more than one field.
 * @throws AppError invalid with every fault's path; impossible for an unknown location; too_large
 */
export function mergeInput(
  ctx: RuleContext,
  patch: Patch,
  { before, secretsOf, whole = false, found = [] }: Base,
): Definition {
  const { check: given, paused: _paused, ...rest } = patch;
  const base = whole ? null : before;
  const { config, faults } = applyCheck(ctx, given, {
    base: base?.config ?? null,
    before: before?.config ?? null,
    secretsOf: before?.config ?? secretsOf ?? null,
  });
  const merged = { ...(base ?? blankOf(config.type)), ...rest, config };
  const passive = isPassive(config.type);
  const definition: Definition = passive
    ? { ...merged, ...unprobed, ...(faults.length === 0 && { intervalMs: periodOf(config, ctx.nowMs()) }) }
    : { ...merged, timeoutMs: patch.timeoutMs ?? fittingTimeoutMs(merged, before) };
  const own = passive ? [...faults, ...unknownOf(rest), ...schedulingFaults(config, ctx.nowMs(), given)] : faults;
  const all = [...faultsOf(ctx, definition, before, own), ...found];
  if (all.length > 0) throw invalid(all);
  if (passive) return definition;
  const living = ctx.locations.living();
  if (definition.locations.length === 0) definition.locations = [defaultLocation(living)];
  refuseUnknownLocation(living, definition, before);
  refuseOpinions(living, definition, before);
  if (Buffer.byteLength(JSON.stringify(definition.config)) > maxSizeBytes) {
    throw new AppError("too_large", "The body is too large (maximum {limit})", { params: { limit: "960 KiB" } });
  }
  return definition;
}

/** What rows have of a kind that no runner checks, where the table wants something. */
const unprobed = { timeoutMs: 1_000, retries: 0, locations: [heartbeatLocation], keepBody: true };
/** Fields that only those have which a runner checks. */
const unknownOf = (rest: object): FieldFault[] =>
  Object.keys(rest)
    .map((name) => name.replace(/Ms$/, ""))
    .filter(isProbedField)
    .map((path) => ({ path, message: "Unknown field" }));

const periodOf = (config: StoredCheck, nowMs: number) => {
  try {
    return periodMs(config as unknown as RunSchedule, nowMs);
  } catch {
    // Its cron is at fault, which is said.
    return blank.intervalMs;
  }
};
/** Of an expression that was kept nothing is wrong: each look takes milliseconds. */
const schedulingFaults = (config: StoredCheck, nowMs: number, given: CheckPatch | undefined) =>
  given?.["cron"] == null ? [] : scheduleFaults(config as unknown as RunSchedule, nowMs);

/** The fields of a check after a change, as people see them: null clears. */
export function mergeCheck(given: CheckPatch, before: StoredCheck | null): Record<string, unknown> {
  return before === null ? given : { ...shownCheck(before), ...given, type: before.type };
}

type CheckBase = Record<"base" | "before" | "secretsOf", StoredCheck | null>;

/**
 * The check that results from an input to `base`, as it is stored, and its faults; masks mean the secrets of
 * `secretsOf`.
 */
function applyCheck(
  { guard, secrets }: RuleContext,
  given: CheckPatch | undefined,
  { base, before, secretsOf }: CheckBase,
): { config: StoredCheck; faults: FieldFault[] } {
  if (given === undefined && base !== null) return { config: base, faults: [] };
  const { type } = given ?? {};
  const fixed: FieldFault[] =
    base !== null && type !== undefined && type !== base.type
      ? [{ path: "type", message: "A monitor's type cannot be changed" }]
      : [];
  const parsed = parseCheck(mergeCheck(given ?? {}, base));
  if (!parsed.success) {
    return { config: base ?? blank.config, faults: [...fixed, ...faultsOfIssues(parsed.error.issues)] };
  }
  const { check: config, faults } = storeCheck(secrets, parsed.data, secretsOf);
  const former = before === null ? null : shownCheck(before);
  const ofKeys = faults.length > 0 ? [] : keyPairFaults(secrets, config);
  return { config, faults: [...fixed, ...refusedHosts(guard, parsed.data, former), ...faults, ...ofKeys] };
}

/** Literal addresses that may not be monitored. Names are looked at whenever they were resolved. */
function refusedHosts(guard: EgressGuard, check: Check, before: Check | null): FieldFault[] {
  const { hosts } = kindOf(check.type);
  const known = new Set(before?.type === check.type ? hosts(before).map(({ value }) => value) : []);
  return hosts(check).flatMap(({ path, value }): FieldFault[] => {
    const host = canonicalHost(value) ?? value;
    const isRefused = !known.has(value) && isIP(host) !== 0 && guard.refusal(host) !== undefined;
    return isRefused ? [{ path, message: "This address cannot be monitored" }] : [];
  });
}

const { interval: defaultInterval, paused: _paused, ...defaults } = sharedDefaults;
const blank: Definition = {
  ...defaults,
  name: "",
  config: { type: "http" },
  intervalMs: defaultInterval * 60_000,
  timeoutMs: 10_000,
  // None is named: where a runner lives decides.
  locations: [],
};
const blankOf = (type: CheckType): Definition => ({ ...blank, intervalMs: kindOf(type).interval.usual * 60_000 });

const defaultTimeoutMs = (intervalMs: number) => Math.round(defaultTimeoutSeconds(intervalMs / 60_000) * 1_000);

/** A default timeout follows a shortened interval; one that a user chose stays until they change it. */
function fittingTimeoutMs({ intervalMs, timeoutMs }: Definition, before: Definition | null): number {
  if (before === null) return defaultTimeoutMs(intervalMs);
  const chosen = before.timeoutMs !== defaultTimeoutMs(before.intervalMs);
  return timeoutMs < intervalMs || chosen ? timeoutMs : defaultTimeoutMs(intervalMs);
}

function faultsOf(
  ctx: RuleContext,
  definition: Definition,
  before: Definition | null,
  ofCheck: readonly FieldFault[],
): FieldFault[] {
  const { config, locations: _locations, ...own } = definition;
  const { name, intervalMs, timeoutMs } = own;
  const faults = unstorable({ ...own, ...config });
  if (name === "") faults.push({ path: "name", message: "Name is required" });
  faults.push(...ofCheck);
  if (isPassive(config.type)) return faults;
  const minMs = Math.max(ctx.minIntervalMs, (kindOf(config.type).interval.min ?? 0) * 60_000);
  if (intervalMs !== before?.intervalMs && intervalMs < minMs) {
    const min = Math.round((minMs / 60_000) * 1_000) / 1_000;
    faults.push({ path: "interval", message: "The interval must be at least {min} min", params: { min } });
  }
  // One that was saved before the rule was stays as it is.
  if (before === null || faultsOfTime(shownCheck(before.config), before.timeoutMs).length === 0) {
    faults.push(...faultsOfTime(shownCheck(config), timeoutMs));
  }
  if (timeoutMs >= intervalMs) {
    faults.push({ path: "timeout", message: "The timeout must be shorter than the interval" });
  }
  return faults;
}

/** The paths of texts that PostgreSQL cannot keep: those with the NUL character or half a surrogate pair. */
function unstorable(value: unknown, path = ""): FieldFault[] {
  if (typeof value === "string") {
    return value.includes("\0") || !value.isWellFormed() ? [{ path, message: "This value is not valid" }] : [];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => unstorable(part, path === "" ? name : `${path}.${name}`));
}

/**
 * The location of a monitor that names none: `default` where a runner of it lives, else the only one that there is.
 * @throws AppError impossible if there is none, or a choice to make; it names what there is
 */
function defaultLocation(living: readonly string[]): string {
  if (living.includes("default")) return "default";
  const [only, ...others] = living;
  if (only !== undefined && others.length === 0) return only;
  const path = "locations";
  if (only === undefined) {
    const message = "No probe runner is running, so this monitor would never be checked";
    throw new AppError("impossible", message, { details: [{ path, message }] });
  }
  const message = "Choose a location: probe runners are at {locations}";
  const params = { locations: living.join(", ") };
  throw new AppError("impossible", message, { params, details: [{ path, message, params }] });
}

function refuseUnknownLocation(living: readonly string[], { locations }: Definition, before: Definition | null): void {
  const index = locations.findIndex((name) => !before?.locations.includes(name) && !living.includes(name));
  if (index < 0) return;
  const fault = {
    message: "There is no location named {location}",
    params: { location: locations[index] ?? "" },
  } as const;
  throw new AppError("impossible", fault.message, {
    params: fault.params,
    details: [{ path: `locations.${index}`, ...fault }],
  });
}

/**
 * The regular expressions of an input that no probe could run, each with the reason and its path; unchanged ones are
 * not refused again. Call it before a transaction begins: compiling may take a while.
 * @throws AppError unavailable
 */
export async function patternFaults(
  patterns: Pick<PatternChecker, "faultsOf">,
  given: CheckPatch | undefined,
  before: StoredCheck | null,
): Promise<FieldFault[]> {
  if (given === undefined) return [];
  const parsed = parseCheck(mergeCheck(given, before));
  // Other faults are reported with the rest of the input's.
  if (!parsed.success) return [];
  const found = kindOf(parsed.data.type)
    .patterns(parsed.data)
    .filter(({ path }) => path.split(".", 1)[0]! in given);
  const faults = await patterns.faultsOf(found.map(({ value }) => value));
  return found.flatMap(({ path }, at): FieldFault[] => {
    const fault = faults[at];
    return fault ? [{ path, message: fault.fault, params: fault.params }] : [];
  });
}
