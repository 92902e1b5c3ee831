import type { Config } from "../config.ts";
import type { Encoding } from "../site/encoded.ts";
import type { Document } from "./documents.ts";
import { dataHeaders, type Headers, htmlHeaders, isHttps, sharedCaching } from "./headers.ts";
import type { Wanted } from "./wanted.ts";

/** A document as it is sent; `tag` is its ETag, and among the headers. */
export type Answer = {
  headers: Headers;
  /** Headers of every other answer that it goes without. */ removed: string[];
  tag: string;
  body: Buffer;
};

/** Where each document stands to frames and search engines. */
const shownAs: Record<Exclude<Wanted["kind"], "json" | "feed" | "badge">, { framed: boolean; hidden: boolean }> = {
  page: { framed: true, hidden: false },
  history: { framed: false, hidden: false },
  incident: { framed: false, hidden: false },
  embed: { framed: true, hidden: true },
  missing: { framed: false, hidden: true },
};
const dataTypes = {
  json: "application/json; charset=utf-8",
  feed: "application/atom+xml; charset=utf-8",
  badge: "image/svg+xml; charset=utf-8",
};

type Site = Pick<Config, "host" | "publicUrl">;

const kept = new WeakMap<Document, Map<Encoding | null, Answer>>();

/** The answer that carries a document in an encoding, whose bytes must be made. Made once for each. */
export function answerOf(document: Document, wanted: Wanted, encoding: Encoding | null, config: Site): Answer {
  const answers = kept.get(document) ?? new Map<Encoding | null, Answer>();
  kept.set(document, answers);
  const known = answers.get(encoding);
  if (known !== undefined) return known;
  const smaller = encoding === null ? null : (document.encoded.made(encoding) ?? null);
  const tag = smaller === null ? `"${document.etag}"` : `"${document.etag}-${encoding}"`;
  const { set, removed } = headersOf(wanted, document, config);
  const headers = { ...set, ETag: tag, ...(smaller === null ? {} : { "Content-Encoding": encoding! }) };
  const answer = { headers, removed, tag, body: smaller ?? document.bytes };
  answers.set(encoding, answer);
  return answer;
}

function headersOf(wanted: Wanted, { page }: Document, config: Site): { set: Headers; removed: string[] } {
  const caching = { "Cache-Control": wanted.kind === "missing" ? "public, max-age=5" : sharedCaching };
  if (wanted.kind === "json") {
    return { set: { ...dataHeaders(page, dataTypes.json, config), ...caching, Vary: "Accept-Encoding" }, removed: [] };
  }
  const told = { ...caching, Vary: "Accept-Encoding, Accept-Language", "Content-Language": wanted.language };
  if (wanted.kind === "feed" || wanted.kind === "badge") {
    return { set: { ...dataHeaders(page, dataTypes[wanted.kind], config), ...told }, removed: [] };
  }
  const { set, removed } = htmlHeaders(page, { ...shownAs[wanted.kind], isHttps: isHttps(config) });
  return { set: { ...set, ...told }, removed };
}
