import {
  type DocumentPart,
  documentParts,
  type DocumentsHeader,
  type PageLanguage,
} from "@sonde/proto/http/status/documents";
import { pageSnapshot, type PageSnapshot, type PageStates } from "@sonde/proto/http/status/snapshot";
import { hash } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { type DocumentsInput, renderPart, summaryOf } from "./documents.ts";
import { joinStatus } from "./join.ts";
import { renderStatus } from "./render.ts";

/** `page`: the snapshot's JSON. `written`: the hash of each part that need not be made again. */
export type RenderJob = { page: string; states: PageStates; publicUrl: string | null; nowMs: number } & (
  | { task: "parts"; written: Partial<Record<DocumentPart, string>> }
  | { task: "preview"; language: PageLanguage }
);
/** A part in the bucket's form. */
export type PackedPart = { part: DocumentPart; hash: string; bytes: Uint8Array };
/** `html`: gzipped. */
export type RenderAnswer = { parts: PackedPart[] } | { html: Uint8Array };

/** Renders documents; caches what was read and rendered of the last job's snapshot. */
export function createRenderJobs(): (job: RenderJob) => Promise<RenderAnswer> {
  let last: { text: string; snapshot: PageSnapshot } | null = null;

  return async ({ page, states, publicUrl, nowMs, ...job }) => {
    if (job.task === "preview") {
      const snapshot = readSnapshot(page);
      const status = joinStatus(snapshot, states, nowMs);
      const input = { status, page: snapshot.page, language: job.language, publicUrl, nowMs, isPreview: true };
      return { html: gzipSync(renderStatus(input)) };
    }
    if (last?.text !== page) last = { text: page, snapshot: readSnapshot(page) };
    const input: DocumentsInput = { snapshot: last.snapshot, states, publicUrl, nowMs };
    const parts: PackedPart[] = [];
    for (const part of documentParts) {
      const raw = await rawPart(part, input);
      const sum = hash("sha256", raw, "base64url");
      if (sum !== job.written[part]) parts.push({ part, hash: sum, bytes: compress(raw) });
    }
    return { parts };
  };
}

/** Keys that the schema does not know are dropped, so that none of them is in a document. */
const readSnapshot = (text: string): PageSnapshot =>
  pageSnapshot.parse({ revision: 0, ...(JSON.parse(text) as object) });

async function rawPart(part: DocumentPart, input: DocumentsInput): Promise<Buffer> {
  const documents = await renderPart(part, input);
  const bodies = documents.map(({ text }) => Buffer.from(text));
  const header: DocumentsHeader = {
    summary: part === "page" ? summaryOf(input.snapshot) : undefined,
    documents: documents.map(({ name, blanks }, at) => ({
      name,
      etag: hash("sha256", bodies[at]!, "base64url").slice(0, 22),
      sizeBytes: bodies[at]!.length,
      blanks,
    })),
  };
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...bodies]);
}

/** With a window of all of it, up to 16 MB: the forms of one document are mostly alike. */
const compress = (raw: Buffer): Uint8Array =>
  brotliCompressSync(raw, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 5,
      [constants.BROTLI_PARAM_LGWIN]: Math.min(24, Math.max(16, Math.ceil(Math.log2(raw.length)))),
      [constants.BROTLI_PARAM_SIZE_HINT]: raw.length,
    },
  });
