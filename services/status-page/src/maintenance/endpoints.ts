import type { Handlers } from "@sonde/kit/bus/rpc";
import type { Idempotent } from "@sonde/kit/postgres/idempotency";
import { MaintenanceSchema, type StatusPageService } from "@sonde/proto/gen/status/v1/status";
import { type Context, within } from "../context.ts";
import { createMaintenance } from "./create.ts";
import { deleteMaintenance, endMaintenance } from "./end.ts";
import { listMaintenance } from "./list.ts";
import { updateMaintenance } from "./update.ts";

type Methods = "listMaintenance" | "createMaintenance" | "updateMaintenance" | "endMaintenance" | "deleteMaintenance";

/** Maintenance windows. */
export const maintenanceEndpoints = (
  ctx: Context,
  idempotent: Idempotent,
): Pick<Handlers<typeof StatusPageService>, Methods> => ({
  listMaintenance: (request) => listMaintenance(ctx, request),
  createMaintenance: (fields, call) =>
    idempotent(call, MaintenanceSchema, (db, afterwards) => createMaintenance(within(ctx, db, afterwards), fields)),
  updateMaintenance: (request) => updateMaintenance(ctx, request),
  endMaintenance: ({ id }) => endMaintenance(ctx, id),
  deleteMaintenance: async ({ id }) => {
    await deleteMaintenance(ctx, id);
    return {};
  },
});
