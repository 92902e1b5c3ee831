import type { Log } from "@sonde/kit/service/log";

const maxWaitMs = 3_000;

/** Waits for a task that should be quick; a slow one continues in the background. */
export async function waitBriefly(run: Promise<void>, log: Log): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, maxWaitMs);
  const quiet = run.catch((error: unknown) =>
    log.warn({ err: error }, "NATS is unreachable: a change waits in the outbox"),
  );
  await Promise.race([quiet, over.promise]);
  clearTimeout(timer);
}
