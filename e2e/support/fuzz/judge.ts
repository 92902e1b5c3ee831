import type { Operation } from "./document.ts";
import type { Request } from "./requests.ts";

export type Answer = { status: number; contentType: string; headers: Headers; text: string };

/** Sends a request as it is. A part that hangs ends it with an error. */
export async function send(baseUrl: string, request: Request, token: string | null): Promise<Answer> {
  const response = await fetch(baseUrl + request.path, {
    method: request.method,
    signal: AbortSignal.timeout(45_000),
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      // An own type is sent even where it is empty: what fetch would add of itself is none of ours.
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

/** What is wrong with an answer, each in a line; nothing for a good one. */
export function faultsOf(operation: Operation, request: Request, answer: Answer, isAllowedIn: boolean): string[] {
  const { status, text } = answer;
  const faults: string[] = [];
  // Nothing is away while this runs, but for a check that could not be carried out: in time, or without a name server.
  const mayBeAway = status === 503 && /\/(check|test)$/.test(operation.path);
  if (status >= 500 && !mayBeAway) faults.push(`a server error: ${status}`);
  const documented = operation.answers.get(status);
  if (documented === undefined) return [...faults, `${status} is not documented`];
  if (answer.contentType !== documented.media) faults.push(`${answer.contentType} instead of ${documented.media}`);
  if (answer.headers.get("x-request-id") === null) faults.push("no X-Request-Id");
  if ([429, 503].includes(status) && !/^[1-9]\d*$/.test(answer.headers.get("retry-after") ?? "")) {
    faults.push("no Retry-After");
  }
  if (!/\bjson$/.test(documented.media)) return faults;
  const body = parse(text);
  if (!documented.holds(body))
    faults.push(`breaks its schema: ${JSON.stringify(documented.holds.errors?.slice(0, 3))}`);
  const { success } = (body ?? {}) as { success?: unknown };
  const isDocument = operation.path.endsWith(".json");
  if (!isDocument && success !== status < 400) faults.push(`success is ${String(success)}`);
  if (status < 400 && !isAllowedIn) faults.push("it let somebody in who may not");
  if (status < 400 && request.allowed === false) faults.push("it accepted what the document refuses");
  // What the document allows may meet a conflict, a limit or something that cannot be: never "not as declared".
  return faults;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
