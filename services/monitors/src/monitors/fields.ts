import type { MessageInitShape } from "@bufbuild/protobuf";
import { secretMask } from "@sonde/proto/http/monitors";
import type { CheckSpecSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import type { MonitorFields, MonitorFieldsSchema } from "@sonde/proto/gen/monitors/v1/monitors";
import type { Definition, StoredMonitor } from "./monitor.ts";

/** What a person gave: headers as typed (a secret one may be the mask), everything else in the units that are kept. */
export type Patch = Partial<Omit<Definition, "headers">> & {
  headers?: { name: string; value: string }[];
  paused?: boolean;
};

/** Reads the fields that are present; numbers become whole milliseconds. */
export function readFields(fields: MonitorFields): Patch {
  const { headers, assertions, tags, locations, body, intervalMinutes, timeoutSeconds } = fields;
  const patch: Patch = {
    name: fields.name,
    url: fields.url,
    method: fields.method,
    intervalMs: intervalMinutes === undefined ? undefined : Math.round(intervalMinutes * 60_000),
    timeoutMs: timeoutSeconds === undefined ? undefined : Math.round(timeoutSeconds * 1_000),
    expectedStatus: fields.expectedStatus,
    headers: headers?.headers.map(({ name, value }) => ({ name, value })),
    body: fields.clearBody ? null : body,
    followRedirects: fields.followRedirects,
    verifyTls: fields.verifyTls,
    retries: fields.retries,
    assertions: assertions?.assertions.map(({ source, property, op, value, isNumber }) => ({
      source,
      property,
      op,
      value,
      ...(isNumber === undefined ? {} : { isNumber }),
    })),
    tags: tags?.values,
    locations: locations?.values,
    paused: fields.paused,
  };
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
}

/** A monitor's fields as a person may see them: no secret value. */
export function writeFields(monitor: StoredMonitor): MessageInitShape<typeof MonitorFieldsSchema> {
  return {
    name: monitor.name,
    url: monitor.url,
    method: monitor.method,
    intervalMinutes: monitor.intervalMs / 60_000,
    timeoutSeconds: monitor.timeoutMs / 1_000,
    expectedStatus: monitor.expectedStatus,
    headers: {
      headers: monitor.headers.map(({ name, value, secret }) => ({ name, value: secret ? secretMask : value, secret })),
    },
    ...(monitor.body === null ? {} : { body: monitor.body }),
    followRedirects: monitor.followRedirects,
    verifyTls: monitor.verifyTls,
    retries: monitor.retries,
    assertions: { assertions: monitor.assertions },
    tags: { values: monitor.tags },
    locations: { values: monitor.locations },
    paused: monitor.status === "paused",
  };
}

/** What a runner carries out; secret header values stay sealed. */
export function checkSpec(definition: Definition): MessageInitShape<typeof CheckSpecSchema> {
  return {
    url: definition.url,
    method: definition.method,
    headers: definition.headers,
    ...(definition.body === null ? {} : { body: definition.body }),
    expectedStatus: definition.expectedStatus,
    timeoutMs: definition.timeoutMs,
    followRedirects: definition.followRedirects,
    verifyTls: definition.verifyTls,
    assertions: definition.assertions,
  };
}
