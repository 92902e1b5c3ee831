import { useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";

const tickMs = 1000;
let nowMs = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void) {
  listeners.add(listener);
  timer ??= setInterval(() => {
    nowMs = Date.now();
    for (const each of listeners) each();
  }, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function read() {
  // Without subscribers no tick updates the clock.
  if (timer === undefined && Date.now() - nowMs > tickMs) nowMs = Date.now();
  return nowMs;
}

/** Current time in epoch milliseconds, updated once a second for all components together. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, read, read);
}

/** A value derived from the current time, such as whole days until a date. Renders only when it changes. */
export function useFromNow<Value extends string | number | boolean>(of: (nowMs: number) => Value): Value {
  const readValue = () => of(read());
  return useSyncExternalStore(subscribe, readValue, readValue);
}

export function useIsAhead(at: string | undefined): boolean {
  return useFromNow((nowMs) => at !== undefined && Date.parse(at) > nowMs);
}

/** True once a component has been mounted for some time. */
export function useTimeUp(ms: number): boolean {
  const [isUp, setUp] = useState(false);
  useEffect(() => {
    const timeout = setTimeout(() => setUp(true), ms);
    return () => clearTimeout(timeout);
  }, [ms]);
  return isUp;
}

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = globalThis.matchMedia?.(query);
      media?.addEventListener("change", listener);
      return () => media?.removeEventListener("change", listener);
    },
    () => globalThis.matchMedia?.(query).matches ?? false,
    () => false,
  );
}

export function useOnline(): boolean {
  return useSyncExternalStore(
    (listener) => {
      addEventListener("online", listener);
      addEventListener("offline", listener);
      return () => {
        removeEventListener("online", listener);
        removeEventListener("offline", listener);
      };
    },
    () => navigator.onLine,
  );
}

/** Returns a value debounced by `waitMs`. */
export function useSettled<Value>(value: Value, waitMs: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), waitMs);
    return () => clearTimeout(timer);
  }, [value, waitMs]);
  return settled;
}

/** State shared by components outside the store. */
export function createShared<Value>(initial: Value) {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    read: () => value,
    set(next: Value) {
      if (next === value) return;
      value = next;
      for (const listener of listeners) listener();
    },
    listen(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export function useShared<Value>({ listen, read }: ReturnType<typeof createShared<Value>>): Value {
  return useSyncExternalStore(listen, read, read);
}

/** Returns a function with a stable identity that calls the latest `run`, so that memoised rows do not render again. */
export function useLatest<Args extends unknown[]>(run: (...args: Args) => void): (...args: Args) => void {
  const latest = useRef(run);
  useLayoutEffect(() => {
    latest.current = run;
  });
  return useCallback((...args: Args) => latest.current(...args), []);
}
