import type { Log } from "@sonde/kit/service/log";

export type Item = {
  rows: number;
  /** A user may be waiting for it. */
  news: boolean;
};

export type BlocksOptions<I extends Item> = {
  /** Writes all items or rejects; retried with the same items until it succeeds. */
  write: (items: readonly I[]) => Promise<void>;
  /** Called on the first failed write, and on the first success after that. */
  onAvailability: (unavailable: boolean, error?: unknown) => void;
  log: Log;
  maxRows?: number;
  /** Minimum time between blocks, unless one is full. */
  everyMs?: number;
  patientMs?: number;
  /** Minimum time that a first row waits for others. */
  lingerMs?: number;
};

export type Blocks<I extends Item> = {
  add(item: I): void;
  room(): Promise<void>;
  /** Writes pending items, unless a block started within `everyMs`. Resolves after the attempt or `maxFlushWaitMs`. */
  flushPending(): Promise<void>;
  unavailable(): boolean;
  /** Tries once to write pending items; returns those that could not be written. */
  stop(): Promise<readonly I[]>;
};

const maxFlushWaitMs = 500;
const retryMs = [250, 500, 1_000, 2_000, 5_000] as const;

/**
 * Collects items into blocks and writes one block at a time: when it has `maxRows` rows, or `everyMs` after the
 * previous one. Without news it waits `patientMs`, since a block costs the same for any number of rows. After a quiet
 * period the first block is written after just `lingerMs`.
 */
export function gatherBlocks<I extends Item>(options: BlocksOptions<I>): Blocks<I> {
  const { write, onAvailability, log, maxRows = 10_000, everyMs = 1_000, patientMs = 6_000, lingerMs = 100 } = options;
  let waiting: I[] = [];
  let rows = 0;
  let news = false;
  let lastBegan = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let stopping = false;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  const wakers: (() => void)[] = [];

  const wake = () => {
    for (const waker of wakers.splice(0)) waker();
  };

  const plan = () => {
    if (writing !== undefined || stopping || waiting.length === 0) return;
    clearTimeout(timer);
    const sinceMs = performance.now() - lastBegan;
    const delayMs =
      failures > 0
        ? (retryMs[Math.min(failures, retryMs.length) - 1] ?? 0)
        : Math.max(lingerMs, (news ? everyMs : patientMs) - sinceMs);
    timer = setTimeout(flush, rows >= maxRows && failures === 0 ? 0 : delayMs);
  };

  const flush = () => {
    writing ??= writeBlock().finally(() => {
      writing = undefined;
      wake();
      plan();
    });
    return writing;
  };

  const writeBlock = async () => {
    let count = 0;
    let total = 0;
    while (count < waiting.length && total < maxRows) total += waiting[count++]!.rows;
    const block = waiting.slice(0, count);
    lastBegan = performance.now();
    try {
      await write(block);
    } catch (error) {
      failures++;
      if (failures === 1) onAvailability(true, error);
      else log.debug({ err: error, failures }, "inserting into ClickHouse failed; retrying");
      return;
    }
    if (failures > 0) onAvailability(false);
    failures = 0;
    waiting = waiting.slice(count);
    rows -= total;
    news = waiting.some((item) => item.news);
  };

  return {
    add(item) {
      const isFirstNews = item.news && !news;
      waiting.push(item);
      rows += item.rows;
      news ||= item.news;
      // The first item sets the timer, the first news shortens it, and a full block is written immediately.
      if (waiting.length === 1 || isFirstNews || rows >= maxRows) plan();
    },
    async room() {
      while (!stopping && (rows >= maxRows || failures > 0)) await new Promise<void>((resolve) => wakers.push(resolve));
    },
    async flushPending() {
      const isSoon = performance.now() - lastBegan < everyMs;
      if (writing === undefined && (waiting.length === 0 || failures > 0 || isSoon || stopping)) return;
      clearTimeout(timer);
      // The write may have to wait for a long rollup or deletion.
      await Promise.race([flush(), new Promise((resolve) => setTimeout(resolve, maxFlushWaitMs))]);
    },
    unavailable: () => failures > 0,
    async stop() {
      stopping = true;
      clearTimeout(timer);
      wake();
      await writing;
      if (waiting.length > 0 && failures === 0) await flush();
      return waiting;
    },
  };
}
