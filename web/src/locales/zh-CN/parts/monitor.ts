import type { Translated } from "../../catalogue.ts";
import type { monitorWords as en } from "../../en-US/parts/monitor.ts";
import { alerting, changes } from "../alerting.ts";
import { acknowledge, evidence, incident, incidentList, quiet } from "../incidents.ts";
import { monitorBulk, monitorForm, monitorKinds } from "../monitor-form.ts";
import { monitor, monitorDetail } from "../monitor.ts";

/** The same in Chinese. */
export const monitorWords: Translated<typeof en> = {
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
};
