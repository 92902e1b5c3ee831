import type { AskOptions } from "@sonde/kit/rpc";
import type { MonitorUptime } from "@sonde/proto/gen/metrics/v1/metrics";
import { type Services, timeouts } from "./services.ts";

/**
 * The uptime of monitors, by id; what `metrics` cannot tell just now is missing, and the answer goes out without it.
 * An empty list stands for all monitors together, under id 0.
 */
export async function readUptimes(
  { metrics }: Pick<Services, "metrics">,
  monitorIds: number[],
  ask: AskOptions,
): Promise<Map<number, MonitorUptime>> {
  try {
    const { uptimes } = await metrics.monitorUptimes({ monitorIds }, { ...ask, timeoutMs: timeouts.besideMs });
    return new Map(uptimes.map((uptime) => [uptime.monitorId, uptime]));
  } catch {
    return new Map();
  }
}
