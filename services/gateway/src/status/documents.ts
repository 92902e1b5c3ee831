import { unavailable } from "@sonde/kit/errors";
import type { Log } from "@sonde/kit/service/log";
import type { Clock } from "@sonde/kit/time/clock";
import type { PageSnapshot } from "@sonde/proto/http/status-snapshot";
import { type Encoded, encodedOnce } from "../site/encoded.ts";
import { isOutdated } from "./join.ts";
import type { Made } from "./jobs.ts";
import type { Around } from "./make.ts";
import type { Maker } from "./maker.ts";
import type { Language } from "./page/render.ts";
import { readStates } from "./read.ts";
import type { Known, StatusView } from "./view.ts";
import { blankOf, fillIn, type Slip } from "./slips.ts";
import { keyOf, type Wanted, type WantedOnce } from "./wanted.ts";

/** `page`: the settings that it was made under; `etag` without quotes. */
export type Document = { page: PageSnapshot["page"]; etag: string; bytes: Buffer; encoded: Encoded };

export type Documents = {
  /**
   * A document as the page is known now; null where the page does not show what it is about. Many who ask at once wait
   * for one making. @throws AppError `unavailable` before anything is known, or where it cannot be made
   */
  get(wanted: Wanted): Promise<Document | null>;
  /** The same at once; undefined where it must be made first. */
  made(wanted: Wanted): Document | null | undefined;
  /**
   * One that is for its asker alone. What is kept of it is the same for all, so that strangers who ask for many of them
   * take no time from the page itself. @throws AppError as `get`
   */
  make(wanted: Slip): Promise<{ page: PageSnapshot["page"]; text: string }>;
  /** The page of a snapshot that is published nowhere, for an editor. @throws AppError as `get` */
  preview(given: Preview): Promise<string>;
};

/** Snapshot and states as the bucket has them. */
export type Preview = { page: Uint8Array; states: Uint8Array; language: Language };

export type DocumentOptions = {
  view: StatusView;
  maker: Maker;
  clock: Clock;
  log: Log;
  around: Pick<Around, "publicUrl" | "assets">;
  /** Documents, and bytes of them, that are kept at most; the least lately made go first. */
  mostDocuments?: number;
  mostBytes?: number;
};

type Entry = {
  /** What it was made of. */
  page: string;
  version: string;
  document: Promise<Document | null>;
  /** The same once it is there. */
  made: Document | null | undefined;
  bytes: number;
  /** Until then a change of states alone does not make it anew: monotonic milliseconds. */
  restsUntilMs: number;
};

/** While states change all the time a document takes a tenth of a core at most: it rests ten times what it cost. */
const restFactor = 10;
const longestRestMs = 1000;
/** Made for each state of the page, so quickly rather than small. */
const levels = { br: 5, gzip: 6 };

/** Makes documents of the public page and keeps their bytes, plain and compressed, for as long as they hold. */
export function createDocuments(options: DocumentOptions): Documents {
  const { view, maker, clock, log, around, mostDocuments = 5000, mostBytes = 64 * 2 ** 20 } = options;
  const entries = new Map<string, Entry>();
  let keptBytes = 0;

  const knownNow = (): Known => {
    const known = view.known();
    if (known === null) throw unavailable("status-page");
    return known;
  };
  const order = ({ page, states }: Pick<Known, "page" | "states">, wanted: Wanted | WantedOnce) =>
    maker.make({ page, states, wanted, around: { ...around, nowMs: clock.now() } });

  const drop = (key: string) => {
    keptBytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };
  /** Lets the oldest go, but for one: a map keeps the order in which entries came. */
  const bound = (but: string) => {
    for (const oldest of entries.keys()) {
      if (entries.size <= mostDocuments && keptBytes <= mostBytes) break;
      if (oldest !== but) drop(oldest);
    }
  };
  const keep = (key: string, entry: Entry) => {
    drop(key);
    entries.set(key, entry);
    keptBytes += entry.bytes;
    bound(key);
  };
  const weigh = (key: string, entry: Entry, bytes: number) => {
    if (entries.get(key) !== entry) return;
    entry.bytes += bytes;
    keptBytes += bytes;
    bound(key);
  };

  const begin = (key: string, known: Known, version: string, wanted: Wanted | Slip, last: Entry | undefined): Entry => {
    const entry: Entry = {
      page: known.page.key,
      version,
      bytes: 0,
      made: undefined,
      restsUntilMs: Number.POSITIVE_INFINITY,
      document: Promise.resolve(null),
    };
    entry.document = order(known, wanted).then(
      ({ made, costMs }) => {
        entry.restsUntilMs = clock.elapsedMs() + Math.min(longestRestMs, restFactor * costMs);
        // Its compressed forms take less than it does.
        weigh(key, entry, 2 * (made?.bytes.length ?? 0));
        return (entry.made = documentOf(made, known));
      },
      (error: unknown) => {
        const isLatest = entries.get(key) === entry;
        if (isLatest) drop(key);
        if (last === undefined) throw error;
        if (isLatest) keep(key, last);
        log.warn({ err: error, document: wanted.kind }, "a document of the public page could not be made anew");
        return last.document;
      },
    );
    return entry;
  };

  /** What is kept of a document, where it still holds. */
  const holding = (wanted: Wanted | Slip, known: Known, version: string): Entry | undefined => {
    const entry = entries.get(keyOf(wanted));
    if (entry === undefined || entry.version === version) return entry;
    return entry.page === known.page.key && clock.elapsedMs() < entry.restsUntilMs ? entry : undefined;
  };
  const versionOf = ({ page, states }: Known) => `${page.key} ${states.revision} ${isOutdated(states, clock.now())}`;

  const get = async (wanted: Wanted | Slip): Promise<Document | null> => {
    const known = knownNow();
    const version = versionOf(known);
    const kept = holding(wanted, known, version);
    if (kept !== undefined) return kept.document;
    const key = keyOf(wanted);
    const entry = begin(key, known, version, wanted, entries.get(key));
    keep(key, entry);
    return entry.document;
  };

  return {
    get,
    made(wanted) {
      const known = view.known();
      return known === null ? undefined : holding(wanted, known, versionOf(known))?.made;
    },
    async make(wanted) {
      const document = await get(blankOf(wanted));
      if (document === null) throw unavailable("status-page");
      return { page: document.page, text: fillIn(document.bytes.toString(), wanted) };
    },
    async preview({ page, states, language }) {
      const given = { page: { key: "preview", bytes: page }, states: readStates(states) };
      return textOf(await order(given, { kind: "preview", language }));
    },
  };
}

function textOf({ made }: { made: Made }): string {
  if (made === null) throw unavailable("status-page");
  return Buffer.from(made.bytes).toString();
}

function documentOf(made: Made, { summary: { page } }: Known): Document | null {
  if (made === null) return null;
  const bytes = Buffer.from(made.bytes.buffer, made.bytes.byteOffset, made.bytes.byteLength);
  return { page, etag: made.etag, bytes, encoded: encodedOnce(bytes, levels) };
}
