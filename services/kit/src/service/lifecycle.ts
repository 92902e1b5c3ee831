import { notifyParent, ignoreLostOutput, silenceLibraries } from "./output.ts";
import { reasonOf } from "./waiting.ts";

/** `stop` finishes accepted work, then closes everything. */
export type Service = { stop(): Promise<void> };

const drainMs = 25_000;
const stopSignals = ["SIGTERM", "SIGINT"] as const;

/** Programming errors include their stack. */
function whyNotStarted(error: unknown): string {
  const isMistake = [TypeError, ReferenceError, SyntaxError, RangeError].some((kind) => error instanceof kind);
  return isMistake && error instanceof Error && !("code" in error) ? String(error.stack) : reasonOf(error);
}

/**
 * Exits with 1 and one line if the start fails. On SIGTERM, SIGINT or the end of the parent it drains for at most 25 s;
 * while starting, it exits immediately.
 */
export async function runMain(name: string, start: () => Promise<Service>): Promise<void> {
  ignoreLostOutput();
  silenceLibraries();
  process.umask(0o077); // Only the service's own user may read its files, whatever the umask of its parent.
  // The first process of a container ignores signals without a listener.
  const endAtOnce = () => process.exit(0);
  for (const signal of stopSignals) process.on(signal, endAtOnce);
  // `start` may throw configuration errors synchronously.
  const starting = Promise.resolve().then(start);
  const service = await starting.catch((error: unknown) => {
    const text = whyNotStarted(error);
    process.stderr.write(`${name} could not start: ${text}\n`);
    process.exit(1);
  });
  let stopping = false;
  const stop = (reason: string) => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => {
      process.stderr.write(`${name} did not drain within ${drainMs / 1000} s\n`);
      process.exit(1);
    }, drainMs).unref();
    service.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${name} failed to stop cleanly after ${reason}: ${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  for (const signal of stopSignals) {
    process.off(signal, endAtOnce);
    process.on(signal, () => stop(signal));
  }
  process.on("disconnect", () => stop("the parent's end"));
  notifyParent({ ready: name });
}
