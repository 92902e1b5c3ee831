import type { Bus } from "@sonde/kit/bus/connect";
import type { Bucket } from "@sonde/proto/streams";
import { setTimeout as pause } from "node:timers/promises";

const atMostMs = 5_000;
const lookAgainMs = 20;

/**
 * Resolves once `isCurrent` reports that a watched bucket was read: at once without such a bucket, and after a few
 * seconds in any case, so that a slow bus does not block the start.
 */
export async function untilCurrent(bus: Bus, bucket: Bucket, isCurrent: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + atMostMs;
  const isThere = await bus.jsm.streams.info(`KV_${bucket}`).then(
    () => true,
    () => false,
  );
  while (isThere && !isCurrent() && performance.now() < deadlineMs) await pause(lookAgainMs);
}
