import { AppError } from "@sonde/kit/errors";
import { type BodyLimits, hasBody, isJson, notJson, parseJson, readBody, tooLarge } from "@sonde/kit/http/request-body";
import type { IncomingMessage, ServerResponse } from "node:http";
import { refuseHostile } from "../validate.ts";

const inspectedBytes = 4096;
/** JSON's escapes of NUL and of surrogates; valid UTF-8 holds no lone surrogate otherwise. */
const spelt = /\\u(?:0000|d[89a-f])/i;
const bodyLimits: BodyLimits = { maxBytes: 2 ** 20, deadlineMs: 15_000 };

/**
 * Reads a request's JSON object; undefined without a body.
 * @throws AppError `too_large`, at once by Content-Length, else when the limit is passed; `invalid` for another content
 * type, a body that is not a JSON object, or one that takes too long.
 */
export async function readJsonBody(
  request: IncomingMessage,
  response: ServerResponse,
  limits = bodyLimits,
): Promise<unknown> {
  const bytes = await readJsonBytes(request, response, limits);
  return bytes === undefined || bytes.length === 0 ? undefined : parse(bytes);
}

/**
 * The bytes of a JSON body; undefined without a body.
 * @throws AppError as `readJson` does, except for faults of the content
 */
export async function readJsonBytes(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
): Promise<Buffer | undefined> {
  if (!hasBody(request)) return undefined;
  const { headers } = request;
  if (Number(headers["content-length"]) > limits.maxBytes) throw tooLarge(limits.maxBytes);
  if (!isJson(headers["content-type"])) throw notJson();
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
  if (bytes.length > inspectedBytes || spelt.test(bytes.toString("latin1"))) refuseHostile(value);
  return value;
}
