import { hash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Context } from "../context.ts";
import { withBase } from "../middleware/base-path.ts";

/** In order of preference. */
const encodings = ["br", "gzip"] as const;
export type Encoding = (typeof encodings)[number];

export type Sendable = {
  contentType: string;
  /** Without quotes. */
  etag: string;
  /** `null` if the encoding would not make the content smaller. */
  read(encoding?: Encoding): Promise<Buffer | null>;
};

const minCompressedBytes = 1024;

export const etagOf = (content: string | Buffer): string => hash("sha256", content, "base64url").slice(0, 22);

export const sendable = (contentType: string, content: string | Buffer): Sendable => ({
  contentType,
  etag: etagOf(content),
  read: bytesReader(Buffer.from(content)),
});

/** Creates each compressed form on first request. */
export function bytesReader(bytes: Buffer): Sendable["read"] {
  const forms: Partial<Record<Encoding, Promise<Buffer | null>>> = {};
  return async (encoding) => (encoding === undefined ? bytes : (forms[encoding] ??= compress(bytes, encoding)));
}

/** As `sendPlainBytes`, with the base path in a document's addresses. */
export async function sendBytes(ctx: Context, sent: Sendable, status: 200 | 404 = 200): Promise<void> {
  const { base } = ctx.state;
  const isDocument = base !== "" && sent.contentType.startsWith("text/html");
  return sendPlainBytes(ctx, isDocument ? await rebased(sent, base) : sent, status);
}

/** Sends 200, or 304 for a matching ETag. Each encoding has its own ETag. */
export async function sendPlainBytes(ctx: Context, sent: Sendable, status: 200 | 404 = 200): Promise<void> {
  ctx.vary("Accept-Encoding");
  ctx.compress = false;
  const encoding = encodings.find((name) => ctx.acceptsEncodings(name) === name);
  const smaller = encoding === undefined ? null : await sent.read(encoding);
  const tag = smaller === null ? `"${sent.etag}"` : `"${sent.etag}-${encoding}"`;
  ctx.set("ETag", tag);
  ctx.type = sent.contentType;
  if (status === 200 && holds(ctx.req.headers["if-none-match"], tag)) return void (ctx.status = 304);
  ctx.status = status;
  if (smaller !== null) ctx.set("Content-Encoding", encoding!);
  ctx.body = smaller ?? (await sent.read());
}

/** Favours speed over size, because a client is waiting. */
async function compress(bytes: Buffer, encoding: Encoding): Promise<Buffer | null> {
  if (bytes.length < minCompressedBytes) return null;
  const encoded =
    encoding === "br"
      ? await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
      : await promisify(gzip)(bytes, { level: 6 });
  return encoded.length < bytes.length ? encoded : null;
}

/** Compares weakly (RFC 9110, 13.1.2): proxies weaken tags. Unlike Koa's `fresh`, ignores the request's `no-cache`. */
const holds = (given = "", tag: string): boolean =>
  given.split(",").some((one) => one.trim().replace(/^W\//, "") === tag);

const made = new WeakMap<Sendable["read"], { base: string; sent: Promise<Sendable> }>();

/** Applies `rewrite` once per file. */
export function rebased(sent: Sendable, base: string, rewrite = withBase): Promise<Sendable> {
  const known = made.get(sent.read);
  if (known?.base === base) return known.sent;
  const making = sent.read().then((bytes) => sendable(sent.contentType, rewrite(String(bytes), base)));
  made.set(sent.read, { base, sent: making });
  return making;
}
