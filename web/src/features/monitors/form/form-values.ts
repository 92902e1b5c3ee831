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
import { schemaFaults, type FormFault } from "../../../lib/form-faults.ts";
import { parseDuration, parseTypedNumber } from "../../../lib/typed.ts";
import type { FieldForm } from "../../../entities/kinds/kind-form.ts";
import { advancedNames } from "../../../entities/kinds/kinds.ts";
import { sharedForm } from "../../../entities/kinds/shared.ts";
import { type CheckValues, emptyCheck, readCheckForm, readFields, showCheck, showFields } from "../kinds/values.ts";

/** The rules of the settings that are drawn from their description. */
export const sharedShape = { ...sharedFields, invert: kindOf("http").fields["invert"] } as z.ZodRawShape;
/** Those of a kind; a passive one has no settings of checks. */
export const sharedFormOf = (type: CheckType): [string, FieldForm][] =>
  Object.entries(sharedForm).filter(([name]) => !isPassive(type) || !isProbedField(name));
const described = (type: CheckType) => Object.fromEntries(sharedFormOf(type));

/** What is in the fields that every kind has: texts as they were typed. */
const emptyShared = {
  ...(showFields(sharedForm, sharedShape, {}) as Record<keyof typeof sharedForm, unknown>),
  name: "",
  interval: "1",
  timeout: "",
  tags: [] as string[],
  // The server chooses one where a runner lives, unless the form does.
  locations: [] as string[],
  // Without locations: what holds for all monitors.
  confirm: { locations: [] as string[], need: "1" },
  dependsOn: [] as TargetRef[],
  note: "",
  // Saved by a call of its own, after the monitor.
  notify: { own: false, channels: [] as number[] },
};
type SharedValues = typeof emptyShared;
/** What is in the form. A new monitor's form holds the fields of every kind, so that changing one's mind loses nothing. */
export type FormValues = SharedValues & Partial<Record<CheckType, CheckValues>>;

export const emptyValues: FormValues = {
  ...emptyShared,
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

/** The form of a new monitor that does what a stored one does. Masked secrets stand for its own. */
export function cloneValues(monitor: Monitor, name: string): FormValues {
  return { ...emptyValues, ...toValues(monitor), name: Array.from(name).slice(0, maxNameLength).join("") };
}

/** Whole minutes as a bare number, anything shorter in seconds: `0.5` would hide what it means. */
export function writeMinutes(minutes: number): string {
  return Number.isInteger(minutes) ? String(minutes) : `${Math.round(minutes * 60_000) / 1000}s`;
}

/** What the form sends. A duration that cannot be read becomes NaN, which `checkValues` reports in its own words. */
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

/** Who confirms failures; null: the same as of all monitors. */
export function readConfirm({ locations, need }: SharedValues["confirm"]): Confirm | null {
  return locations.length === 0
    ? null
    : { locations, need: locations.length === 1 ? 1 : (parseTypedNumber(need) ?? 1) };
}

/** Everything that is wrong with what is in the form, by the form's own paths. `minIntervalMinutes` is the server's. */
export function checkValues(
  type: CheckType,
  values: FormValues,
  { minIntervalMinutes, isNew }: { minIntervalMinutes: number; isNew: boolean },
  t: TFunction,
): FormFault[] {
  const input = readInput(type, values);
  const faults: FormFault[] = [];
  if (!isNew && !isPassive(type) && values.locations.length === 0)
    faults.push({ path: "locations", message: "Choose at least one location" });
  for (const field of ["interval", "timeout"] as const) {
    if (Number.isNaN(input[field])) faults.push({ path: field, text: t("monitorForm.badDuration") });
  }
  if (input.interval !== undefined && input.interval < minIntervalMinutes - 1e-9) {
    const span = formatDuration(minIntervalMinutes * 60_000, currentLanguage());
    faults.push({ path: "interval", text: t("monitorForm.shortestInterval", { span }) });
  }
  if ("port" in input && Number.isNaN(input.port) && values[type]?.["port"] === "") {
    faults.push({ path: "port", text: t("monitorForm.portRequired") });
  }
  return [...faults, ...schemaFaults(monitorInput, input)].map((fault) => ({
    ...fault,
    path: fieldOf(type, values, fault.path) ?? fault.path,
  }));
}

/**
 * The form's path of an input's (dotted): `host` of a tcp check is `tcp.host`, `tags.0` is `tags`, which is one field, while
 * each of a list of headers has fields of its own, as each part of an object has. Null where the form has no such field.
 */
export function fieldOf(type: CheckType, values: FormValues, path: string): string | null {
  const [name = ""] = path.split(".");
  const isShared = name in emptyShared;
  const value = isShared ? values[name as keyof SharedValues] : values[type]?.[name];
  if (value === undefined) return null;
  if (isShared) return name;
  const hasFields = typeof (Array.isArray(value) ? value[0] : value) === "object";
  return `${type}.${hasFields ? path : name}`;
}

/** Whether a field of the input is drawn below 'advanced': everything with a good default. */
export function isAdvanced(type: CheckType, field: string): boolean {
  if (field in emptyShared) return field !== "name" && field !== "interval";
  return advancedNames(type).includes(field);
}

/** Whether anything below 'advanced' differs from what a new monitor has. */
export function hasAdvanced(type: CheckType, values: FormValues): boolean {
  const { locations, confirm, tags, dependsOn, note } = values;
  if (locations.length > 1 || confirm.locations.length > 0) return true;
  const shared = sharedFormOf(type).map(([name]) => [name, values[name as keyof typeof sharedForm]]);
  const own = advancedNames(type).map((name) => [name, values[type]?.[name]]);
  const chosen = { tags, dependsOn, note, ...Object.fromEntries([...shared, ...own]) };
  const usual: CheckValues = { ...emptyShared, ...emptyCheck(type) };
  return Object.entries(chosen).some(([name, value]) => JSON.stringify(value) !== JSON.stringify(usual[name]));
}

/** The timeout that an empty field means, in seconds. */
export function impliedTimeout(interval: string): number {
  const seconds = interval.trim() === "" ? 60 : parseDuration(interval, "m");
  return defaultTimeoutSeconds((seconds ?? 60) / 60);
}
