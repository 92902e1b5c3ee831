import type { Idempotency } from "@sonde/kit/bus/rpc";
import { invalid } from "@sonde/kit/errors";
import { createHmac, hkdfSync } from "node:crypto";
import type { IncomingMessage } from "node:http";

const maxKeyLength = 255;
export const idempotencyKeyPattern = `^[!-~]{1,${maxKeyLength}}$`;
const isKey = new RegExp(idempotencyKeyPattern);

/**
 * Derives an id, a hash of the request, and a key that seals the response from the `Idempotency-Key` header
 * (draft-ietf-httpapi-idempotency-key-header). They are bound to one user and route (HKDF, RFC 5869): stored data
 * neither opens the response nor reveals the request.
 * @throws AppError `invalid` unless the header is 1 to 255 visible characters
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
