import { AppError } from "@sonde/kit/errors";
import {
  maintenanceAnswer,
  maintenanceInput,
  maintenanceListAnswer,
  maintenancePatch,
  maintenanceQuery,
  occurrencesAnswer,
  occurrencesQuery,
} from "@sonde/proto/http/status/maintenance";
import { silenceAnswer, silenceInput, silencePatch, silencesAnswer } from "@sonde/proto/http/status/silences";
import { readInBatches } from "../middleware/batches.ts";
import { command, route } from "../route.ts";

const params = { id: "Maintenance does not exist" } as const;

export const maintenanceRoutes = [
  route("GET /api/maintenance", "session", {
    summary: "List maintenance windows",
    description:
      "Running windows first, then upcoming ones by next start, then past ones by end, newest first. `next` is the running or next occurrence.",
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
    summary: "Schedule maintenance",
    description:
      "During the window, no alerts are sent for the covered targets and checks do not count towards uptime. Alerts for anything still down are sent at its end. A window never covers the past: one with a past start begins now. `rrule` may use FREQ (DAILY, WEEKLY, MONTHLY, YEARLY), INTERVAL, COUNT (at most 1000), UNTIL, BYDAY, BYMONTH, BYMONTHDAY, BYSETPOS and WKST. The start is the first occurrence even if the rule does not match that day. Occurrences keep their local time in `timeZone` and cannot overlap. A tag covers the monitors and agents that have it during an occurrence: changes apply within 15 seconds, and past occurrences keep what they covered. At most 500 monitors and agents by name, 1,000 by tag, at most 100 windows that have not ended, and a start within 400 days.",
    body: maintenanceInput,
    status: 201,
    answer: maintenanceAnswer,
    message: "Maintenance scheduled",
    handle: async ({ services, body, ask }) => ({
      maintenance: await services.statusPage.createMaintenance(body, ask),
    }),
  }),
  route("GET /api/maintenance/occurrences", "session", {
    summary: "List the occurrences of all windows in a period, by start",
    description: "Past occurrences are as they were. At most 2,000; `more` says whether there are others.",
    query: occurrencesQuery,
    answer: occurrencesAnswer,
    handle: ({ services, query, ask }) => services.statusPage.listOccurrences(query, ask),
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
    summary: "Change all or some fields of a maintenance window",
    description:
      "Past occurrences stay unchanged. A running occurrence can end earlier or later; if its targets change, it ends and a new one starts.",
    params,
    body: maintenancePatch,
    answer: maintenanceAnswer,
    message: "Maintenance updated",
    handle: async ({ services, params: { id }, body, ask }) => ({
      maintenance: await services.statusPage.updateMaintenance({ ...body, id }, ask),
    }),
  }),
  route("POST /api/maintenance/:id/end", "write", {
    summary: "End the running occurrence of a maintenance window; later ones are kept",
    params,
    answer: maintenanceAnswer,
    refusals: ["impossible"],
    message: "Maintenance ended",
    handle: async ({ services, params: { id }, ask }) => ({
      maintenance: await services.statusPage.endMaintenance({ id }, ask),
    }),
  }),
  command("DELETE /api/maintenance/:id", "write", {
    summary: "Delete a maintenance window; a running one ends now, and the time it covered stays out of uptime",
    params,
    message: "Maintenance successfully deleted",
    handle: ({ services, params: { id }, ask }) => services.statusPage.deleteMaintenance({ id }, ask),
  }),
];

const silenceParams = { id: "Silence does not exist" } as const;

export const silenceRoutes = [
  route("GET /api/silences", "session", {
    summary: "List active silences, the first to end first",
    answer: silencesAnswer,
    handle: async ({ services, ask }) => {
      const { silences } = await services.statusPage.listSilences({}, ask);
      return { silences, total: silences.length };
    },
  }),
  route("POST /api/silences", "write", {
    idempotent: true,
    summary: "Silence a monitor, an agent, or all monitors and agents with a tag, which defers their messages",
    description:
      "Checks, incidents, uptime and the public page are not affected. Messages due until then are sent at the end if they still apply; the recovery of an incident that was already reported is sent immediately. A tag covers the monitors and agents that have it now, at most 1,000 of each. At most 200 silences can be active, otherwise 422.",
    body: silenceInput,
    status: 201,
    answer: silenceAnswer,
    message: "Silence started",
    handle: async ({ services, body, ask }) => ({ silence: await services.statusPage.createSilence(body, ask) }),
  }),
  route("PUT /api/silences/:id", "write", {
    summary: "Move the end of an active silence, for example to extend it",
    params: silenceParams,
    body: silencePatch,
    answer: silenceAnswer,
    message: "Silence updated",
    handle: async ({ services, params: { id }, body, ask }) => ({
      silence: await services.statusPage.updateSilence({ ...body, id }, ask),
    }),
  }),
  command("DELETE /api/silences/:id", "write", {
    summary: "End a silence and send deferred messages",
    params: silenceParams,
    message: "Silence ended",
    handle: ({ services, params: { id }, ask }) => services.statusPage.endSilence({ id }, ask),
  }),
];
