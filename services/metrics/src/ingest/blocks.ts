import type { Log } from "@sonde/kit/service/log";

/** Something that is written with others and settled once that is done. */
export type Item = {
  rows: number;
  /** A user may be waiting to see it. */
  news: boolean;
};

export type BlocksOptions<I extends Item> = {
  /** Writes all of them or rejects; called again with the same until it succeeds. */
  write: (items: readonly I[]) => Promise<void>;
  /** Called when a write fails after one that did not, and when one succeeds again. */
  onAway: (away: boolean, error?: unknown) => void;
  log: Log;
  maxRows?: number;
  /** At most one block in this time, unless it is full. */
  everyMs?: number;
  /** The same for blocks without news. */
  patientMs?: number;
  /** The least time that a first row waits for company. */
  lingerMs?: number;
};

export type Blocks<I extends Item> = {
  add(item: I): void;
  /** Resolves once there is room for more and writes succeed. */
  room(): Promise<void>;
  /** Writes what waits at once, unless a block began within `everyMs`; resolves when that was tried, or takes long. */
  hurry(): Promise<void>;
  away(): boolean;
  /** Writes what waits, once; what cannot be written is given back. */
  stop(): Promise<readonly I[]>;
};

/** The longest delay of an urgent write. */
const hurryMs = 500;
const retryMs = [250, 500, 1_000, 2_000, 5_000] as const;

/**
 * Gathers items into blocks and writes one block at a time. A block is written when it has `maxRows` rows, or `everyMs`
 * after the last one; without news only after `patientMs`, since a block costs the same for any number of rows. After a
 * quiet period the first one is written after `lingerMs` already.
 */
export function gatherBlocks<I extends Item>(options: BlocksOptions<I>): Blocks<I> {
  const { write, onAway, log, maxRows = 10_000, everyMs = 1_000, patientMs = 6_000, lingerMs = 100 } = options;
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
      if (failures === 1) onAway(true, error);
      else log.debug({ err: error, failures }, "inserting into ClickHouse failed; retrying");
      return;
    }
    if (failures > 0) onAway(false);
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
      // The first one sets the time; news bring it forward, a full block ends it.
      if (waiting.length === 1 || isFirstNews || rows >= maxRows) plan();
    },
    async room() {
      while (!stopping && (rows >= maxRows || failures > 0)) await new Promise<void>((resolve) => wakers.push(resolve));
    },
    async hurry() {
      const isSoon = performance.now() - lastBegan < everyMs;
      if (writing === undefined && (waiting.length === 0 || failures > 0 || isSoon || stopping)) return;
      clearTimeout(timer);
      // Writes take turns with rollups and deletions, which may last.
      await Promise.race([flush(), new Promise((resolve) => setTimeout(resolve, hurryMs))]);
    },
    away: () => failures > 0,
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
