import type * as follow from "@sonde/kit/bus/follow";

/** `@sonde/kit/bus/follow` where what arrives counts as stored now by the test's own clock: the real bus has another. */
export function storedAt(actual: typeof follow, nowMs: () => number): typeof follow {
  return {
    ...actual,
    followStream: (bus, options) =>
      actual.followStream(bus, {
        ...options,
        onMessage: (message) => options.onMessage({ ...message, storedAtMs: nowMs() }),
      }),
  };
}
