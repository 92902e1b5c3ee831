import type { Monitor } from "@sonde/proto/http/monitors/monitors";

/** What is done to a row's monitor in place. */
export type RowAct = (action: "pause" | "resume" | "delete", monitor: Monitor) => void;
