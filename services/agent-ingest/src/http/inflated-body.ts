import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { AppError } from "@sonde/kit/errors";
import type { BodyReservation } from "@sonde/kit/http/body-pool";
import { type BodyLimits, readBody, tooLarge } from "@sonde/kit/http/request-body";

/**
 * Reads a body, possibly gzip. `maxBytes` limits both sizes: reports shrink by ten, bombs by a thousand.
 * @throws AppError `invalid` for another encoding or broken gzip; what `readBody` and `reservation` throw
 */
export async function readInflatedBody(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
  reservation: BodyReservation,
): Promise<Buffer> {
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity" && encoding !== "gzip") {
    throw new AppError("invalid", "Only gzip content encoding is accepted");
  }
  const bytes = await readBody(request, response, limits, reservation);
  if (encoding === "identity") return bytes;
  const inflated = await inflate(bytes, limits.maxBytes);
  reservation.grow(inflated.length);
  return inflated;
}

const gunzipped = promisify(gunzip);

/** Runs in a worker thread, so the event loop is not blocked. */
async function inflate(bytes: Buffer, maxOutputLength: number): Promise<Buffer> {
  try {
    return await gunzipped(bytes, { maxOutputLength });
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLarge(maxOutputLength);
    throw new AppError("invalid", "The body is not valid gzip", { cause });
  }
}
