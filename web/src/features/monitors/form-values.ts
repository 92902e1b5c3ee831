import type { Assertion, AssertionOp, AssertionSource } from "@sonde/proto/http/assertions";
import {
  defaultTimeoutSeconds,
  type Method,
  type Monitor,
  monitorInput,
  type MonitorInputDraft,
} from "@sonde/proto/http/monitors";
import type { TFunction } from "i18next";
import { parseDuration } from "../../lib/duration.ts";
import { faultsIn, type FormFault } from "../../lib/form-faults.ts";
import type { KeyValue } from "../../ui/key-value-editor.tsx";

export type AssertionValues = {
  source: AssertionSource;
  property: string;
  op: AssertionOp;
  value: string;
  /** The value was stored as a number: it stays one as long as it reads as one. */
  isNumber?: boolean;
};

/** What stands in the form: texts as they were typed. */
export type FormValues = {
  name: string;
  url: string;
  method: Method;
  interval: string;
  timeout: string;
  expectedStatus: string;
  headers: KeyValue[];
  body: string;
  followRedirects: boolean;
  verifyTls: boolean;
  retries: string;
  assertions: AssertionValues[];
  tags: string;
  locations: string[];
};

export const emptyValues: FormValues = {
  name: "",
  url: "",
  method: "GET",
  interval: "1",
  timeout: "",
  expectedStatus: "200",
  headers: [],
  body: "",
  followRedirects: true,
  verifyTls: true,
  retries: "1",
  assertions: [],
  tags: "",
  // The server chooses one where a runner lives, unless somebody does.
  locations: [],
};

/** A monitor as the form shows it. */
export function toValues(monitor: Monitor): FormValues {
  return {
    name: monitor.name,
    url: monitor.url,
    method: monitor.method,
    interval: writeMinutes(monitor.interval),
    timeout: String(monitor.timeout),
    expectedStatus: String(monitor.expectedStatus),
    headers: monitor.headers.map(({ name, value }) => ({ name, value })),
    body: monitor.body ?? "",
    followRedirects: monitor.followRedirects,
    verifyTls: monitor.verifyTls,
    retries: String(monitor.retries),
    assertions: monitor.assertions.map(({ source, property, op, value }) => ({
      source,
      op,
      property: property ?? "",
      value: value === undefined ? "" : String(value),
      ...(typeof value === "number" && { isNumber: true }),
    })),
    tags: monitor.tags.join(", "),
    locations: monitor.locations,
  };
}

/** Whole minutes as a bare number, anything shorter in seconds: `0.5` would hide what it means. */
function writeMinutes(minutes: number): string {
  return Number.isInteger(minutes) ? String(minutes) : `${Math.round(minutes * 60_000) / 1000}s`;
}

/** What the form sends. A duration that cannot be read becomes NaN, which `check` reports in its own words. */
export function readInput(values: FormValues): MonitorInputDraft {
  const timeout = values.timeout.trim() === "" ? undefined : (parseDuration(values.timeout, "s") ?? NaN);
  return {
    name: values.name,
    url: values.url,
    method: values.method,
    interval: values.interval.trim() === "" ? 1 : (parseDuration(values.interval, "m") ?? NaN) / 60,
    ...(timeout === undefined ? {} : { timeout }),
    expectedStatus: readStatus(values.expectedStatus),
    headers: values.headers,
    body: values.body === "" ? null : values.body,
    followRedirects: values.followRedirects,
    verifyTls: values.verifyTls,
    retries: values.retries.trim() === "" ? 1 : Number(values.retries),
    assertions: values.assertions.map(readAssertion),
    tags: values.tags
      .split(/[,，、]/)
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ""),
    ...(values.locations.length === 0 ? {} : { locations: values.locations }),
  };
}

function readStatus(text: string): string | number {
  const trimmed = text.trim();
  if (trimmed === "") return 200;
  return /^\d+$/.test(trimmed) ? Number(trimmed) : trimmed;
}

function readAssertion({ source, property, op, value, ...stored }: AssertionValues): Assertion {
  const isNumber = stored.isNumber || op === "lessThan" || op === "greaterThan" || source === "latency";
  const text = value.trim();
  return {
    source,
    op,
    ...(source === "header" || source === "json" ? { property: property.trim() } : {}),
    ...(op === "exists" || text === ""
      ? {}
      : { value: isNumber && Number.isFinite(Number(text)) ? Number(text) : value }),
  };
}

/** Everything that is wrong with what stands in the form. `minIntervalMinutes` is the server's. */
export function checkValues(
  values: FormValues,
  { minIntervalMinutes, isNew }: { minIntervalMinutes: number; isNew: boolean },
  t: TFunction,
): FormFault[] {
  const input = readInput(values);
  const faults: FormFault[] = [];
  if (!isNew && values.locations.length === 0) faults.push({ path: "locations", message: "At least one location" });
  for (const field of ["interval", "timeout"] as const) {
    if (Number.isNaN(input[field])) faults.push({ path: field, text: t("monitorForm.badDuration") });
  }
  if (input.interval !== undefined && input.interval < minIntervalMinutes - 1e-9) {
    faults.push({
      path: "interval",
      message: "The interval is at least {min} min",
      params: { min: minIntervalMinutes },
    });
  }
  return [...faults, ...faultsIn(monitorInput, input)];
}

/** The timeout that an empty field stands for, in seconds. */
export function impliedTimeout(interval: string): number {
  const seconds = interval.trim() === "" ? 60 : parseDuration(interval, "m");
  return defaultTimeoutSeconds((seconds ?? 60) / 60);
}

/** Leaves out rows that nobody filled in. */
export function dropEmptyRows(values: FormValues): Pick<FormValues, "headers"> {
  return { headers: values.headers.filter(({ name, value }) => name.trim() !== "" || value.trim() !== "") };
}
