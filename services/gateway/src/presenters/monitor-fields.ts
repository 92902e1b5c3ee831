import type { MessageInitShape } from "@bufbuild/protobuf";
import type { MonitorFieldsSchema } from "@sonde/proto/gen/monitors/v1/monitors";
import { type MonitorInput, type MonitorPatch, splitInput } from "@sonde/proto/http/monitors";

/** An input of a monitor, whole or partial, as the bus has it: what is absent stays absent. */
export function toMonitorFields(input: MonitorInput | MonitorPatch): MessageInitShape<typeof MonitorFieldsSchema> {
  const { shared, check } = splitInput(input);
  const { interval, timeout, tags, locations, dependsOn, ...alike } = shared;
  return {
    ...alike,
    intervalMinutes: interval,
    timeoutSeconds: timeout,
    tags: tags && { values: tags },
    locations: locations && { values: locations },
    dependsOn: dependsOn && { values: dependsOn },
    check: Object.keys(check).length === 0 ? undefined : JSON.stringify(check),
  };
}
