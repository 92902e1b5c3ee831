import type { Spool } from "@sonde/agent/spool";

/** The agent's queue in memory: benchmarks do not kill agents. */
export function memorySpool(): Spool {
  const queue: Uint8Array[] = [];
  return {
    append: (sample) => void queue.push(sample),
    peek: (max) => {
      if (queue.length === 0) return undefined;
      const samples: Uint8Array[] = [];
      let bytes = 0;
      for (const sample of queue) {
        bytes += sample.length;
        if (samples.length > 0 && (samples.length >= max.samples || bytes > max.bytes)) break;
        samples.push(sample);
      }
      return { samples, done: () => void queue.splice(0, samples.length) };
    },
    waiting: () => queue.length,
    lost: () => 0,
    close: () => {},
  };
}
