import type { Idempotency } from "@sonde/kit/bus/rpc";
import { invalid } from "@sonde/kit/errors";
import { createHmac, hkdfSync } from "node:crypto";
import type { IncomingMessage } from "node:http";

const maxKeyLength = 255;
/** Visible characters of ASCII. */
export const idempotencyKeyPattern = `^[!-~]{1,${maxKeyLength}}$`;
const isKey = new RegExp(idempotencyKeyPattern);

/**
 * What the owner of a route gets of a request's `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): an id, a
 * hash of the request, and a key that seals the answer. All are made from the client's key (HKDF, RFC 5869), for one user
 * and one route, so that what is stored neither opens the answer nor shows the request.
 * @returns undefined where the request has none
 * @throws AppError `invalid` where it is not 1 to 255 visible characters
 */
export function readIdempotencyKey(
  { headers }: IncomingMessage,
  { userId, route, request }: { userId: number; route: string; request: () => string },
): Idempotency | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key !== "string" || !isKey.test(key)) {
    const message = "Enter 1 to {max} visible characters";
    throw invalid([{ path: "Idempotency-Key", message, params: { max: maxKeyLength } }]);
  }
  const bytes = Buffer.from(hkdfSync("sha256", key, `${userId} ${route}`, "sonde idempotency v1", 96));
  const part = (at: number) => bytes.subarray(at * 32, (at + 1) * 32);
  return {
    id: part(0).toString("base64url"),
    sealKey: part(1).toString("base64url"),
    request: createHmac("sha256", part(2)).update(request()).digest("base64url"),
  };
}
