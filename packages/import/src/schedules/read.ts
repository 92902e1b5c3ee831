import type { ScheduleSource } from "@sonde/proto/http/on-call/import";
import { readGrafanaOnCall } from "./grafana-oncall.ts";
import { readCalendar } from "./ical.ts";
import { readOpsgenie } from "./opsgenie.ts";
import { readPagerDuty } from "./pagerduty.ts";
import type { ImportedSchedule } from "./shapes.ts";

const readers: Readonly<Record<ScheduleSource, (data: unknown) => ImportedSchedule[]>> = {
  opsgenie: readOpsgenie,
  "grafana-oncall": readGrafanaOnCall,
  pagerduty: readPagerDuty,
  ical: readCalendar,
};

/** Schedules of another product; none if the data is not what it exports. */
export const readSchedules = (source: ScheduleSource, data: unknown): ImportedSchedule[] =>
  readers[source](data).filter(({ name }) => name !== "");
