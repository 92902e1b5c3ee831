import type { Context } from "../context.ts";
import { type Encoded, encodings } from "./encoded.ts";

/** Bytes that many ask for; `etag` without quotes. */
export type Sendable = { contentType: string; etag: string; bytes: Buffer; encoded: Encoded };

/** Answers 200, or 304 to who has it, in the best encoding that the client takes; each has a tag of its own. */
export async function sendEncoded(ctx: Context, { contentType, etag, bytes, encoded }: Sendable): Promise<void> {
  ctx.vary("Accept-Encoding");
  const known = encodings.find((name) => ctx.acceptsEncodings(name) === name);
  const smaller = known === undefined ? null : await encoded(known);
  const tag = smaller === null ? `"${etag}"` : `"${etag}-${known}"`;
  ctx.set("ETag", tag);
  ctx.type = contentType;
  if (holds(ctx.req.headers["if-none-match"], tag)) return void (ctx.status = 304);
  ctx.status = 200;
  if (smaller !== null) ctx.set("Content-Encoding", known!);
  ctx.body = smaller ?? bytes;
}

/** Whether an If-None-Match names a tag; compared weakly (RFC 9110, 13.1.2), for proxies weaken tags. */
const holds = (given: string | undefined, tag: string): boolean =>
  given !== undefined && (given === tag || given.split(",").some((one) => one.trim().replace(/^W\//, "") === tag));
