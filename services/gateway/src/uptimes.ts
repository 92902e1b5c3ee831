import type { AskOptions } from "@sonde/kit/bus/rpc";
import type { MonitorUptime } from "@sonde/proto/rpc/metrics";
import { type Services, timeouts } from "./services.ts";

export type Uptimes = ReadonlyMap<number, MonitorUptime>;

/**
 * The uptime of monitors, by id; null where `metrics` cannot tell just now, and the answer goes out without it.
 * An empty list stands for all monitors together, under id 0.
 */
export async function readUptimes(
  { metrics }: Pick<Services, "metrics">,
  monitorIds: number[],
  ask: AskOptions,
): Promise<Uptimes | null> {
  try {
    const { uptimes } = await metrics.monitorUptimes({ monitorIds }, { ...ask, timeoutMs: timeouts.besideMs });
    return new Map(uptimes.map((uptime) => [uptime.monitorId, uptime]));
  } catch {
    return null;
  }
}

/** What an answer says beside its monitors: that their uptime is not known just now. */
export const sayMissing = (uptimes: Uptimes | null): { unavailable?: "uptime"[] } =>
  uptimes === null ? { unavailable: ["uptime"] } : {};
