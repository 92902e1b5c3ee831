import { type CheckType, checkTypes, isPassive, kindOf } from "@sonde/proto/http/monitors/kinds";
import {
  type Confirm,
  defaultTimeoutSeconds,
  isProbedField,
  type Monitor,
  monitorInput,
  type MonitorInputDraft,
  sharedFields,
} from "@sonde/proto/http/monitors/monitors";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import type { TFunction } from "i18next";
import type { z } from "zod";
import { currentLanguage } from "../../../app/i18n.ts";
import { formatDuration } from "../../../lib/format.ts";
import { schemaErrors, type FormError } from "../../../lib/form-errors.ts";
import { parseDuration, parseTypedNumber } from "../../../lib/typed.ts";
import type { FieldForm } from "../../../entities/kinds/kind-form.ts";
import { advancedNames } from "../../../entities/kinds/kinds.ts";
import { sharedForm } from "../../../entities/kinds/shared.ts";
import { type CheckValues, emptyCheck, readCheckForm, readFields, showCheck, showFields } from "../kinds/values.ts";

/** Schemas of the settings that all kinds share. */
export const sharedShape = { ...sharedFields, invert: kindOf("http").fields["invert"] } as z.ZodRawShape;
/** Returns the shared fields of a kind. Passive kinds have no check settings. */
export const sharedFormOf = (type: CheckType): [string, FieldForm][] =>
  Object.entries(sharedForm).filter(([name]) => !isPassive(type) || !isProbedField(name));
const described = (type: CheckType) => Object.fromEntries(sharedFormOf(type));

/** Form values of the fields that every kind has, as typed. */
const emptyShared = {
  ...(showFields(sharedForm, sharedShape, {}) as Record<keyof typeof sharedForm, unknown>),
  name: "",
  interval: "1",
  timeout: "",
  tags: [] as string[],
  // If empty, the server chooses a location with a runner.
  locations: [] as string[],
  // Without locations: the default of all monitors.
  confirm: { locations: [] as string[], need: "1" },
  dependsOn: [] as TargetRef[],
  note: "",
  // Saved after the monitor, with a separate request.
  notify: { own: false, channels: [] as number[] },
};
type SharedValues = typeof emptyShared;
/**
 * Form values. A new monitor has the fields of every kind, so that switching the kind loses nothing. `address` is the
 * text from which the kind is guessed.
 */
export type FormValues = SharedValues & Partial<Record<CheckType, CheckValues>> & { address?: string };

export const emptyValues: FormValues = {
  ...emptyShared,
  address: "",
  ...Object.fromEntries(checkTypes.map((type) => [type, emptyCheck(type)])),
};

export function toValues(monitor: Monitor): FormValues {
  const { name, tags, dependsOn, note } = monitor;
  return {
    ...emptyShared,
    ...showFields(described(monitor.type), sharedShape, monitor),
    name,
    tags,
    dependsOn,
    note,
    ...(monitor.type !== "heartbeat" && {
      interval: writeMinutes(monitor.interval),
      timeout: String(monitor.timeout),
      locations: monitor.locations,
      confirm: { locations: monitor.confirm?.locations ?? [], need: String(monitor.confirm?.need ?? 1) },
    }),
    [monitor.type]: showCheck(monitor.type, monitor),
  };
}

const maxNameLength = 100;

/** Form values of a clone. Masked secrets refer to those of the stored monitor. */
export function cloneValues(monitor: Monitor, name: string): FormValues {
  return { ...emptyValues, ...toValues(monitor), name: Array.from(name).slice(0, maxNameLength).join("") };
}

/** Formats whole minutes as a bare number and other values in seconds, because `0.5` has no visible unit. */
export function writeMinutes(minutes: number): string {
  return Number.isInteger(minutes) ? String(minutes) : `${Math.round(minutes * 60_000) / 1000}s`;
}

