import type { Operation } from "./document.ts";
import { type FuzzActor, problemsOf, send } from "./judge.ts";
import { type Hints, requestsOf } from "./requests.ts";

export const actors = ["admin", "viewer", "anonymous"] as const satisfies FuzzActor[];

export type FuzzOptions = {
  baseUrl: string;
  operations: readonly Operation[];
  seed: number;
  /** Requests per actor and operation. */
  counts: Record<FuzzActor, { valid: number; mutations: number }>;
  hintsOf: (operation: Operation, actor: FuzzActor) => Promise<Hints>;
  tokenOf: (operation: Operation, actor: FuzzActor) => Promise<string | null>;
  /** Called after each successful DELETE. */
  onDelete?: () => void;
  /** Ids of operations in which no request of an admin can succeed. */
  unreachable: readonly string[];
  /** Ids of operations that may refuse what their schemas allow. */
  mayRefuseValid: readonly string[];
};

const mayUse: Record<string, readonly FuzzActor[]> = {
  anyone: actors,
  session: ["admin", "viewer"],
  write: ["admin"],
  // The path contains another account's id.
  self: ["admin"],
  admin: ["admin"],
};

/** Exactly one of two fields is required, or two must be in order: their schemas do not say so. */
export const oneOfTwo = [
  "postMaintenance",
  "postMonitorsBulk",
  "postIncidentsIdSnooze",
  "postSilences",
  "putSilencesId",
  "postAuthFactor",
];

/** Agents, pings, MCP and provider redirects are covered by other tests. */
const isFuzzed = ({ path }: Operation) =>
  path.startsWith("/api/") && !path.startsWith("/api/push/") && !path.startsWith("/api/auth/oidc/{slug}/");

/** Returns a line for each problem, and the ids of operations that should have succeeded but never did. */
export async function fuzz(options: FuzzOptions) {
  const { baseUrl, operations, seed, counts, hintsOf, tokenOf, onDelete, unreachable, mayRefuseValid } = options;
  const problems: string[] = [];
  const unreached: string[] = [];
  let requests = 0;
  for (const operation of operations.filter(isFuzzed)) {
    const isStream = operation.answers.get(200)?.media === "text/event-stream";
    // Public streams never end.
    if (isStream && operation.who === "anyone") continue;
    for (const actor of isStream ? (["anonymous"] as const) : actors) {
      const isAllowed = mayUse[operation.who]?.includes(actor) === true;
      const hints = await hintsOf(operation, actor);
      let reached = false;
      for (const request of requestsOf(operation, hints, { seed, ...counts[actor] })) {
        const answer = await send(baseUrl, request, await tokenOf(operation, actor));
        requests += 1;
        reached ||= answer.status < 300;
        if (operation.method === "DELETE" && answer.status < 300) onDelete?.();
        const found = problemsOf(operation, request, answer, isAllowed ? null : actor);
        // A valid request may meet a conflict or a limit.
        if (isAllowed && request.allowed === true && answer.status === 400 && !mayRefuseValid.includes(operation.id))
          found.push(`it refused what the document allows: ${answer.text}`);
        const line = `${actor} ${request.method} ${request.path.slice(0, 100)} (${request.idea})`;
        problems.push(...found.map((problem) => `${line}: ${problem}; ${request.body?.slice(0, 300)}`));
      }
      if (actor === "admin" && isAllowed && !reached && !unreachable.includes(operation.id))
        unreached.push(operation.id);
    }
  }
  return { problems, unreached, requests };
}
