import type { MessageInitShape } from "@bufbuild/protobuf";
import { invalid } from "@sonde/kit/errors";
import { readDependsOn } from "@sonde/kit/incidents/targets";
import type { CheckSpecSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import type { MonitorFields, MonitorFieldsSchema } from "@sonde/proto/gen/monitors/v1/monitors";
import type { Definition, StoredMonitor } from "./monitor.ts";
import { shownCheck } from "./stored-check.ts";

/** Fields of a check as a person gave them: some of its kind's, null for one that is cleared. */
export type GivenCheck = Record<string, unknown>;

/** What a person gave, in the units that are kept. */
export type Patch = Partial<Omit<Definition, "check">> & { check?: GivenCheck; paused?: boolean };

/**
 * Reads the fields that are present; numbers become whole milliseconds.
 * @throws AppError invalid where the check is no JSON object, or what it depends on is none
 */
export function readFields(fields: MonitorFields | undefined): Patch {
  if (fields === undefined) return {};
  const { name, intervalMinutes, timeoutSeconds, retries, tags, locations, paused, check, note, dependsOn } = fields;
  const patch: Patch = {
    name,
    intervalMs: intervalMinutes === undefined ? undefined : Math.round(intervalMinutes * 60_000),
    timeoutMs: timeoutSeconds === undefined ? undefined : Math.round(timeoutSeconds * 1_000),
    retries,
    tags: tags?.values,
    locations: locations?.values,
    dependsOn: dependsOn && readDependsOn(dependsOn.values),
    note,
    paused,
    check: check === undefined ? undefined : readJsonObject(check),
  };
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
}

function readJsonObject(text: string): GivenCheck {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as GivenCheck;
  } catch {
    // Said below.
  }
  throw invalid([{ path: "", message: "The body must be a JSON object" }]);
}

/** A monitor's fields as a person may see them: no secret value. */
export function writeFields(monitor: StoredMonitor): MessageInitShape<typeof MonitorFieldsSchema> {
  return {
    name: monitor.name,
    intervalMinutes: monitor.intervalMs / 60_000,
    timeoutSeconds: monitor.timeoutMs / 1_000,
    retries: monitor.retries,
    tags: { values: monitor.tags },
    locations: { values: monitor.locations },
    dependsOn: { values: monitor.dependsOn },
    note: monitor.note,
    paused: monitor.status === "paused",
    check: JSON.stringify(shownCheck(monitor.check)),
  };
}

/** What a runner carries out; secrets stay sealed. */
export function checkSpec({ check, timeoutMs }: Definition): MessageInitShape<typeof CheckSpecSchema> {
  return { check: JSON.stringify(check), timeoutMs };
}
