import { type Language, languageOf } from "@sonde/proto/http/messages";
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

/** Whom an answer is for: the request's id, and the language in which people read it. */
export type Caller = { requestId: string; language: Language };

const usableId = /^[\w.:-]{8,128}$/;

/** Gives a request its id and its language; the answer carries the id. */
export function identify(request: IncomingMessage, response: ServerResponse): Caller {
  const caller = callerOf(request);
  response.setHeader("X-Request-Id", caller.requestId);
  return caller;
}

/** Whom an answer is for. */
export const callerOf = (request: IncomingMessage): Caller => ({
  requestId: requestIdOf(request),
  language: languageOf(request.headers["accept-language"]),
});

/** A request's id: its caller's, where that is usable, else a new one, which the request then keeps. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const asked = headers["x-request-id"];
  if (typeof asked === "string" && usableId.test(asked)) return asked;
  const requestId = randomUUID();
  headers["x-request-id"] = requestId;
  return requestId;
}
