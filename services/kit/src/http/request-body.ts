import type { IncomingMessage, ServerResponse } from "node:http";
import type { BodyReservation } from "./body-pool.ts";
import { AppError } from "../errors.ts";

export type BodyLimits = {
  maxBytes: number;
  /** A form instead of JSON. */
  isForm?: boolean;
  /** From the first byte to the last, however steadily they arrive. */
  deadlineMs: number;
  /** Default `invalid`. Agents drop `invalid` samples and resend them after `unavailable`. */
  late?: "invalid" | "unavailable";
};

const lateMessage = "The body did not arrive in time";
export const isLateBody = (error: unknown): boolean => error instanceof AppError && error.key === lateMessage;

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  Number(headers["content-length"] ?? 0) !== 0 || headers["transfer-encoding"] !== undefined;

const maxDiscardedBytes = 32 * 2 ** 20;
const firstBufferBytes = 16 * 1024;

/**
 * A slow body closes the connection with the response; one that is too large leaves it usable.
 * @param reservation limits memory together with other bodies; the caller releases it
 * @throws AppError `too_large`; `late` if the body is truncated or timed out; errors of `reservation`
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
    if (reservation !== undefined) reservation.onDropped = failAndClose;
    request.on("data", onData).on("end", onEnd).on("error", onBroken).on("close", onBroken);
  });
}

/** Many tiny chunks cost no more than their bytes. */
function createBuffer(firstBytes: number) {
  let buffer: Buffer | null = null;
  let sizeBytes = 0;
  return {
    sizeBytes: () => sizeBytes,
    append(chunk: Buffer) {
      const needed = sizeBytes + chunk.length;
      if (buffer === null || needed > buffer.length) {
        // Memory follows the received bytes, not the declared length.
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

export function tooLarge(maxBytes: number): AppError {
  const limit = maxBytes >= 2 ** 20 ? `${maxBytes / 2 ** 20} MiB` : `${maxBytes / 1024} KiB`;
  return new AppError("too_large", "The body is too large (maximum {limit})", { params: { limit } });
}

/**
 * Closing a socket with unread bytes resets the connection and loses the response. Above 32 MiB the connection is
 * closed; the server's request timeout limits the time.
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

/** UTF-8 is the only encoding for JSON between systems (RFC 8259 §8.1). */
export function isJson(contentType: string | undefined): boolean {
  const [type = "", ...params] = (contentType ?? "").toLowerCase().split(";");
  const charset = params.map((param) => param.trim()).find((param) => param.startsWith("charset="));
  return type.trim() === "application/json" && (charset === undefined || /^charset="?utf-8"?$/.test(charset));
}

export const notJson = () => new AppError("invalid", "The content type must be application/json");

/** @throws AppError invalid */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new AppError("invalid", "The body is not valid JSON", { cause });
  }
}
