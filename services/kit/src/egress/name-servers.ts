import { NODATA, Resolver as CaresResolver } from "node:dns/promises";
import type { Clock } from "../time/clock.ts";

/** Never empty: libraries would dial localhost for an empty host. */
export type Addresses = readonly [string, ...string[]];

/** `absent`: the servers report no records. `unanswered`: they did not respond, or failed. */
export type Records =
  | { kind: "found"; addresses: Addresses; ttlSeconds: number }
  | { kind: "absent" }
  | { kind: "unanswered"; code: string };

const queryTimeoutMs = 1000;
const tries = 2;
const maxAliases = 8;

// The name, or a record of this type, does not exist.
const absentCodes = new Set(["ENOTFOUND", "ENODATA", "EBADNAME"]);

/**
 * c-ares returns an empty list if an alias (CNAME) leads to no record of the type; servers report this as no data (RFC
 * 2308 §2.2).
 * @throws Error with the code ENODATA
 */
export function presentRecords<Found>([first, ...rest]: readonly Found[]): readonly [Found, ...Found[]] {
  if (first === undefined) throw Object.assign(new Error("There is no such record"), { code: NODATA });
  return [first, ...rest];
}

/** Uses c-ares, which does not occupy the four threads of `dns.lookup`. */
export function connectNameServers(clock: Clock, servers?: readonly string[]) {
  const cares = new CaresResolver({ timeout: queryTimeoutMs, tries });
  if (servers !== undefined) cares.setServers([...servers]);
  let answeredAtMs = Number.NEGATIVE_INFINITY;
  let reaching: Promise<boolean> | undefined;

  const answered = () => {
    answeredAtMs = clock.elapsedMs();
  };

  async function reach(): Promise<boolean> {
    try {
      await cares.resolveNs(".");
      answered();
      return true;
    } catch (error) {
      if (!absentCodes.has(codeOf(error))) return false;
      answered();
      return true;
    } finally {
      reaching = undefined;
    }
  }

  return {
    async ask(name: string, family: 4 | 6): Promise<Records> {
      try {
        const [first, ...rest] = presentRecords(
          family === 4 ? await cares.resolve4(name, { ttl: true }) : await cares.resolve6(name, { ttl: true }),
        );
        answered();
        const ttlSeconds = Math.min(first.ttl, ...rest.map(({ ttl }) => ttl));
        return { kind: "found", addresses: [first.address, ...rest.map(({ address }) => address)], ttlSeconds };
      } catch (error) {
        const code = codeOf(error);
        if (!absentCodes.has(code)) return { kind: "unanswered", code };
        if (code !== "EBADNAME") answered();
        return { kind: "absent" };
      }
    },
    /** Follows the aliases of a name (CNAME). @throws Error if a query fails */
    async aliasesOf(name: string): Promise<string[]> {
      const chain: string[] = [];
      for (let next: string | undefined = name; next !== undefined && chain.length < maxAliases;) {
        // A canonical name has no CNAME record.
        const found: string[] = await cares.resolveCname(next).catch((error: unknown) => {
          if (absentCodes.has(codeOf(error))) return [];
          throw error;
        });
        next = found[0];
        if (next !== undefined) chain.push(next);
      }
      return chain;
    },
    addresses: cares.getServers().join(", "),
    answeredSince: (elapsedMs: number): boolean => answeredAtMs >= elapsedMs,
    /** Queries the root, to distinguish a broken name from unreachable servers. */
    areReachable: () => (reaching ??= reach()),
    /** True if the servers report that the root does not exist, as no working resolver does. */
    denyRoot: (): Promise<boolean> =>
      cares.resolveNs(".").then(
        () => false,
        (error: unknown) => codeOf(error) === "ENOTFOUND",
      ),
    close: () => cares.cancel(),
  };
}

export type NameServers = ReturnType<typeof connectNameServers>;

export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "EUNKNOWN";
}
