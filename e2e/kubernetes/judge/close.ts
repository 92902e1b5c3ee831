import type { Api } from "@sonde/testing/api";
import type { AlertLog } from "../sonde/alerts.ts";
import { deleteMonitors } from "../sonde/clean.ts";
import { type AlertVerdict, type Expected, judgeAlerts } from "./alerts.ts";
import { auditCluster, type ClusterAudit, type Verdict } from "./audit.ts";

export interface Closing extends ClusterAudit {
  api: Api;
  alerts: AlertLog;
  expected: readonly Expected[];
  log(line: string): void;
}

/** Judges a scenario under load, logs each loss, and deletes the monitors and the alert channel. */
export async function judgeAndTidy(closing: Closing): Promise<Verdict & { verdict: AlertVerdict }> {
  const { api, alerts, expected, log } = closing;
  const { counted, losses } = await auditCluster(closing);
  const verdict = judgeAlerts(expected, await alerts.received());
  await alerts.remove();
  await deleteMonitors(api);
  for (const loss of [...losses, ...verdict.lost, ...verdict.doubled]) log(`  LOST: ${loss}`);
  return { counted, losses, verdict };
}
