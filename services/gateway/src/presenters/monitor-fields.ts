import type { MessageInitShape } from "@bufbuild/protobuf";
import type { MonitorFieldsSchema } from "@sonde/proto/gen/monitors/v1/monitors";
import type { Assertion } from "@sonde/proto/http/assertions";
import { type Header, isSecretHeader, type MonitorPatch } from "@sonde/proto/http/monitors";

/** An input of a monitor, whole or partial, as the bus has it: what is absent stays absent. */
export function toMonitorFields(input: MonitorPatch): MessageInitShape<typeof MonitorFieldsSchema> {
  const { interval, timeout, expectedStatus, headers, assertions, tags, locations, body, ...alike } = input;
  return {
    ...alike,
    ...(interval === undefined ? {} : { intervalMinutes: interval }),
    ...(timeout === undefined ? {} : { timeoutSeconds: timeout }),
    ...(expectedStatus === undefined ? {} : { expectedStatus: String(expectedStatus) }),
    ...(headers === undefined ? {} : { headers: { headers: headers.map(toHeader) } }),
    ...(assertions === undefined ? {} : { assertions: { assertions: assertions.map(toAssertion) } }),
    ...(tags === undefined ? {} : { tags: { values: tags } }),
    ...(locations === undefined ? {} : { locations: { values: locations } }),
    ...(body === undefined ? {} : { body }),
    // `null` cleared it: the key is there, its value is not.
    ...("body" in input && body === undefined ? { clearBody: true } : {}),
  };
}

const toHeader = ({ name, value }: Header) => ({ name, value, secret: isSecretHeader(name) });

const toAssertion = ({ source, property, op, value }: Assertion) => ({
  source,
  property: property ?? "",
  op,
  value: value === undefined ? "" : String(value),
  ...(value === undefined ? {} : { isNumber: typeof value === "number" }),
});
