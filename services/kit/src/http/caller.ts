import { type Language, languageOf } from "@sonde/proto/http/messages";
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

/** Whom an answer is for: the request's id, and the language in which people read it. */
export type Caller = { requestId: string; language: Language };

const usableId = /^[\w.:-]{8,128}$/;

/** Gives a request its id (its caller's, where that is usable) and its language; the answer carries the id. */
export function identify(request: IncomingMessage, response: ServerResponse): Caller {
  const requestId = requestIdOf(request);
  response.setHeader("X-Request-Id", requestId);
  return { requestId, language: languageOf(request.headers["accept-language"]) };
}

/** Its caller's, where that is usable, else a new one. */
export function requestIdOf(request: IncomingMessage): string {
  const asked = request.headers["x-request-id"];
  return typeof asked === "string" && usableId.test(asked) ? asked : randomUUID();
}
