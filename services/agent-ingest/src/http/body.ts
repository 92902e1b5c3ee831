import { AppError } from "@sonde/kit/errors";
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

export const maxBodyBytes = 4 * 2 ** 20;
/** What a compressed body may become: reports shrink by ten, bombs by a thousand. */
const maxInflatedBytes = 8 * 2 ** 20;
const timeoutMs = 20_000;
/** What is read and thrown away of a body that was refused, so that its sender gets to read the answer. */
const discardBytes = 32 * 2 ** 20;

/**
 * Reads a request's body, inflated where it came as gzip.
 * @throws AppError `too_large`, at once by Content-Length, else when the bytes say so; `invalid`
 */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (Number(request.headers["content-length"] ?? 0) > maxBodyBytes) throw refuse(request, tooLarge());
  if (encoding !== "identity" && encoding !== "gzip") {
    throw refuse(request, new AppError("invalid", "Only gzip is accepted as content encoding"));
  }
  const bytes = await collect(request);
  return encoding === "gzip" ? inflate(bytes) : bytes;
}

const gunzipped = promisify(gunzip);

async function inflate(bytes: Buffer): Promise<Buffer> {
  try {
    return await gunzipped(bytes, { maxOutputLength: maxInflatedBytes });
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLarge(maxInflatedBytes);
    throw new AppError("invalid", "The body is not valid gzip", { cause });
  }
}

function collect(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (act: () => void) => {
      clearTimeout(timer);
      request.off("data", onData).off("end", onEnd).off("error", onBroken).off("close", onBroken);
      act();
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBodyBytes) settle(() => reject(refuse(request, tooLarge())));
      else chunks.push(chunk);
    };
    const onEnd = () => settle(() => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    const onBroken = () => settle(() => reject(new AppError("invalid", "The body did not arrive in time")));
    const timer = setTimeout(onBroken, timeoutMs);
    request.on("data", onData).on("end", onEnd).on("error", onBroken).on("close", onBroken);
  });
}

const tooLarge = (bytes = maxBodyBytes) =>
  new AppError("too_large", "The body is too large (at most {limit})", { params: { limit: `${bytes / 2 ** 20} MiB` } });

/** A socket that closes on unread bytes resets the connection, and the answer is lost with it. */
export function refuse(request: IncomingMessage, error: AppError): AppError {
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > discardBytes) request.destroy();
  });
  request.on("error", () => {});
  request.resume();
  return error;
}
