import { incidentStore } from "@sonde/kit/incidents/store";

/** The incidents of monitors. */
export const incidents = incidentStore({ type: "monitor", table: "monitors", idPrefix: "m" });

/** What is open of a monitor that is down. */
export const down = { kind: "down" } as const;

/** What is open of a monitor of which nothing is known any more. */
export const stale = { kind: "stale" } as const;
