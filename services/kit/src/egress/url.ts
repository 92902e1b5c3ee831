import type { EgressGuard } from "./guard.ts";
import type { Addresses } from "./name-servers.ts";
import type { AddressFamily, Resolution, Resolver } from "./resolver.ts";

export function isHttp(url: URL): boolean {
  return url.protocol === "http:" || url.protocol === "https:";
}

/** The host to resolve or dial: a URL's hostname, without the brackets of IPv6. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
}

/** The port to dial. */
export function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/** Every outgoing request to an address that a user configured uses this. */
export interface Egress {
  resolver: Resolver;
  guard: EgressGuard;
}

/**
 * Where a host may be dialled. The addresses were all checked; dial one of them and resolve nothing again.
 * `unreachable` is trouble of our own resolver, not of the target.
 */
export type EgressRoute =
  | { addresses: Addresses }
  | { failure: "blocked" | "not_found" | "failed" | "unreachable"; message: string };

/**
 * Resolves a host (a name or a literal address, see `hostOf`) and checks every address with the guard; one denied
 * address refuses all. Never rejects; a cached answer is returned without a promise.
 */
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
