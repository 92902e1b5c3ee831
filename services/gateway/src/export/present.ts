import type { Monitor as MonitorMessage } from "@sonde/proto/gen/monitors/v1/monitors";
import type { ExportDocument } from "@sonde/proto/http/export";
import type { KnownAgent } from "@sonde/proto/rpc/agents";
import { readCheck } from "@sonde/proto/http/kinds";
import { present } from "../presenters/present.ts";
import { presentTargetRefs } from "../presenters/target-refs.ts";

/** What a person set of a monitor: its secrets come masked. */
export function exportMonitor({ id, fields: given }: MonitorMessage): ExportDocument["monitors"][number] {
  const fields = present(given);
  return {
    id,
    ...readCheck(JSON.parse(present(fields.check)) as Record<string, unknown>),
    name: fields.name ?? "",
    interval: fields.intervalMinutes ?? 1,
    timeout: fields.timeoutSeconds ?? 10,
    retries: fields.retries ?? 1,
    tags: fields.tags?.values ?? [],
    locations: fields.locations?.values ?? [],
    paused: fields.paused ?? false,
    dependsOn: presentTargetRefs(fields.dependsOn?.values ?? []),
    note: fields.note ?? "",
  } as ExportDocument["monitors"][number];
}

export const exportAgent = ({ id, name, hostname, dependsOn }: KnownAgent): ExportDocument["agents"][number] => ({
  id,
  name,
  hostname,
  dependsOn,
});
