import type { NotifiedIncident } from "../../alerts/incident.ts";
import type { AlertPolicy } from "../../settings/store.ts";

/** Whether the id is that of a run of a drill. */
export const isDrill = (incidentId: string): boolean => incidentId.startsWith("d");

/** Returns the settings of a drill: it notifies only its target, at any time, in the language of the installation. */
export function settingsOfDrill(
  { language }: Pick<AlertPolicy, "language">,
  { target }: NonNullable<NotifiedIncident["drill"]>,
): AlertPolicy {
  const [kind, id] = target.split(":");
  return {
    isEnabled: true,
    channelIds: kind === "channel" ? [Number(id)] : [],
    wants: () => true,
    cooldownMs: 0,
    quietHours: null,
    language,
    templateId: null,
    policyId: kind === "policy" ? Number(id) : undefined,
  };
}
