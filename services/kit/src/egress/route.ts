import type { EgressGuard } from "./guard.ts";
import type { Addresses } from "./name-servers.ts";
import type { Answer, Resolver } from "./resolver.ts";

/** What every outgoing request to an address that somebody named goes through. */
export interface Egress {
  resolver: Resolver;
  guard: EgressGuard;
}

/**
 * Where a host may be dialled. The addresses were all checked; dial one of them and resolve nothing again.
 * `unreachable` is trouble of our own resolver, not of the target.
 */
export type Route =
  | { addresses: Addresses }
  | { failure: "blocked" | "not_found" | "failed" | "unreachable"; message: string };

/**
 * Resolves a host (a name or a literal address, see `hostOf`) and asks the guard about every address of the answer;
 * one forbidden address refuses all. Never rejects; what is in memory is answered without a promise.
 */
export function findRoute(host: string, { resolver, guard }: Egress): Route | Promise<Route> {
  const answer = resolver.resolve(host);
  return answer instanceof Promise ? answer.then((later) => guarded(later, guard)) : guarded(answer, guard);
}

function guarded(answer: Answer, guard: EgressGuard): Route {
  if ("failure" in answer) return answer;
  for (const address of answer.addresses) {
    const message = guard.refusal(address);
    if (message !== undefined) return { failure: "blocked", message };
  }
  return answer;
}
