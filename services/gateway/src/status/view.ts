import type { Bus } from "@sonde/kit/bus/connect";
import { watchBucket } from "@sonde/kit/bus/follow";
import type { Log } from "@sonde/kit/service/log";
import type { Service } from "@sonde/kit/service/lifecycle";
import type { Clock } from "@sonde/kit/time/clock";
import { accessKey } from "@sonde/proto/http/status/access";
import {
  documentsHeader,
  documentsKey,
  neutralKey,
  outdatedName,
  type PageSummary,
  type PublishedPart,
  publishedParts,
} from "@sonde/proto/http/status/documents";
import { defaultSlug, isOutdated, pageStates, type PageStates, statesKey } from "@sonde/proto/http/status/snapshot";
import { buckets } from "@sonde/proto/streams";
import { promisify } from "node:util";
import { brotliDecompress, gunzip } from "node:zlib";
import { bytesReader, type Sendable } from "../site/bytes.ts";
import { type CachedAccess, lockedAccess, readAccess } from "./access.ts";

/** `blanks` maps names to placeholders for texts of one visitor. */
export type StatusDocument = Omit<Sendable, "contentType"> & {
  bytes: Buffer;
  blanks: Record<string, string>;
  /** Media type of an image. */
  type?: string | undefined;
};

export type PublishedPage = { summary: PageSummary; states: PageStates };

export type StatusView = {
  /** Who may read the page; `null` if it was deleted. */
  access(): CachedAccess | null;
  /** `null` until both the page and its states have been read. */
  published(): PublishedPage | null;
  /** @param name see `proto/http/status/documents.ts` */
  document(name: string): StatusDocument | null;
  onChange(run: (now: PublishedPage, before: PublishedPage | null) => void): void;
  onAccess(run: () => void): void;
};

export type StatusPages = {
  /** The default page always exists. */
  page(slug: string): StatusView | null;
  /** The default page first. */
  all(): StatusView[];
  ofHost(name: string): string | null;
  publicLogos(): string[];
  /** A document that belongs to no page. */
  neutral(name: string): StatusDocument | null;
};
export type WatchedPages = StatusPages &
  Service & { /** Resolves when the bucket's initial values have been read. */ current: Promise<void> };

/** Decompressed; the documents of 500 services with 90 days take about 8 MB. */
const maxPartBytes = 64 * 2 ** 20;
const maxStatesBytes = 2 ** 20;

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
  const parts = new Map<PublishedPart, ReadonlyMap<string, StatusDocument>>();
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
    /** @throws if the value cannot be read; the previous part stays */
    async applyPart(part: PublishedPart, value: Uint8Array): Promise<void> {
      const read = await readPart(value);
      parts.set(part, read.documents);
      if (read.summary === undefined) return;
      summary = read.summary;
      publish();
    },
    /** @throws as `applyPart` */
    async applyStates(value: Uint8Array): Promise<void> {
      const text = await promisify(gunzip)(value, { maxOutputLength: maxStatesBytes });
      states = pageStates.parse(JSON.parse(text.toString()));
      publish();
    },
  };
}

type Part = { summary: PageSummary | undefined; documents: ReadonlyMap<string, StatusDocument> };

async function readPart(value: Uint8Array): Promise<Part> {
  const raw = await promisify(brotliDecompress)(value, { maxOutputLength: maxPartBytes });
  const headerEnd = raw.indexOf("\n");
  const header = documentsHeader.parse(JSON.parse(raw.subarray(0, headerEnd).toString()));
  let at = headerEnd + 1;
  const documents = new Map<string, StatusDocument>();
  for (const { name, etag, sizeBytes, blanks = {}, type } of header.documents) {
    const bytes = raw.subarray(at, (at += sizeBytes));
    if (bytes.length !== sizeBytes) throw new RangeError("truncated document");
    documents.set(name, { etag, bytes, read: bytesReader(bytes), blanks, type });
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
    if (access === null) views.delete(slug);
    const all = [...views].flatMap(([of, view]) => view.access()?.hosts.map((host) => [host, of] as const) ?? []);
    hosts = new Map(all);
  };
  const pages: StatusPages = {
    page: (slug) => {
      const view = views.get(slug);
      return view === undefined || view.access() === null ? null : view;
    },
    all: () => [...views.values()],
    ofHost: (name) => hosts.get(name) ?? null,
    publicLogos: () => [...views.values()].flatMap(publicLogo),
    neutral: (name) => neutral.get(name) ?? null,
  };
  return {
    ...pages,
    /** @throws if the value cannot be read; the previous one stays, except that unreadable access locks the page */
    async applyEntry(key: string, value: Uint8Array): Promise<void> {
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
      if (key === statesKey(slug)) return viewOf(slug).applyStates(value);
      const part = publishedParts.find((one) => key === documentsKey(slug, one));
      if (part !== undefined) await viewOf(slug).applyPart(part, value);
    },
    /** Deleting its access deletes a page, except the default one. */
    removeEntry(key: string): void {
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

/** Unreadable values are logged, and the previous ones stay in effect, also while the bus is disconnected. */
export function watchStatus({ bus, clock, log }: { bus: Bus; clock: Pick<Clock, "now">; log: Log }): WatchedPages {
  const { applyEntry, removeEntry, ...pages } = createStatusPages(clock);
  const first = Promise.withResolvers<void>();
  const following = watchBucket(bus, {
    bucket: buckets.status,
    mayBeMissing: true,
    onEntry: async ({ key, value }) => {
      try {
        await applyEntry(key, value);
      } catch (error) {
        log.error({ err: error, key }, "status page data cannot be read");
      }
    },
    onDelete: removeEntry,
    onCurrent: () => first.resolve(),
  });
  // Do not wait for a bucket that does not exist yet.
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
