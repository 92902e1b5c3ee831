import { counter } from "@sonde/kit/telemetry/metrics";

export const sentTotal = counter("sonde_status_mails_total", "Attempts at mails to subscribers", ["kind", "outcome"]);
