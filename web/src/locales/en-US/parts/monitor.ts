import { alerting, changes } from "../alerting.ts";
import { acknowledge, evidence, incident, incidentList, quiet } from "../incidents.ts";
import { monitorBulk, monitorForm, monitorKinds } from "../monitor-form.ts";
import { monitor, monitorDetail } from "../monitor.ts";

/** What the page of a monitor says beyond the list, and what is about incidents, as its page holds them. */
export const monitorWords = {
  acknowledge,
  alerting,
  changes,
  evidence,
  incident,
  incidentList,
  monitor,
  monitorBulk,
  monitorDetail,
  monitorForm,
  monitorKinds,
  quiet,
} as const;
