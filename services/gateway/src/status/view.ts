import type { Bus } from "@sonde/kit/bus/connect";
import { watchBucket } from "@sonde/kit/bus/follow";
import type { Service } from "@sonde/kit/service/lifecycle";
import type { Log } from "@sonde/kit/service/log";
import { defaultSlug, pageKey, type PageStates, statesKey } from "@sonde/proto/http/status-snapshot";
import { buckets } from "@sonde/proto/streams";
import { setTimeout as sleep } from "node:timers/promises";
import type { StoredPage } from "./jobs.ts";
import type { Maker } from "./maker.ts";
import { newestOnly } from "./newest-only.ts";
import { readStates, type Summary } from "./read.ts";

/** The public page as it was last told. */
export type Known = { page: StoredPage; summary: Summary; states: PageStates };

export type StatusView = {
  /** Null before both the snapshot and the states were read. */
  known(): Known | null;
  /** Runs after each change. */
  onChange(run: (now: Known, before: Known | null) => void): void;
};
export type WatchedView = StatusView &
  Service & { /** Settles once what the bucket held at the start was read. */ current: Promise<void> };

/** A key's value, and which creation of the bucket it lay in: revisions count anew in another one. */
type Told = { value: Uint8Array; sequence: number; created: string };
type Accepted = { revision: number; created: string };

const readTries = 3;

/**
 * Keeps what the bucket `status` says of the page. What cannot be read is logged, and what was known before stays; so
 * does all of it while the bus is away, or when the bucket vanishes.
 */
export function watchStatus({ bus, log, maker }: { bus: Bus; log: Log; maker: Maker }): WatchedView {
  const listeners: ((now: Known, before: Known | null) => void)[] = [];
  let page: { stored: StoredPage; summary: Summary } | null = null;
  let states: PageStates | null = null;
  let known: Known | null = null;
  const accepted: { page: Accepted | null; states: Accepted | null } = { page: null, states: null };
  let stopped = false;

  /** Whether a value is newer than what is known; it then counts as known. */
  const accept = (which: "page" | "states", revision: number, { created }: Told): boolean => {
    const last = accepted[which];
    if (last !== null && last.created === created && revision <= last.revision) return false;
    accepted[which] = { revision, created };
    return true;
  };
  const publish = () => {
    if (page === null || states === null || stopped) return;
    const before = known;
    known = { page: page.stored, summary: page.summary, states };
    for (const run of listeners) run(known, before);
  };

  const takePage = async (told: Told) => {
    const stored = { key: `${told.created} ${told.sequence}`, bytes: shared(told.value) };
    const read = await withTries(
      () => maker.read(stored),
      () => stopped,
    );
    if ("unreadable" in read) throw new Error(read.unreadable);
    if (!accept("page", read.summary.revision, told)) return;
    page = { stored, summary: read.summary };
    publish();
  };
  const takeStates = (told: Told) => {
    const read = readStates(told.value);
    if (!accept("states", read.revision, told)) return;
    states = read;
    publish();
  };
  const logged = (what: string) => (error: unknown) => {
    if (!stopped) log.error({ err: error }, `${what} cannot be read`);
  };
  const pages = newestOnly(takePage, logged("the public page's snapshot"));

  const first = Promise.withResolvers<void>();
  const following = watchBucket(bus, {
    bucket: buckets.status,
    mayBeMissing: true,
    onEntry: ({ key, value, sequence }) => {
      const told = { value, sequence, created: following.created() ?? "" };
      if (key === pageKey(defaultSlug)) pages.push(told);
      if (key !== statesKey(defaultSlug)) return;
      try {
        takeStates(told);
      } catch (error) {
        logged("the public page's states")(error);
      }
    },
    onCurrent: () => void pages.idle().then(() => first.resolve()),
  });
  // A bucket that nobody made yet is waited for by nobody.
  bus.jsm.streams.info(`KV_${buckets.status}`).catch(() => first.resolve());

  return {
    current: first.promise,
    known: () => known,
    onChange: (run) => void listeners.push(run),
    stop: async () => {
      stopped = true;
      first.resolve();
      await following.stop();
    },
  };
}

/** A thread can be busy, or end; what it could not look at is shown to it again. */
async function withTries<Result>(attempt: () => Promise<Result>, isOver: () => boolean): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tries >= readTries || isOver()) throw error;
      await sleep(500 * tries);
    }
  }
}

/** A copy that another thread reads in place. */
function shared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}
