import { AppError } from "@sonde/kit/errors";
import type { IncomingMessage, ServerResponse } from "node:http";
import { refuseHostile } from "../validate.ts";

export type BodyLimits = { sizeBytes: number; timeoutMs: number };
const inspectedLength = 4096;
/** JSON's escapes of NUL and of surrogates; valid UTF-8 holds no lone surrogate otherwise. */
const spelt = /\\u(?:0000|d[89a-f])/i;
export const bodyLimits: BodyLimits = { sizeBytes: 2 ** 20, timeoutMs: 15_000 };
/** What is read and thrown away of a body that was refused, so that its sender gets to read the answer. */
const discardBytes = 32 * 2 ** 20;

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
  if (length > limits.sizeBytes) throw tooLarge(request, limits);
  if (!isJson(headers["content-type"])) {
    discard(request);
    throw new AppError("invalid", "The content type must be application/json");
  }
  if ((headers["content-encoding"] ?? "identity") !== "identity") {
    discard(request);
    throw new AppError("invalid", "Compressed bodies are not accepted");
  }
  if (headers.expect !== undefined) response.writeContinue();
  const bytes = await collect(request, limits);
  return bytes.length === 0 ? undefined : parse(bytes);
}

function collect(request: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
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
      if (size > limits.sizeBytes) settle(() => reject(tooLarge(request, limits)));
      else chunks.push(chunk);
    };
    const onEnd = () => settle(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    const onBroken = () => settle(() => reject(new AppError("invalid", "The body did not arrive in time")));
    const timer = setTimeout(onBroken, limits.timeoutMs);
    request.on("data", onData).on("end", onEnd).on("error", onBroken).on("close", onBroken);
  });
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

function tooLarge(request: IncomingMessage, { sizeBytes }: BodyLimits): AppError {
  discard(request);
  return new AppError("too_large", "The body is too large (at most {limit})", {
    params: { limit: `${sizeBytes / 2 ** 20} MiB` },
  });
}

/** A socket that closes on unread bytes resets the connection, and the answer is lost with it. */
function discard(request: IncomingMessage): void {
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > discardBytes) request.destroy();
  });
  request.on("error", () => {});
  request.resume();
}
