import * as z from "zod";
import { configPlan } from "../config/apply.ts";
import { success } from "../envelope.ts";

export const scheduleSources = ["opsgenie", "grafana-oncall", "pagerduty", "ical"] as const;
export type ScheduleSource = (typeof scheduleSources)[number];

export const scheduleImportInput = z.strictObject({
  source: z.enum(scheduleSources),
  data: z.union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown()).max(1_000)]).meta({
    description:
      'opsgenie: the response of `GET /v2/schedules?expand=rotation`. grafana-oncall: `{"schedules": …, "on_call_shifts": …, "users": …}`, the responses of these lists. pagerduty: the response of `GET /schedules/{id}?include[]=users`, or a list of them. ical: the text of a calendar feed.',
  }),
});
export const scheduleImportAnswer = success({
  dryRun: z.boolean(),
  plan: configPlan,
  unmatched: z
    .array(z.string())
    .meta({ description: "People without an account here with this mail address or username; they are left out." }),
  notes: z.array(z.object({ schedule: z.string(), text: z.string() })),
});
