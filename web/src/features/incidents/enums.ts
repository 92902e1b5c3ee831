import type { IncidentKind } from "@sonde/proto/http/incidents";

// Spelled here once more, checked against the contract: importing the values would bring zod into the list's chunk.
export const incidentKinds = ["down", "offline", "threshold", "stale"] as const satisfies readonly IncidentKind[];
export const answers = ["true", "false"] as const;

/** Whether a text may be the id of an incident. */
export const isIncidentId = (text: string | undefined): text is string => /^[ma][1-9]\d{0,9}$/.test(text ?? "");
