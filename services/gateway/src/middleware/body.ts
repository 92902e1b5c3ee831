import { AppError } from "@sonde/kit/errors";
import { type BodyLimits, discardBody, readBody, tooLarge } from "@sonde/kit/http/request-body";
import type { IncomingMessage, ServerResponse } from "node:http";
import { refuseHostile } from "../validate.ts";

const inspectedLength = 4096;
/** JSON's escapes of NUL and of surrogates; valid UTF-8 holds no lone surrogate otherwise. */
const spelt = /\\u(?:0000|d[89a-f])/i;
export const bodyLimits: BodyLimits = { maxBytes: 2 ** 20, deadlineMs: 15_000 };

/**
 * Reads a request's JSON object; undefined where there is no body.
 * @throws AppError `too_large`, at once by Content-Length, else when the bytes say so; `invalid` for another content
 *   type, what is no JSON object, or a body that takes too long.
 */
export async function readJson(
  request: IncomingMessage,
  response: ServerResponse,
  limits = bodyLimits,
): Promise<unknown> {
  const { headers } = request;
  const length = Number(headers["content-length"] ?? 0);
  if (length === 0 && headers["transfer-encoding"] === undefined) return undefined;
  if (length > limits.maxBytes) {
    discardBody(request);
    throw tooLarge(limits.maxBytes);
  }
  if (!isJson(headers["content-type"])) {
    discardBody(request);
    throw new AppError("invalid", "The content type must be application/json");
  }
  if ((headers["content-encoding"] ?? "identity") !== "identity") {
    discardBody(request);
    throw new AppError("invalid", "Compressed bodies are not accepted");
  }
  const bytes = await readBody(request, response, limits);
  return bytes.length === 0 ? undefined : parse(bytes);
}

function parse(bytes: Buffer): unknown {
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    value = JSON.parse(text);
  } catch {
    throw new AppError("invalid", "The body is not valid JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new AppError("invalid", "The body must be a JSON object");
  }
  // A small body costs little whatever is in it, unless it spells NUL or half a character.
  if (text.length > inspectedLength || spelt.test(text)) refuseHostile(value);
  return value;
}

function isJson(contentType: string | undefined): boolean {
  const [type = "", ...params] = (contentType ?? "").toLowerCase().split(";");
  const charset = params.map((param) => param.trim()).find((param) => param.startsWith("charset="));
  return type.trim() === "application/json" && (charset === undefined || /^charset="?utf-8"?$/.test(charset));
}
