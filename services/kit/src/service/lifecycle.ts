import { notifyParent, outliveOutput, silenceLibraries } from "./output.ts";
import { reasonOf } from "./waiting.ts";

/** A running service. `stop` drains: accepted work is finished, then everything is closed. */
export type Service = { stop(): Promise<void> };

const drainMs = 25_000;
const stopSignals = ["SIGTERM", "SIGINT"] as const;

/** Why a service could not start, in one line; a mistake in the code shows where it is. */
function whyNotStarted(error: unknown): string {
  const isMistake = [TypeError, ReferenceError, SyntaxError, RangeError].some((kind) => error instanceof kind);
  return isMistake && error instanceof Error && !("code" in error) ? String(error.stack) : reasonOf(error);
}

/**
 * Runs a service as this process: one clear line and exit 1 when it cannot start; on SIGTERM, SIGINT or the
 * parent's going it drains, at most 25 s, and exits. One that waits for its servers has nothing to drain and ends at once.
 */
export async function runMain(name: string, start: () => Promise<Service>): Promise<void> {
  outliveOutput();
  silenceLibraries();
  process.umask(0o077); // Only the service's own user may read its files, whatever the umask of its parent.
  // The first process of a container is not ended by a signal that it does not listen to.
  const endAtOnce = () => process.exit(0);
  for (const signal of stopSignals) process.on(signal, endAtOnce);
  // In a promise, so that a configuration fault, which is thrown synchronously, is reported like any other.
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
        process.stderr.write(`${name} stopped badly after ${reason}: ${String(error)}\n`);
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
