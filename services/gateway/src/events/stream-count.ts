import { gauge } from "@sonde/kit/telemetry/metrics";

/** Counts the streams that a process has open, of those who are logged in and of visitors together. */
export type StreamCount = {
  hasRoom(): boolean;
  take(): void;
  release(): void;
  /** The same count, with room for a part of the bound only. */
  upTo(share: number): StreamCount;
};

const open = gauge("sonde_sse_streams_open", "Server-sent event streams that are open");

export function createStreamCount(most: number): StreamCount {
  let count = 0;
  const change = (by: number) => {
    count += by;
    open.set(count);
  };
  const upTo = (share: number): StreamCount => ({
    hasRoom: () => count < Math.max(1, Math.floor(most * share)),
    take: () => change(1),
    release: () => change(-1),
    upTo,
  });
  return upTo(1);
}
