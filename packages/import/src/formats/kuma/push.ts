import type { KumaRow } from "@sonde/proto/http/import";
import { number, type ReadCheck, text } from "./rows.ts";

const maxSeconds = 604_800;
const minGraceSeconds = 60;

/**
 * The address `/api/push/{token}` keeps working. Uptime Kuma waits for the interval, then once per retry (`push` in
 * server/model/monitor.js); `grace` covers the retries.
 */
export function readPush(row: KumaRow): ReadCheck {
  const token = text(row, "push_token");
  const intervalSeconds = number(row, "interval") ?? 60;
  const retriesSeconds = (number(row, "maxretries") ?? 0) * (number(row, "retry_interval") || intervalSeconds);
  const check = {
    type: "heartbeat",
    every: Math.max(1, intervalSeconds / 60),
    grace: Math.min(maxSeconds, Math.max(minGraceSeconds, Math.round(retriesSeconds))),
  };
  if (token === "") return { check, notes: [{ text: "Had no ping address, so it gets a new one" }] };
  return { check: { ...check, pingToken: token } };
}
