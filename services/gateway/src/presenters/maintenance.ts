import { oneOf } from "@sonde/kit/one-of";
import type { Maintenance as MaintenanceMessage, MaintenanceFields } from "@sonde/proto/gen/status/v1/status";
import { type Maintenance, type maintenancePatch, maintenanceStatuses } from "@sonde/proto/http/status/maintenance";
import type { z } from "zod";
import { instantOf } from "./instant.ts";

const readStatus = oneOf(maintenanceStatuses, "status of maintenance");

/** A maintenance window as people see it. */
export function presentMaintenance({ fields, nextStartMs, nextEndMs, ...window }: MaintenanceMessage): Maintenance {
  const idsOf = (type: string) => fields?.targets?.values.flatMap((one) => (one.type === type ? [one.id] : [])) ?? [];
  return {
    id: window.id,
    name: fields?.name ?? "",
    note: fields?.note || undefined,
    monitors: idsOf("monitor"),
    agents: idsOf("agent"),
    start: instantOf(fields?.startMs ?? 0),
    end: instantOf(fields?.endMs ?? 0),
    timeZone: fields?.timeZone ?? "UTC",
    rrule: fields?.rrule || undefined,
    public: fields?.public ?? false,
    status: readStatus(window.status),
    next:
      nextStartMs === undefined || nextEndMs === undefined
        ? undefined
        : { start: instantOf(nextStartMs), end: instantOf(nextEndMs) },
    createdAt: instantOf(window.createdAtMs),
    updatedAt: instantOf(window.updatedAtMs),
  };
}

/** The fields of a window as sent on the bus, and the types of targets that the request lists. */
export function maintenanceFields({ start, end, monitors, agents, ...rest }: z.output<typeof maintenancePatch>) {
  const refs = (type: string, ids: readonly number[] = []) => ids.map((id) => ({ type, id }));
  const targetTypes = [...(monitors ? ["monitor"] : []), ...(agents ? ["agent"] : [])];
  const fields = {
    ...rest,
    targets:
      targetTypes.length === 0 ? undefined : { values: [...refs("monitor", monitors), ...refs("agent", agents)] },
    startMs: start === undefined ? undefined : Date.parse(start),
    endMs: end === undefined ? undefined : Date.parse(end),
  };
  return { fields, targetTypes } satisfies {
    fields: Partial<Omit<MaintenanceFields, "targets" | "$typeName">>;
    targetTypes: string[];
  };
}
