import type { IncomingMessage, ServerResponse } from "node:http";
import type { BodyReservation } from "./body-pool.ts";
import { AppError } from "../errors.ts";

export type BodyLimits = {
  maxBytes: number;
  /** From the first byte to the last, however steadily they drip. */
  deadlineMs: number;
  /**
   * The code of a body that broke off or is late, `invalid` by default. Agents drop samples that are `invalid`, and
   * send them again after `unavailable`.
   */
  late?: "invalid" | "unavailable";
};

const lateMessage = "The body did not arrive in time";
/** Whether a body broke off or was late: its sender's fault, whatever its code. */
export const isLateBody = (error: unknown): boolean => error instanceof AppError && error.key === lateMessage;

/** Whether a request announces a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  Number(headers["content-length"] ?? 0) !== 0 || headers["transfer-encoding"] !== undefined;

/** How much of a refused body is read and dropped, so that its sender gets to read the response. */
const maxDiscardedBytes = 32 * 2 ** 20;
const firstBufferBytes = 16 * 1024;

/**
 * Reads a request's body whole. The connection of a body that was too slow is closed with the response; the rest of one
 * that is too large is dropped, so that the connection can be used again.
 * @param reservation bounds the memory of this body together with others; its owner releases the bytes
 * @throws AppError `too_large`, at once by Content-Length, else when the limit is passed; `late`, if the body broke off
 * or timed out; errors of `reservation`
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  { maxBytes, deadlineMs, late = "invalid" }: BodyLimits,
  reservation?: BodyReservation,
): Promise<Buffer> {
  const declaredBytes = Number(request.headers["content-length"] ?? 0);
  if (declaredBytes > maxBytes) {
    discardBody(request);
    return Promise.reject(tooLarge(maxBytes));
  }
  if (request.headers.expect !== undefined) response.writeContinue();
  return new Promise((resolve, reject) => {
    const body = createBuffer(Math.min(maxBytes, declaredBytes || firstBufferBytes));
    const settle = (act: () => void) => {
      clearTimeout(timer);
      request.off("data", onData).off("end", onEnd).off("error", onBroken).off("close", onBroken);
      act();
    };
    const fail = (error: AppError) => settle(() => (discardBody(request), reject(error)));
    const failAndClose = (error: AppError) => {
      if (!response.headersSent) response.setHeader("Connection", "close");
      fail(error);
    };
    const onData = (chunk: Buffer) => {
      if (body.sizeBytes() + chunk.length > maxBytes) return fail(tooLarge(maxBytes));
      try {
        reservation?.grow(chunk.length);
      } catch (error) {
        return failAndClose(error as AppError);
      }
      body.append(chunk);
    };
    const onEnd = () => settle(() => (reservation?.finish(), resolve(body.take())));
    const onBroken = () => failAndClose(new AppError(late, lateMessage));
    const timer = setTimeout(onBroken, deadlineMs);
    if (reservation !== undefined) reservation.onTurnedOut = failAndClose;
    request.on("data", onData).on("end", onEnd).on("error", onBroken).on("close", onBroken);
  });
}

/** Copies chunks into one buffer that grows: bodies of very many tiny chunks cost no more than their bytes. */
function createBuffer(firstBytes: number) {
  let buffer: Buffer | null = null;
  let sizeBytes = 0;
  return {
    sizeBytes: () => sizeBytes,
    append(chunk: Buffer) {
      const needed = sizeBytes + chunk.length;
      if (buffer === null || needed > buffer.length) {
        // A declared length alone reserves little: memory follows the received bytes.
        const grown = Buffer.allocUnsafe(Math.max(needed, sizeBytes * 2, Math.min(firstBytes, firstBufferBytes)));
        buffer?.copy(grown, 0, 0, sizeBytes);
        buffer = grown;
      }
      chunk.copy(buffer, sizeBytes);
      sizeBytes = needed;
    },
    take: () => buffer?.subarray(0, sizeBytes) ?? Buffer.alloc(0),
  };
}

/** The error of a body beyond its limit, in bytes. */
export function tooLarge(maxBytes: number): AppError {
  const limit = maxBytes >= 2 ** 20 ? `${maxBytes / 2 ** 20} MiB` : `${maxBytes / 1024} KiB`;
  return new AppError("too_large", "The body is too large (maximum {limit})", { params: { limit } });
}

/**
 * Reads the rest of a refused body and drops it: a socket that closes on unread bytes resets the connection, and the
 * response is lost with it. Beyond 32 MiB the connection is closed; the server's request timeout bounds its time.
 */
export function discardBody(request: IncomingMessage): void {
  let sizeBytes = 0;
  request.on("data", (chunk: Buffer) => {
    sizeBytes += chunk.length;
    if (sizeBytes > maxDiscardedBytes) request.destroy();
  });
  request.on("error", () => {});
  request.resume();
}

/** Whether a content type is JSON in UTF-8, as JSON always is between programs (RFC 8259, 8.1). */
export function isJson(contentType: string | undefined): boolean {
  const [type = "", ...params] = (contentType ?? "").toLowerCase().split(";");
  const charset = params.map((param) => param.trim()).find((param) => param.startsWith("charset="));
  return type.trim() === "application/json" && (charset === undefined || /^charset="?utf-8"?$/.test(charset));
}

export const notJson = () => new AppError("invalid", "The content type must be application/json");

/** Parses bytes as JSON in UTF-8. @throws AppError invalid */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new AppError("invalid", "The body is not valid JSON", { cause });
  }
}