/** Converts form values to the request. An unreadable duration becomes NaN, which `checkValues` reports. */
export function readInput(type: CheckType, values: FormValues): MonitorInputDraft {
  const { name, interval, timeout, tags, locations, dependsOn, note, confirm } = values;
  return {
    ...readFields(described(type), sharedShape, values),
    name,
    dependsOn,
    note,
    tags,
    ...(!isPassive(type) && {
      interval: interval.trim() === "" ? kindOf(type).interval.usual : (parseDuration(interval, "m") ?? NaN) / 60,
      timeout: timeout.trim() === "" ? undefined : (parseDuration(timeout, "s") ?? NaN),
      locations: locations.length === 0 ? undefined : locations,
      confirm: readConfirm(confirm),
    }),
    ...readCheckForm(type, values[type] ?? {}),
  };
}

/** `null`: the default of all monitors. */
export function readConfirm({ locations, need }: SharedValues["confirm"]): Confirm | null {
  return locations.length === 0
    ? null
    : { locations, need: locations.length === 1 ? 1 : (parseTypedNumber(need) ?? 1) };
}

/** Returns all form errors, with paths of the form. `minIntervalMinutes` comes from the server. */
export function checkValues(
  type: CheckType,
  values: FormValues,
  { minIntervalMinutes, isNew }: { minIntervalMinutes: number; isNew: boolean },
  t: TFunction,
): FormError[] {
  const input = readInput(type, values);
  const errors: FormError[] = [];
  if (!isNew && !isPassive(type) && values.locations.length === 0)
    errors.push({ path: "locations", message: "Choose at least one location" });
  for (const field of ["interval", "timeout"] as const) {
    if (Number.isNaN(input[field])) errors.push({ path: field, text: t("monitorForm.badDuration") });
  }
  if (input.interval !== undefined && input.interval < minIntervalMinutes - 1e-9) {
    const span = formatDuration(minIntervalMinutes * 60_000, currentLanguage());
    errors.push({ path: "interval", text: t("monitorForm.shortestInterval", { span }) });
  }
  if ("port" in input && Number.isNaN(input.port) && values[type]?.["port"] === "") {
    errors.push({ path: "port", text: t("monitorForm.portRequired") });
  }
  return [...errors, ...schemaErrors(monitorInput, input)].map((error) => ({
    ...error,
    path: fieldOf(type, values, error.path) ?? error.path,
  }));
}

/**
 * Maps a dotted path of the input to the form's path, or `null` if the form has no such field. `host` of a tcp check
 * becomes `tcp.host`, and `tags.0` becomes `tags`, which is one field. Paths into lists of objects keep their parts.
 */
export function fieldOf(type: CheckType, values: FormValues, path: string): string | null {
  const [name = ""] = path.split(".");
  const isShared = name in emptyShared;
  const value = isShared ? values[name as keyof SharedValues] : values[type]?.[name];
  if (value === undefined) return null;
  if (isShared) return name in sharedForm && typeof value === "object" ? path : name;
  const hasFields = typeof (Array.isArray(value) ? value[0] : value) === "object";
  return `${type}.${hasFields ? path : name}`;
}

export function isAdvanced(type: CheckType, field: string): boolean {
  if (field in emptyShared) return !["name", "interval", "tags", "locations"].includes(field);
  return advancedNames(type).includes(field);
}

/** True if a field in the advanced section differs from a new monitor's. */
export function hasAdvanced(type: CheckType, values: FormValues): boolean {
  const { confirm, interval, timeout, dependsOn, note } = values;
  const isTimeoutUsual = timeout === "" || parseDuration(timeout, "s") === impliedTimeout(interval);
  if (confirm.locations.length > 0 || !isTimeoutUsual) return true;
  const shared = sharedFormOf(type).map(([name]) => [name, values[name as keyof typeof sharedForm]]);
  const own = advancedNames(type).map((name) => [name, values[type]?.[name]]);
  const chosen = { dependsOn, note, ...Object.fromEntries([...shared, ...own]) };
  const usual: CheckValues = { ...emptyShared, ...emptyCheck(type) };
  return Object.entries(chosen).some(([name, value]) => JSON.stringify(value) !== JSON.stringify(usual[name]));
}

/** Timeout in seconds if the field is empty. */
export function impliedTimeout(interval: string): number {
  const seconds = interval.trim() === "" ? 60 : parseDuration(interval, "m");
  return defaultTimeoutSeconds((seconds ?? 60) / 60);
}
