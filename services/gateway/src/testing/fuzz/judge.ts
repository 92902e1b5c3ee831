import type { Operation } from "./document.ts";
import type { Request } from "./requests.ts";

export type FuzzActor = "admin" | "viewer" | "anonymous";
type Answer = { status: number; contentType: string; headers: Headers; text: string };

/** @throws if no response arrives within 45 s */
export async function send(baseUrl: string, request: Request, token: string | null): Promise<Answer> {
  const response = await fetch(baseUrl + request.path, {
    method: request.method,
    signal: AbortSignal.timeout(45_000),
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      // Even an empty type is sent: otherwise fetch adds its own.
      ...(request.body === undefined ? {} : { "content-type": request.contentType }),
    },
    ...(request.body === undefined ? {} : { body: request.body }),
  });
  const { status, headers } = response;
  return {
    status,
    contentType: headers.get("content-type")?.split(";")[0] ?? "",
    headers,
    text: await response.text(),
  };
}

/** Returns the problems of a response. @param refused the actor, if it may not use the operation */
export function problemsOf(
  operation: Operation,
  request: Request,
  answer: Answer,
  refused: FuzzActor | null,
): string[] {
  const { status, text } = answer;
  const problems: string[] = [];
  // Every service is up, but a check or test may time out or lack a name server.
  const mayBeUnavailable = status === 503 && /\/(check|test)$/.test(operation.path);
  if (status >= 500 && !mayBeUnavailable) problems.push(`a server error: ${status}`);
  if (refused !== null) problems.push(...refusalProblems(operation, request, status, refused));
  const documented = operation.answers.get(status);
  if (documented === undefined) return [...problems, `${status} is not documented`];
  if (!isOf(answer.contentType, documented.media))
    problems.push(`${answer.contentType} instead of ${documented.media}`);
  if (answer.headers.get("x-request-id") === null) problems.push("no X-Request-Id");
  if ([429, 503].includes(status) && !/^[1-9]\d*$/.test(answer.headers.get("retry-after") ?? "")) {
    problems.push("no Retry-After");
  }
  if (status < 400 && request.allowed === false) problems.push("it accepted what the document refuses");
  if (!/\bjson$/.test(documented.media)) return problems;
  const body = parse(text);
  if (!documented.holds(body))
    problems.push(`breaks its schema: ${JSON.stringify(documented.holds.errors?.slice(0, 3))}`);
  const { success } = (body ?? {}) as { success?: unknown };
  const isDocument = operation.path.endsWith(".json") || (operation.isForeign && status < 400);
  if (!isDocument && success !== status < 400) problems.push(`success is ${String(success)}`);
  return problems;
}

/** Permission is checked before anything but the path, which contains the account in `self` operations. */
function refusalProblems({ who }: Operation, request: Request, status: number, actor: FuzzActor): string[] {
  const expected = actor === "anonymous" ? 401 : 403;
  const isStrangeId = who === "self" && actor !== "anonymous" && request.idea.startsWith("id ");
  if (status === expected || (isStrangeId && status === 404)) return [];
  return [`${status} for ${actor}, who may not use it, instead of ${expected}`];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `media` may be a range, such as `image/*`. */
const isOf = (type: string, media: string) =>
  media.endsWith("/*") ? type.startsWith(media.slice(0, -1)) : type === media;
