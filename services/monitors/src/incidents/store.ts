import { incidentStore } from "@sonde/kit/incidents/store";

/** The incidents of monitors. */
export const incidents = incidentStore({ type: "monitor", table: "monitors", idPrefix: "m" });

/** What is open of a monitor that is down. */
export const down = { kind: "down" } as const;
