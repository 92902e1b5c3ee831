import { AppError } from "@sonde/kit/errors";
import type { IncomingMessage } from "node:http";
import type { Session } from "../context.ts";
import type { Sessions } from "../sessions/sessions.ts";

/** The bearer token of a request, or null. A token in a query is none: addresses are written into logs. */
export function bearerToken(request: IncomingMessage): string | null {
  return /^Bearer ([\w~+/.=-]{16,512})$/i.exec(request.headers.authorization ?? "")?.[1] ?? null;
}

/** The session of a request. @throws AppError `unauthenticated`; `unavailable` if that is not known */
export async function requireSession(request: IncomingMessage, sessions: Sessions): Promise<Session> {
  const token = bearerToken(request);
  const session = token === null ? null : await sessions.resolve(token);
  if (session === null) throw new AppError("unauthenticated", "Please log in");
  return session;
}
