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
import { faultsOfSlow } from "@sonde/proto/http/monitors/slow";
import { faultsOf as faultsOfIssues } from "@sonde/proto/http/reasons/issues";
import { heartbeatLocation } from "@sonde/proto/subjects";
import { isIP } from "node:net";
import { periodMs, type RunSchedule, scheduleErrors } from "../heartbeats/schedule.ts";
import type { Locations } from "../locations/locations.ts";
import type { Definition, StoredCheck } from "./monitor.ts";
import { refuseOpinions } from "../opinions/confirm.ts";
import { keyPairErrors, shownCheck, storeCheck } from "./stored-check.ts";

/** `null` clears a field. */
export type CheckPatch = Record<string, unknown>;

export type Patch = Partial<Omit<Definition, "config">> & { check?: CheckPatch; paused?: boolean };

/** Absent fields stay absent; durations become whole milliseconds. */
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

export type RuleContext = {
  guard: EgressGuard;
  secrets: SecretBox;
  minIntervalMs: number;
  nowMs(): number;
  locations: Pick<Locations, "liveLocations">;
};

/** One bus message (1 MiB). A body of 256 Ki characters fits in any script. */
const maxSizeBytes = 960 * 1024;

type Base = {
  /** The stored definition; its unchanged fields are not validated again. */
  before: Definition | null;
  /** Check whose secrets masks stand for if `before` is `null`. */
  secretsOf?: StoredCheck | undefined;
  /** The input is complete: absent fields get their defaults. Masks still stand for the secrets of `before`. */
  whole?: boolean;
  errors?: readonly FieldFault[];
};

/**
 * Validates the rules that involve several fields.
 * @throws AppError invalid with every error's path; impossible for an unknown location; too_large
 */
export function mergeInput(
  ctx: RuleContext,
  patch: Patch,
  { before, secretsOf, whole = false, errors = [] }: Base,
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
  const own = passive ? [...faults, ...unknownFields(rest), ...cronErrors(config, ctx.nowMs(), given)] : faults;
  const all = [...faultsOf(ctx, definition, before, own), ...errors];
  if (all.length > 0) throw invalid(all);
  if (passive) return definition;
  const liveLocations = ctx.locations.liveLocations();
  if (definition.locations.length === 0) definition.locations = [defaultLocation(liveLocations)];
  refuseUnknownLocation(liveLocations, definition, before);
  refuseOpinions(liveLocations, definition, before);
  if (Buffer.byteLength(JSON.stringify(definition.config)) > maxSizeBytes) {
    throw new AppError("too_large", "The body is too large (maximum {limit})", { params: { limit: "960 KiB" } });
  }
  return definition;
}

/** Values of required columns for kinds that no runner checks. */
const unprobed = { timeoutMs: 1_000, retries: 0, recoverAfter: 1, locations: [heartbeatLocation], keepBody: true };
const unknownFields = (rest: object): FieldFault[] =>
  Object.keys(rest)
    .map((name) => name.replace(/Ms$/, ""))
    .filter(isProbedField)
    .map((path) => ({ path, message: "Unknown field" }));

const periodOf = (config: StoredCheck, nowMs: number) => {
  try {
    return periodMs(config as unknown as RunSchedule, nowMs);
  } catch {
    // Reported separately.
    return blank.intervalMs;
  }
};
/** A stored expression is not validated again, which would take milliseconds. */
const cronErrors = (config: StoredCheck, nowMs: number, given: CheckPatch | undefined) =>
  given?.["cron"] == null ? [] : scheduleErrors(config as unknown as RunSchedule, nowMs);

/** With masked secrets; `null` clears a field. */
export function mergeCheck(given: CheckPatch, before: StoredCheck | null): Record<string, unknown> {
  return before === null ? given : { ...shownCheck(before), ...given, type: before.type };
}

type CheckBase = Record<"base" | "before" | "secretsOf", StoredCheck | null>;

/** Masks in `given` stand for the secrets of `secretsOf`. */
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
  const ofKeys = faults.length > 0 ? [] : keyPairErrors(secrets, config);
  return { config, faults: [...fixed, ...refusedHosts(guard, parsed.data, former), ...faults, ...ofKeys] };
}

/** Rejects literal addresses that may not be monitored. Runners check host names after resolving them. */
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
  locations: [],
};
const blankOf = (type: CheckType): Definition => ({ ...blank, intervalMs: kindOf(type).interval.usual * 60_000 });

const defaultTimeoutMs = (intervalMs: number) => Math.round(defaultTimeoutSeconds(intervalMs / 60_000) * 1_000);

/** Shortens a default timeout with the interval; a timeout set by a user stays. */
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
  // A monitor that was saved before this rule existed stays valid.
  if (before === null || faultsOfTime(shownCheck(before.config), before.timeoutMs).length === 0) {
    faults.push(...faultsOfTime(shownCheck(config), timeoutMs));
  }
  faults.push(...faultsOfSlow(own.slowAfter, timeoutMs));
  if (timeoutMs >= intervalMs) {
    faults.push({ path: "timeout", message: "The timeout must be shorter than the interval" });
  }
  return faults;
}

/** Returns the paths of texts that PostgreSQL cannot store: with a NUL character or half a surrogate pair. */
function unstorable(value: unknown, path = ""): FieldFault[] {
  if (typeof value === "string") {
    return value.includes("\0") || !value.isWellFormed() ? [{ path, message: "This value is not valid" }] : [];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => unstorable(part, path === "" ? name : `${path}.${name}`));
}

/**
 * Returns the location for a monitor without one: `default` if it has a runner, otherwise the only live location.
 * @throws AppError impossible if there is none or more than one; the details list them
 */
function defaultLocation(liveLocations: readonly string[]): string {
  if (liveLocations.includes("default")) return "default";
  const [only, ...others] = liveLocations;
  if (only !== undefined && others.length === 0) return only;
  const path = "locations";
  if (only === undefined) {
    const message = "No probe runner is running, so this monitor would never be checked";
    throw new AppError("impossible", message, { details: [{ path, message }] });
  }
  const message = "Choose a location: probe runners are at {locations}";
  const params = { locations: liveLocations.join(", ") };
  throw new AppError("impossible", message, { params, details: [{ path, message, params }] });
}

function refuseUnknownLocation(
  liveLocations: readonly string[],
  { locations }: Definition,
  before: Definition | null,
): void {
  const index = locations.findIndex((name) => !before?.locations.includes(name) && !liveLocations.includes(name));
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
 * Unchanged patterns are not checked again. Call it before opening a transaction, because compiling may take long.
 * @throws AppError unavailable
 */
export async function patternErrors(
  patterns: Pick<PatternChecker, "faultsOf">,
  given: CheckPatch | undefined,
  before: StoredCheck | null,
): Promise<FieldFault[]> {
  if (given === undefined) return [];
  const parsed = parseCheck(mergeCheck(given, before));
  // Other errors are reported with the rest of the input.
  if (!parsed.success) return [];
  const changed = kindOf(parsed.data.type)
    .patterns(parsed.data)
    .filter(({ path }) => path.split(".", 1)[0]! in given);
  const faults = await patterns.faultsOf(changed.map(({ value }) => value));
  return changed.flatMap(({ path }, at): FieldFault[] => {
    const fault = faults[at];
    return fault ? [{ path, message: fault.fault, params: fault.params }] : [];
  });
}
