import type { Bus } from "@sonde/kit/bus/connect";
import { watchBucket } from "@sonde/kit/bus/follow";
import type { Log } from "@sonde/kit/service/log";
import type { Service } from "@sonde/kit/service/lifecycle";
import type { Clock } from "@sonde/kit/time/clock";
import { accessKey } from "@sonde/proto/http/status/access";
import {
  type DocumentPart,
  documentParts,
  documentsHeader,
  documentsKey,
  neutralKey,
  outdatedName,
  type PageSummary,
} from "@sonde/proto/http/status/documents";
import { defaultSlug, isOutdated, pageStates, type PageStates, statesKey } from "@sonde/proto/http/status/snapshot";
import { buckets } from "@sonde/proto/streams";
import { promisify } from "node:util";
import { brotliDecompress, gunzip } from "node:zlib";
import { bytesReader, type Sendable } from "../site/bytes.ts";
import { type CachedAccess, lockedAccess, readAccess } from "./access.ts";

/** `blanks`: placeholders for the texts of one visitor. */
export type StatusDocument = Omit<Sendable, "contentType"> & { bytes: Buffer; blanks: Record<string, string> };

export type PublishedPage = { summary: PageSummary; states: PageStates };

export type StatusView = {
  /** Who may read it; null: it was deleted. */
  access(): CachedAccess | null;
  /** Null before both the page and its states were read. */
  published(): PublishedPage | null;
  /** A document by its name (`proto/http/status/documents.ts`); null: there is none. */
  document(name: string): StatusDocument | null;
  /** Runs after each change. */
  onChange(run: (now: PublishedPage, before: PublishedPage | null) => void): void;
  /** Runs where others may read it. */
  onAccess(run: () => void): void;
};

export type StatusPages = {
  /** Null: there is none. The default page is there before anything of it is known. */
  page(slug: string): StatusView | null;
  /** The page that has a host name for itself, by its slug. */
  ofHost(name: string): string | null;
  /** Of the pages that everyone may read. */
  publicLogos(): string[];
  /** A document that no page has for itself; null: there is none yet. */
  neutral(name: string): StatusDocument | null;
};
export type WatchedPages = StatusPages &
  Service & { /** Settles once what the bucket held at the start was read. */ current: Promise<void> };

/** What the documents of a part, and the states, may inflate to; those of 500 services with 90 days are some 8 MB. */
const largestPartBytes = 64 * 2 ** 20;
const largestStatesBytes = 2 ** 20;

/** Of the default page, as long as nothing else is known. */
const publicAccess: CachedAccess = {
  slug: defaultSlug,
  mode: "public",
  isPrivate: false,
  hosts: [],
  links: [],
  key: null,
  allowFrom: [],
};

