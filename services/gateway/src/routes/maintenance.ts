import { AppError } from "@sonde/kit/errors";
import {
  maintenanceAnswer,
  maintenanceInput,
  maintenanceListAnswer,
  maintenancePatch,
  maintenanceQuery,
} from "@sonde/proto/http/status/maintenance";
import { readInBatches } from "../middleware/batches.ts";
import { command, route } from "../route.ts";

const params = { id: "Maintenance does not exist" } as const;

export const maintenanceRoutes = [
  route("GET /api/maintenance", "session", {
    summary: "List maintenance windows",
    description:
      "Those that run first, then those ahead by their next start, then the past by their end, the newest first. `next` is the occurrence that runs, else the next one.",
    query: maintenanceQuery,
    answer: maintenanceListAnswer,
    handle: async (input) => {
      const { services, query, ask } = input;
      const first = await services.statusPage.listMaintenance(query, ask);
      const list = (wanted: { ids: number[]; pageSize: number }) => services.statusPage.listMaintenance(wanted, ask);
      return { maintenance: readInBatches(input, first, list, (page) => page.maintenance), total: first.total };
    },
  }),
  route("POST /api/maintenance", "write", {
    idempotent: true,
    summary: "Plan maintenance",
    description:
      "While it runs nobody is alerted of what it covers, and checks count for no uptime; what is still down at its end is alerted then. It covers nothing of what is past: what began already begins now. `rrule` may use FREQ (DAILY, WEEKLY, MONTHLY, YEARLY), INTERVAL, COUNT (at most 1000), UNTIL, BYDAY, BYMONTH, BYMONTHDAY, BYSETPOS and WKST; the start is its first occurrence, whether the rule names that day or not. Each occurrence keeps its hours on the clock of `timeZone`; none may begin before the last one ended. At most 500 monitors and agents together, at most 100 windows that have not ended, a start within 400 days.",
    body: maintenanceInput,
    status: 201,
    answer: maintenanceAnswer,
    message: "Maintenance scheduled",
    handle: async ({ services, body, ask }) => ({
      maintenance: await services.statusPage.createMaintenance(body, ask),
    }),
  }),
  route("GET /api/maintenance/:id", "session", {
    summary: "Get a maintenance window",
    params,
    answer: maintenanceAnswer,
    handle: async ({ services, params: { id }, ask }) => {
      const [window] = (await services.statusPage.listMaintenance({ ids: [id], pageSize: 1 }, ask)).maintenance;
      if (window === undefined) throw new AppError("not_found", params.id);
      return { maintenance: window };
    },
  }),
  route("PUT /api/maintenance/:id", "write", {
    summary: "Change a maintenance window, by a whole input or a part of one",
    description:
      "What has passed stays as it was. An occurrence that runs ends earlier or later; where it is to cover something else, it ends and another begins.",
    params,
    body: maintenancePatch,
    answer: maintenanceAnswer,
    message: "Maintenance updated",
    handle: async ({ services, params: { id }, body, ask }) => ({
      maintenance: await services.statusPage.updateMaintenance({ ...body, id }, ask),
    }),
  }),
  route("POST /api/maintenance/:id/end", "write", {
    summary: "End the occurrence of a maintenance window that runs now; those that follow stay",
    params,
    answer: maintenanceAnswer,
    refusals: ["impossible"],
    message: "Maintenance ended",
    handle: async ({ services, params: { id }, ask }) => ({
      maintenance: await services.statusPage.endMaintenance({ id }, ask),
    }),
  }),
  command("DELETE /api/maintenance/:id", "write", {
    summary: "Delete a maintenance window; one that runs ends now, and what it covered stays outside uptime",
    params,
    message: "Maintenance successfully deleted",
    handle: ({ services, params: { id }, ask }) => services.statusPage.deleteMaintenance({ id }, ask),
  }),
];
