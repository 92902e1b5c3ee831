import type { Bus } from "@sonde/kit/bus/connect";
import type { Bucket } from "@sonde/proto/streams";
import { setTimeout as pause } from "node:timers/promises";

const atMostMs = 5_000;
const lookAgainMs = 20;

/**
 * Resolves once `isCurrent` says that a watched bucket was read: at once where there is no such bucket yet, and after a
 * few seconds in any case, so that a slow bus keeps nothing from starting.
 */
export async function untilCurrent(bus: Bus, bucket: Bucket, isCurrent: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + atMostMs;
  const isThere = await bus.jsm.streams.info(`KV_${bucket}`).then(
    () => true,
    () => false,
  );
  while (isThere && !isCurrent() && performance.now() < deadlineMs) await pause(lookAgainMs);
}
