import { AppError } from "@sonde/kit/errors";
import { type BodyLimits, hasBody, isJson, notJson, parseJson, readBody, tooLarge } from "@sonde/kit/http/request-body";
import type { IncomingMessage, ServerResponse } from "node:http";
import { refuseHostile } from "../validate.ts";

const inspectedBytes = 4096;
/** JSON escapes of NUL and surrogates. Unescaped, valid UTF-8 contains no lone surrogate. */
const escaped = /\\u(?:0000|d[89a-f])/i;
const bodyLimits: BodyLimits = { maxBytes: 2 ** 20, deadlineMs: 15_000 };

/**
 * Returns `undefined` without a body.
 * @throws AppError `too_large`, immediately if Content-Length exceeds the limit; `invalid` for another content type, a
 * body that is not a JSON object, or one that is too slow
 */
export async function readJsonBody(
  request: IncomingMessage,
  response: ServerResponse,
  limits = bodyLimits,
): Promise<unknown> {
  const bytes = await readJsonBytes(request, response, limits);
  return bytes === undefined || bytes.length === 0 ? undefined : parse(bytes);
}

/** Returns `undefined` without a body. @throws AppError as `readJsonBody` does, except for invalid content */
export async function readJsonBytes(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
): Promise<Buffer | undefined> {
  if (!hasBody(request)) return undefined;
  const { headers } = request;
  if (Number(headers["content-length"]) > limits.maxBytes) throw tooLarge(limits.maxBytes);
  const type = headers["content-type"];
  if (limits.isForm && !type?.startsWith("application/x-www-form-urlencoded")) {
    throw new AppError("invalid", "The content type must be application/x-www-form-urlencoded");
  }
  if (!limits.isForm && !isJson(type)) throw notJson();
  if ((headers["content-encoding"] ?? "identity") !== "identity") {
    throw new AppError("invalid", "Compressed bodies are not accepted");
  }
  return readBody(request, response, limits);
}

function parse(bytes: Buffer): unknown {
  const value = parseJson(bytes);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new AppError("invalid", "The body must be a JSON object");
  }
  // A small body costs little with any content, unless it contains NUL or a lone surrogate.
  if (bytes.length > inspectedBytes || escaped.test(bytes.toString("latin1"))) refuseHostile(value);
  return value;
}
