import { AppError } from "@sonde/kit/errors";
import type { Handlers } from "@sonde/kit/bus/rpc";
import type { StatusPageService } from "@sonde/proto/gen/status/v1/status";
import type { Context } from "../context.ts";

type Methods = "listMaintenance" | "createMaintenance" | "updateMaintenance" | "deleteMaintenance";

const notYet = () =>
  Promise.reject(
    new AppError("unavailable", "The {service} service is not available at the moment", {
      params: { service: "status-page" },
    }),
  );

export const maintenanceEndpoints = (_ctx: Context): Pick<Handlers<typeof StatusPageService>, Methods> => ({
  listMaintenance: notYet,
  createMaintenance: notYet,
  updateMaintenance: notYet,
  deleteMaintenance: notYet,
});
