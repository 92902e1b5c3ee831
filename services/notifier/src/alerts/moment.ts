import type { AlertKind } from "@sonde/proto/http/incidents/alerts";
import type { IncidentKind } from "@sonde/proto/http/incidents/incidents";
import { oneOf } from "@sonde/kit/one-of";

/** The moments of an incident that can be alerted. */
export const momentNames = ["opened", "closed", "flapping", "steady", "reminder"] as const;
export type MomentName = (typeof momentNames)[number];
/**
 * One moment, alerted once each: `opened`, `closed`, `reminder:3`; `flapping` and `steady` have the time of their
 * decision.
 */
export type AlertMoment = "opened" | "closed" | `${"flapping" | "steady" | "reminder"}:${number}`;

const readName = oneOf(momentNames, "moment");

/** @throws TypeError for a text that is no moment */
export function readMoment(moment: string): { name: MomentName; number: number } {
  const [name = "", number = "0"] = moment.split(":");
  return { name: readName(name), number: Number(number) };
}

const kinds: Readonly<Record<IncidentKind, { opened: AlertKind; closed: AlertKind }>> = {
  down: { opened: "down", closed: "recovery" },
  offline: { opened: "offline", closed: "online" },
  threshold: { opened: "threshold", closed: "cleared" },
  stale: { opened: "stale", closed: "fresh" },
};

/** The kind of an alert of this moment; a reminder has the kind of the opening. */
export function alertKindOf(kind: IncidentKind, name: MomentName): AlertKind {
  if (name === "flapping" || name === "steady") return name;
  return kinds[kind][name === "closed" ? "closed" : "opened"];
}
