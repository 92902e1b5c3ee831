import type { Api } from "@sonde/testing/api";
import type { AlertLog } from "../sonde/alerts.ts";
import { deleteMonitors } from "../sonde/clean.ts";
import { type AlertVerdict, type Expected, judgeAlerts } from "./alerts.ts";
import { auditCluster, type ClusterAudit, type Verdict } from "./audit.ts";

export interface Closing extends ClusterAudit {
  api: Api;
  alerts: AlertLog;
  /** Which alerts of some monitors must have been sent. */
  expected: readonly Expected[];
  say(line: string): void;
}

/** Judges what a scenario under load left behind, says each loss, and deletes the monitors and the alert channel. */
export async function judgeAndTidy(closing: Closing): Promise<Verdict & { verdict: AlertVerdict }> {
  const { api, alerts, expected, say } = closing;
  const { counted, losses } = await auditCluster(closing);
  const verdict = judgeAlerts(expected, await alerts.told());
  await alerts.remove();
  await deleteMonitors(api);
  for (const loss of [...losses, ...verdict.lost, ...verdict.doubled]) say(`  LOST: ${loss}`);
  return { counted, losses, verdict };
}