export function createStatusView(clock: Pick<Clock, "now">, initial: CachedAccess | null = publicAccess) {
  const listeners: ((now: PublishedPage, before: PublishedPage | null) => void)[] = [];
  const onAccess: (() => void)[] = [];
  let access = initial;
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
    access: () => access,
    published: () => published,
    document: (name) =>
      (states !== null && isOutdated(states, clock.now()) ? find(outdatedName(name)) : null) ?? find(name),
    onChange: (run) => void listeners.push(run),
    onAccess: (run) => void onAccess.push(run),
  };
  return {
    ...view,
    setAccess(now: CachedAccess | null): void {
      access = now;
      for (const run of onAccess) run();
    },
    /** @throws where it cannot be read; what was there stays */
    async takePart(part: DocumentPart, value: Uint8Array): Promise<void> {
      const read = await readPart(value);
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

type Part = { summary: PageSummary | undefined; documents: ReadonlyMap<string, StatusDocument> };

async function readPart(value: Uint8Array): Promise<Part> {
  const raw = await promisify(brotliDecompress)(value, { maxOutputLength: largestPartBytes });
  const headerEnd = raw.indexOf("\n");
  const header = documentsHeader.parse(JSON.parse(raw.subarray(0, headerEnd).toString()));
  let at = headerEnd + 1;
  const documents = new Map<string, StatusDocument>();
  for (const { name, etag, sizeBytes, blanks = {} } of header.documents) {
    const bytes = raw.subarray(at, (at += sizeBytes));
    if (bytes.length !== sizeBytes) throw new RangeError("a document is cut off");
    documents.set(name, { etag, bytes, read: bytesReader(bytes), blanks });
  }
  return { summary: header.summary, documents };
}

export function createStatusPages(clock: Pick<Clock, "now">) {
  const views = new Map([[defaultSlug, createStatusView(clock)]]);
  let hosts: ReadonlyMap<string, string> = new Map();
  let neutral: Part["documents"] = new Map();

  const viewOf = (slug: string) => {
    const view = views.get(slug) ?? createStatusView(clock, null);
    views.set(slug, view);
    return view;
  };
  const setAccess = (slug: string, access: CachedAccess | null) => {
    viewOf(slug).setAccess(access);
    // A page of this name that is made later is another one.
    if (access === null) views.delete(slug);
    const all = [...views].flatMap(([of, view]) => view.access()?.hosts.map((host) => [host, of] as const) ?? []);
    hosts = new Map(all);
  };
  const pages: StatusPages = {
    page: (slug) => {
      const view = views.get(slug);
      return view === undefined || view.access() === null ? null : view;
    },
    ofHost: (name) => hosts.get(name) ?? null,
    publicLogos: () => [...views.values()].flatMap(publicLogo),
    neutral: (name) => neutral.get(name) ?? null,
  };
  return {
    ...pages,
    /** Takes a value of the bucket. @throws where it cannot be read; what was there stays, but for who may read it */
    async take(key: string, value: Uint8Array): Promise<void> {
      if (key === neutralKey) return void (neutral = (await readPart(value)).documents);
      const slug = key.slice(0, Math.max(0, key.indexOf(".")));
      if (key === accessKey(slug)) {
        try {
          return setAccess(slug, readAccess(slug, value));
        } catch (error) {
          setAccess(slug, lockedAccess(slug));
          throw error;
        }
      }
      if (key === statesKey(slug)) return viewOf(slug).takeStates(value);
      const part = documentParts.find((one) => key === documentsKey(slug, one));
      if (part !== undefined) await viewOf(slug).takePart(part, value);
    },
    /** A key was deleted: without its access a page is gone, but for the default one. */
    forget(key: string): void {
      const slug = key.slice(0, Math.max(0, key.indexOf(".")));
      if (key === accessKey(slug) && slug !== defaultSlug) setAccess(slug, null);
    },
  };
}

function publicLogo(view: StatusView): string[] {
  const access = view.access();
  const logoUrl = view.published()?.summary.logoUrl ?? null;
  return access === null || access.isPrivate || logoUrl === null ? [] : [logoUrl];
}

/**
 * Follows the pages in the bucket `status`. What cannot be read is logged, and the last state stays; so does all of it
 * while the bus is disconnected, or if the bucket vanishes.
 */
export function watchStatus({ bus, clock, log }: { bus: Bus; clock: Pick<Clock, "now">; log: Log }): WatchedPages {
  const { take, forget, ...pages } = createStatusPages(clock);
  const first = Promise.withResolvers<void>();
  const following = watchBucket(bus, {
    bucket: buckets.status,
    mayBeMissing: true,
    onEntry: async ({ key, value }) => {
      try {
        await take(key, value);
      } catch (error) {
        log.error({ err: error, key }, "a part of a status page cannot be read");
      }
    },
    onDelete: forget,
    onCurrent: () => first.resolve(),
  });
  // A bucket that is not there yet is not waited for.
  bus.jsm.streams.info(`KV_${buckets.status}`).catch(() => first.resolve());

  return {
    ...pages,
    current: first.promise,
    stop: async () => {
      first.resolve();
      await following.stop();
    },
  };
}
