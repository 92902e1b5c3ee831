import type { Bus } from "@sonde/kit/bus/connect";
import { watchBucket } from "@sonde/kit/bus/follow";
import type { Log } from "@sonde/kit/service/log";
import type { Service } from "@sonde/kit/service/lifecycle";
import type { Clock } from "@sonde/kit/time/clock";
import {
  type DocumentPart,
  documentParts,
  documentsHeader,
  documentsKey,
  outdatedName,
  type PageSummary,
} from "@sonde/proto/http/status/documents";
import { defaultSlug, isOutdated, pageStates, type PageStates, statesKey } from "@sonde/proto/http/status/snapshot";
import { buckets } from "@sonde/proto/streams";
import { promisify } from "node:util";
import { brotliDecompress, gunzip } from "node:zlib";
import type { Sendable } from "../site/bytes.ts";

/** `blanks`: placeholders for the texts of one visitor. */
export type StatusDocument = Omit<Sendable, "contentType"> & { blanks: Record<string, string> };

/** The public page as it was published last. */
export type PublishedPage = { summary: PageSummary; states: PageStates };

export type StatusView = {
  /** Null before both the page and its states were read. */
  published(): PublishedPage | null;
  /** A document by its name (`proto/http/status/documents.ts`); null: there is none. */
  document(name: string): StatusDocument | null;
  /** Runs after each change. */
  onChange(run: (now: PublishedPage, before: PublishedPage | null) => void): void;
};
export type WatchedView = StatusView &
  Service & { /** Settles once what the bucket held at the start was read. */ current: Promise<void> };

/** What the documents of a part, and the states, may inflate to; those of 500 services with 90 days are some 8 MB. */
const largestPartBytes = 64 * 2 ** 20;
const largestStatesBytes = 2 ** 20;

/** The view itself, and what changes it. */
export function createStatusView(clock: Pick<Clock, "now">) {
  const listeners: ((now: PublishedPage, before: PublishedPage | null) => void)[] = [];
  const parts = new Map<DocumentPart, ReadonlyMap<string, StatusDocument>>();
  let summary: PageSummary | null = null;
  let states: PageStates | null = null;
  let published: PublishedPage | null = null;

  const publish = () => {
    if (summary === null || states === null) return;
    const before = published;
    published = { summary, states };
    for (const run of listeners) run(published, before);
  };
  const find = (name: string): StatusDocument | null => {
    for (const documents of parts.values()) {
      const found = documents.get(name);
      if (found !== undefined) return found;
    }
    return null;
  };
  const view: StatusView = {
    published: () => published,
    document: (name) =>
      (states !== null && isOutdated(states, clock.now()) ? find(outdatedName(name)) : null) ?? find(name),
    onChange: (run) => void listeners.push(run),
  };
  return {
    ...view,
    /** @throws where it cannot be read; what was there stays */
    async takePart(part: DocumentPart, value: Uint8Array): Promise<void> {
      const raw = await promisify(brotliDecompress)(value, { maxOutputLength: largestPartBytes });
      const read = readPart(raw);
      parts.set(part, read.documents);
      if (read.summary === undefined) return;
      summary = read.summary;
      publish();
    },
    /** @throws as `takePart` */
    async takeStates(value: Uint8Array): Promise<void> {
      const text = await promisify(gunzip)(value, { maxOutputLength: largestStatesBytes });
      states = pageStates.parse(JSON.parse(text.toString()));
      publish();
    },
  };
}

function readPart(raw: Buffer): { summary: PageSummary | undefined; documents: Map<string, StatusDocument> } {
  const headerEnd = raw.indexOf("\n");
  const header = documentsHeader.parse(JSON.parse(raw.subarray(0, headerEnd).toString()));
  let at = headerEnd + 1;
  const documents = new Map<string, StatusDocument>();
  for (const { name, etag, sizeBytes, blanks = {} } of header.documents) {
    const bytes = raw.subarray(at, (at += sizeBytes));
    if (bytes.length !== sizeBytes) throw new RangeError("a document is cut off");
    documents.set(name, { etag, bytes, forms: {}, blanks });
  }
  return { summary: header.summary, documents };
}

/**
 * Follows the page's documents in the bucket `status`. What cannot be read is logged, and the last state stays; so does
 * all of it while the bus is disconnected, or if the bucket vanishes.
 */
export function watchStatus({ bus, clock, log }: { bus: Bus; clock: Pick<Clock, "now">; log: Log }): WatchedView {
  const { takePart, takeStates, ...view } = createStatusView(clock);
  const partOf = new Map(documentParts.map((part) => [documentsKey(defaultSlug, part), part]));
  const first = Promise.withResolvers<void>();
  const following = watchBucket(bus, {
    bucket: buckets.status,
    mayBeMissing: true,
    onEntry: async ({ key, value }) => {
      const part = partOf.get(key);
      try {
        if (part !== undefined) await takePart(part, value);
        else if (key === statesKey(defaultSlug)) await takeStates(value);
      } catch (error) {
        log.error({ err: error, key }, "a part of the public page cannot be read");
      }
    },
    onCurrent: () => first.resolve(),
  });
  // A bucket that is not there yet is not waited for.
  bus.jsm.streams.info(`KV_${buckets.status}`).catch(() => first.resolve());

  return {
    ...view,
    current: first.promise,
    stop: async () => {
      first.resolve();
      await following.stop();
    },
  };
}
