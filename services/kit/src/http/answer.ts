import type { Failure } from "@sonde/proto/http/envelope";
import { statusOfCode } from "@sonde/proto/http/error-codes";
import { type Language, translate } from "@sonde/proto/http/messages";
import type { ServerResponse } from "node:http";
import { type AppError, toAppError } from "../errors.ts";
import type { Log } from "../service/log.ts";
import type { Caller } from "./caller.ts";
import { discardBody, hasBody } from "./request-body.ts";

export const languageHeaders = (language: Language) => ({
  "Content-Language": language,
  Vary: "Accept-Encoding, Accept-Language",
  "Cache-Control": "no-store",
});

/** Writes head and body at once; passing `headers` here is cheaper than `setHeader`. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...headers,
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(text),
    "Cache-Control": "no-store",
  });
  response.end(text);
}

const retryAfterSeconds: Partial<Record<AppError["code"], number>> = { too_many: 30, unavailable: 2 };

/**
 * Sets the headers of an error response and returns its status and body. Internal errors are logged. The rest of the
 * request body is discarded, so that the client can read the response.
 * @returns `null` if a response had started; its connection is destroyed
 */
export function prepareFailure(
  response: ServerResponse,
  thrown: unknown,
  { requestId, language }: Caller,
  { log, route }: { log: Log; route: string },
): { status: number; body: Failure } | null {
  const error = toAppError(thrown);
  if (error.code === "internal") log.error({ err: error.cause ?? error, requestId, route }, "request failed");
  if (response.headersSent) {
    response.destroy();
    return null;
  }
  const { req: request } = response;
  if (request.readableFlowing === null && hasBody(request)) discardBody(request);
  const seconds = error.retryAfterSeconds ?? retryAfterSeconds[error.code];
  if (seconds !== undefined) response.setHeader("Retry-After", String(Math.max(1, Math.ceil(seconds))));
  // RFC 9110 §15.5.2: a 401 must specify a scheme. Browsers do not prompt for this one (RFC 6750).
  if (error.code === "unauthenticated") response.setHeader("WWW-Authenticate", "Bearer");
  for (const [name, value] of Object.entries(languageHeaders(language))) response.setHeader(name, value);
  return { status: statusOfCode[error.code], body: failureOf(error, language, requestId) };
}

function failureOf(error: AppError, language: Language, requestId: string): Failure {
  const { code, key, params, details } = error;
  if (code === "internal") {
    // The message of another service's error could reveal internals.
    const text = "Something went wrong. Quote request {requestId} when you report it.";
    return { success: false, message: translate(text, language, { requestId }), code, requestId };
  }
  const errors = details.map(({ path, message, ...fault }) => ({
    path,
    message: translate(message, language, fault.params),
  }));
  const message = translate(key, language, params);
  return { success: false, message, code, errors: errors.length === 0 ? undefined : errors };
}
