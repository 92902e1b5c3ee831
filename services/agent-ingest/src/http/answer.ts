import type { AppError } from "@sonde/kit/errors";
import { type Failure, statusOfCode } from "@sonde/proto/http/envelope";
import { type Language, translate } from "@sonde/proto/http/messages";
import type { ServerResponse } from "node:http";

/** Seconds until a retry makes sense, where the error itself says nothing. */
const retryAfter: Partial<Record<AppError["code"], number>> = { too_many: 30, unavailable: 2 };

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) {
  // As text, for Node then sends head and body in one piece.
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(text)),
    "cache-control": "no-store",
    ...headers,
  });
  response.end(text);
}

/** The one place where an error becomes an answer. */
export function sendError(response: ServerResponse, error: AppError, language: Language, requestId: string): void {
  if (response.headersSent) return void response.destroy();
  const seconds = error.retryAfterSeconds ?? retryAfter[error.code];
  sendJson(response, statusOfCode[error.code], failureOf(error, language, requestId), {
    "content-language": language,
    ...(seconds === undefined ? {} : { "retry-after": String(Math.max(1, Math.ceil(seconds))) }),
  });
}

function failureOf(error: AppError, language: Language, requestId: string): Failure {
  if (error.code === "internal") {
    const text = "Something went wrong. Quote request {requestId} when you report it.";
    return { success: false, message: translate(text, language, { requestId }), code: error.code, requestId };
  }
  const errors = error.details.map(({ path, message, params }) => ({
    path,
    message: translate(message, language, params),
  }));
  const message = translate(error.key, language, error.params);
  return { success: false, message, code: error.code, ...(errors.length === 0 ? {} : { errors }) };
}
