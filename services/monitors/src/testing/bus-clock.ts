import type * as follow from "@sonde/kit/bus/follow";

/**
 * `@sonde/kit/bus/follow`, but a message counts as stored when it is first read, by the test's clock; the real bus
 * uses another clock.
 */
export function storedAt(actual: typeof follow, nowMs: () => number): typeof follow {
  const firstReadMs = new Map<string, number>();
  return {
    ...actual,
    followStream: (bus, options) =>
      actual.followStream(bus, {
        ...options,
        onMessage: (message) => {
          const place = `${message.created} ${message.sequence}`;
          const storedAtMs = firstReadMs.get(place) ?? nowMs();
          firstReadMs.set(place, storedAtMs);
          return options.onMessage({ ...message, storedAtMs });
        },
      }),
  };
}
