import type { BodyReservation } from "@sonde/kit/http/body-pool";
import { AppError } from "@sonde/kit/errors";
import { discardBody, readBody as readWhole, tooLarge } from "@sonde/kit/http/request-body";
import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

const deadlineMs = 20_000;
/** An agent would give up a sample that is `invalid`, though only its network was slow. */
const late = "unavailable";

/**
 * Reads a request's body, inflated where it came as gzip. Both are bounded by `maxBytes`: reports shrink by ten, bombs by a
 * thousand.
 * @throws AppError `too_large`, at once by Content-Length, else when the bytes say so; `invalid`; `unavailable` where it
 *   is late; what `reservation` throws
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  { maxBytes, reservation }: { maxBytes: number; reservation: BodyReservation },
): Promise<Buffer> {
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity" && encoding !== "gzip") {
    throw refuse(request, new AppError("invalid", "Only gzip is accepted as content encoding"));
  }
  const bytes = await readWhole(request, response, { maxBytes, deadlineMs, late }, reservation);
  if (encoding === "identity") return bytes;
  const inflated = await inflate(bytes, maxBytes);
  reservation.grow(inflated.length);
  return inflated;
}

const gunzipped = promisify(gunzip);

/** In a thread of its own: the loop goes on meanwhile. */
async function inflate(bytes: Buffer, maxOutputLength: number): Promise<Buffer> {
  try {
    return await gunzipped(bytes, { maxOutputLength });
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLarge(maxOutputLength);
    throw new AppError("invalid", "The body is not valid gzip", { cause });
  }
}

/** Lets the sender of a body that is not read get to read the answer. */
export function refuse(request: IncomingMessage, error: AppError): AppError {
  discardBody(request);
  return error;
}
