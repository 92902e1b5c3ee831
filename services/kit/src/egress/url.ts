import type { EgressGuard } from "./guard.ts";
import type { Addresses } from "./name-servers.ts";
import type { AddressFamily, Resolution, Resolver } from "./resolver.ts";

export function isHttp(url: URL): boolean {
  return url.protocol === "http:" || url.protocol === "https:";
}

/** Without the brackets of IPv6. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
}

export function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

export interface Egress {
  resolver: Resolver;
  guard: EgressGuard;
}

/**
 * All addresses were checked: dial one, without resolving again. `unreachable`: our resolver failed, not the target.
 */
export type EgressRoute =
  | { addresses: Addresses }
  | { failure: "blocked" | "not_found" | "failed" | "unreachable"; message: string };

/** One denied address blocks the host. Never rejects. Cached results are returned without a promise. */
export function findRoute(
  host: string,
  { resolver, guard }: Egress,
  family?: AddressFamily,
): EgressRoute | Promise<EgressRoute> {
  const answer = resolver.resolve(host, family);
  return answer instanceof Promise ? answer.then((later) => guarded(later, guard)) : guarded(answer, guard);
}

function guarded(answer: Resolution, guard: EgressGuard): EgressRoute {
  if ("failure" in answer) return answer;
  for (const address of answer.addresses) {
    const message = guard.refusal(address);
    if (message !== undefined) return { failure: "blocked", message };
  }
  return answer;
}
