import type { Client } from "@sonde/kit/bus/rpc";
import type { SharedCause } from "@sonde/proto/http/incidents/explanation";
import type { monitorsContract } from "@sonde/proto/rpc/monitors";
import type { AlertFacts } from "../alerts/incident.ts";

export type CauseSource = Pick<Client<typeof monitorsContract>, "listSharedCauses">;

/** An alert waits no longer, and is sent without. */
const queryTimeoutMs = 1_000;
const maxIds = 1_000;
const maxCauses = 3;

/**
 * Reads the causes that at least `min` openings of a message share. Does not ask if the message has fewer openings of
 * monitors, so other messages wait for nothing. Returns none if monitors is unavailable.
 */
export async function causesOfMessage(
  monitors: CauseSource,
  parts: readonly { moment: string; facts: Pick<AlertFacts, "incidentId" | "incidentKind" | "target"> }[],
  min: number,
): Promise<SharedCause[]> {
  const openings = parts.filter(
    ({ moment, facts: { target, incidentKind } }) =>
      moment === "opened" && target.type === "monitor" && (incidentKind === "down" || incidentKind === "partial"),
  );
  if (openings.length < min) return [];
  const ids = new Set(openings.map(({ facts }) => facts.incidentId).slice(0, maxIds));
  const asked = monitors.listSharedCauses({ incidentIds: [...ids] }, { timeoutMs: queryTimeoutMs });
  const { causes } = await asked.catch(() => ({ causes: [] }));
  return causes.filter((cause) => cause.incidentIds.filter((id) => ids.has(id)).length >= min).slice(0, maxCauses);
}
