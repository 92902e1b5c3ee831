import type { Monitor } from "@sonde/proto/http/monitors/monitors";

export type RowAct = (action: "pause" | "resume" | "delete", monitor: Monitor) => void;
