/** Calls `run` at once, and again at most every `everyMs` as long as calls come. `cancel` drops what waits. */
export function throttle(everyMs: number, run: () => void): { (): void; cancel: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waiting = false;
  function call() {
    if (timer !== undefined) {
      waiting = true;
      return;
    }
    run();
    timer = setTimeout(() => {
      timer = undefined;
      if (!waiting) return;
      waiting = false;
      call();
    }, everyMs);
  }
  call.cancel = () => {
    clearTimeout(timer);
    timer = undefined;
    waiting = false;
  };
  return call;
}
