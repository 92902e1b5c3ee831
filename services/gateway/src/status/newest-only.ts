/**
 * Hands values over one after the other; of those that come meanwhile only the newest. `failed` is told what `handle`
 * rejected with, and the next value is handled all the same.
 */
export function newestOnly<Value>(handle: (value: Value) => Promise<void>, failed: (error: unknown) => void) {
  let waiting: { value: Value } | null = null;
  let running: Promise<void> = Promise.resolve();
  let isRunning = false;

  const run = async () => {
    while (waiting !== null) {
      const { value } = waiting;
      waiting = null;
      await handle(value).catch(failed);
    }
    isRunning = false;
  };
  return {
    push(value: Value): void {
      waiting = { value };
      if (isRunning) return;
      isRunning = true;
      running = run();
    },
    /** Settles once all that was pushed before is done with. */
    idle: (): Promise<void> => running,
  };
}
