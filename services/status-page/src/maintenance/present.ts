import type { MessageInitShape } from "@bufbuild/protobuf";
import type { MaintenanceSchema } from "@sonde/proto/gen/status/v1/status";
import type { ShownWindow } from "./window.ts";

export type MaintenanceInit = MessageInitShape<typeof MaintenanceSchema>;

/** A window as sent on the bus. */
export const presentWindow = (window: ShownWindow): MaintenanceInit => ({
  id: window.id,
  fields: {
    name: window.name,
    note: window.note,
    targets: {
      values: [
        ...window.monitorIds.map((id) => ({ type: "monitor", id })),
        ...window.agentIds.map((id) => ({ type: "agent", id })),
      ],
    },
    startMs: window.startMs,
    endMs: window.endMs,
    timeZone: window.timeZone,
    rrule: window.rrule,
    public: window.isPublic,
  },
  status: window.status,
  nextStartMs: window.nextStartMs,
  nextEndMs: window.nextEndMs,
  createdAtMs: window.createdAtMs,
  updatedAtMs: window.updatedAtMs,
});
