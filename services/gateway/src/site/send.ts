import type { Context } from "../context.ts";
import { remembered } from "@sonde/kit/cache";
import { type EncodedForms, type Encoding, encodings } from "./encoded.ts";

/** Bytes for many clients; `etag` without quotes. */
export type Sendable = { contentType: string; etag: string; bytes: Buffer; encoded: EncodedForms };

/** Sends 200, or 304 for a matching tag, in the best encoding that the client accepts; each has a tag of its own. */
export async function sendEncoded(
  ctx: Context,
  { contentType, etag, bytes, encoded }: Sendable,
  status: 200 | 404 = 200,
): Promise<void> {
  ctx.vary("Accept-Encoding");
  const known = bestEncoding(ctx.req.headers["accept-encoding"] ?? "");
  const smaller = known === null ? null : await encoded.get(known);
  const tag = smaller === null ? `"${etag}"` : `"${etag}-${known}"`;
  ctx.set("ETag", tag);
  ctx.type = contentType;
  if (status === 200 && holds(ctx.req.headers["if-none-match"], tag)) return void (ctx.status = 304);
  ctx.status = status;
  if (smaller !== null) ctx.set("Content-Encoding", known!);
  ctx.body = smaller ?? bytes;
}

/** The best of our encodings that an Accept-Encoding takes (RFC 9110, 12.5.3); null: only the bytes as they are. */
const bestEncoding = remembered((accepted: string): Encoding | null => {
  const weights = new Map(
    accepted.split(",").map((part) => {
      const [name = "", ...params] = part.toLowerCase().split(";");
      const weight = params.map((param) => /^\s*q=([\d.]+)\s*$/.exec(param)?.[1]).find((found) => found !== undefined);
      return [name.trim(), weight === undefined ? 1 : Number(weight)];
    }),
  );
  return encodings.find((name) => (weights.get(name) ?? weights.get("*") ?? 0) > 0) ?? null;
});

/** Whether an If-None-Match names a tag; compared weakly (RFC 9110, 13.1.2), for proxies weaken tags. */
const holds = (given: string | undefined, tag: string): boolean =>
  given !== undefined && (given === tag || given.split(",").some((one) => one.trim().replace(/^W\//, "") === tag));
