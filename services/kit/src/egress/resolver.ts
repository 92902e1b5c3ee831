import { isIP } from "node:net";
import { createCache } from "../cache.ts";
import { type Clock, systemClock } from "../time/clock.ts";
import { type Addresses, type NameServers, connectNameServers } from "./name-servers.ts";
import { candidates, watchResolverFiles } from "./resolver-files.ts";

/**
 * `not_found`: the name has no address. `failed`: its own servers are broken. `unreachable`: our resolver is
 * unreachable, so the host's state is unknown.
 */
export type Resolution =
  | { addresses: Addresses }
  | { failure: "not_found" | "failed" | "unreachable"; message: string };

export type AddressFamily = 4 | 6;

/** How a name is resolved. */
export interface NameOrigin {
  /** Addresses of the name servers, separated by commas: c-ares does not tell which of them responded. */
  servers: string;
  /** CNAME chain, at most 8 names; absent if a query failed. */
  names?: readonly string[];
}

export interface Resolver {
  /** Never rejects. Cached results are returned without a promise. */
  resolve(host: string, family?: AddressFamily): Resolution | Promise<Resolution>;
  /** Whether the name servers sent any response since this monotonic instant. */
  answeredSince(elapsedMs: number): boolean;
  /**
   * Whether to believe the name servers when they report that this name does not exist. The resolver queries them,
   * without the cache, for other names that were found recently. One name found makes them credible.
   * If none is found, only names of other registrable domains count against them, because an expired or broken domain
   * loses all its names. Without a name of another domain, the root is queried: captive portals that deny every name
   * deny it too, and only that makes the servers not credible. So a domain that only one network resolves (such as a
   * VPN's) is DOWN with that network if no other domain is monitored. Never rejects; takes at most 1.5 seconds.
   */
  compare(host: string): Promise<Comparison>;
  servers(): string;
  /**
   * Queries the CNAME chain, which the response with the addresses does not contain. `undefined` for addresses, and for
   * names that no server resolves, such as those of the hosts file. Names of search domains have no chain. Never
   * rejects; takes at most half a second.
   */
  originOf(host: string): Promise<NameOrigin | undefined>;
  close(): void;
}

export interface Comparison {
  others: number;
  credible: boolean;
  /** Monotonic, of an ordinary lookup; -Infinity before the first. */
  lastFoundMs: number;
}

export interface ResolverOptions {
  clock?: Clock;
  /** `address` or `address:port`; defaults to resolv.conf. */
  servers?: readonly string[];
  hostsPath?: string;
  resolvConfPath?: string;
  /** Defaults to what the interfaces support. */
  ipv6?: boolean;
}

const maxTtlMs = 300_000;
const failureTtlMs = 1000;
const maxEntries = 50_000;
/** How long an IPv4 address waits for the IPv6 response (RFC 8305 §3, resolution delay). */
const resolutionDelayMs = 50;
const reachTestAfterMs = 400;
const comparisonMs = 1500;
const originMs = 500;

/** Stub resolver with a TTL cache, the hosts file and search domains, which c-ares lacks. */
export function createResolver(options: ResolverOptions = {}): Resolver {
  const { clock = systemClock, servers, hostsPath = "/etc/hosts", resolvConfPath = "/etc/resolv.conf" } = options;
  const files = watchResolverFiles({ hosts: hostsPath, resolvConf: resolvConfPath }, clock);
  const cache = createCache<string, { answer: Resolution; untilMs: number }>({ max: maxEntries });
  const inFlight = new Map<string, Promise<Resolution>>();
  const found = createFoundNames(clock);
  // Failing servers put many names in doubt at once, which then share these queries.
  const asking = new Map<string, Promise<boolean>>();
  const aliases = new Map<string, Promise<string[]>>();
  let nameServers: NameServers | undefined;
  let serversVersion = "";

  function currentServers(): NameServers {
    const { confVersion } = files();
    if (nameServers === undefined || confVersion !== serversVersion) {
      nameServers = connectNameServers(clock, servers);
      serversVersion = confVersion;
    }
    return nameServers;
  }

  async function lookUp(host: string, key: string, family: AddressFamily | undefined): Promise<Resolution> {
    const { conf, ipv6 } = files();
    const wanted = family ?? options.ipv6 ?? ipv6;
    const { answer, ttlMs } = await askAll(currentServers(), candidates(host, conf), wanted, clock);
    inFlight.delete(key);
    if ("addresses" in answer) found.add(host);
    if (ttlMs > 0) cache.set(key, { answer, untilMs: clock.elapsedMs() + ttlMs });
    return answer;
  }

  function askOnce(name: string, ask: (name: string) => Promise<boolean>): Promise<boolean> {
    const answer = asking.get(name) ?? ask(name).finally(() => asking.delete(name));
    asking.set(name, answer);
    return answer;
  }

  async function isFound(name: string): Promise<boolean> {
    const { conf, ipv6 } = files();
    const { answer } = await askAll(currentServers(), candidates(name, conf), options.ipv6 ?? ipv6, clock);
    return "addresses" in answer;
  }

  /** Names that are resolved without a query. */
  function listedAddresses(host: string): Addresses | undefined {
    const listed = files().hosts.get(host);
    if (listed !== undefined) return listed;
    return host === "localhost" || host.endsWith(".localhost") ? ["127.0.0.1", "::1"] : undefined;
  }

  // Monitors of one host share a query.
  function aliasesOf(host: string): Promise<string[]> {
    const asked =
      aliases.get(host) ??
      currentServers()
        .aliasesOf(host)
        .finally(() => aliases.delete(host));
    aliases.set(host, asked);
    return asked;
  }

  const isRootKnown = async () => !(await currentServers().denyRoot());

  return {
    resolve(name, family) {
      if (isIP(name) !== 0) return ofFamily([name], name, family);
      const host = name.toLowerCase();
      const key = family === undefined ? host : `${host}/${family}`;
      const cached = cache.get(key);
      if (cached !== undefined && cached.untilMs > clock.elapsedMs()) return cached.answer;
      const listed = listedAddresses(host);
      if (listed !== undefined) return ofFamily(listed, host, family);
      const lookingUp = inFlight.get(key) ?? lookUp(host, key, family);
      inFlight.set(key, lookingUp);
      return lookingUp;
    },
    async compare(name) {
      const host = name.toLowerCase();
      const { sameDomain, elsewhere } = await found.othersThan(host);
      const questions = [...sameDomain, ...elsewhere].map((other) => askOnce(other, isFound));
      const root = elsewhere.length === 0 ? [askOnce(".", isRootKnown)] : [];
      const anyTrue = Promise.any(
        [...questions, ...root].map(async (one) => (await one) || Promise.reject(new Error("not found"))),
      );
      // Servers that have not responded about the root have not denied it.
      const late = delay(comparisonMs).then(() => Promise.race([...root, Promise.resolve(elsewhere.length === 0)]));
      const credible = await Promise.race([anyTrue.catch(() => false), late]);
      if (credible) found.forget(host);
      return { others: elsewhere.length, credible, lastFoundMs: found.lastFoundMs() };
    },
    servers: () => currentServers().addresses,
    async originOf(name) {
      const host = name.toLowerCase();
      if (isIP(host) !== 0 || listedAddresses(host) !== undefined) return undefined;
      const names = host.includes(".")
        ? await Promise.race([aliasesOf(host), delay(originMs)]).catch(() => undefined)
        : undefined;
      return { servers: currentServers().addresses, ...(names && { names }) };
    },
    answeredSince: (elapsedMs) => nameServers?.answeredSince(elapsedMs) ?? false,
    close: () => nameServers?.close(),
  };
}

function ofFamily(addresses: Addresses, name: string, family: AddressFamily | undefined): Resolution {
  if (family === undefined) return { addresses };
  const [first, ...others] = addresses.filter((address) => isIP(address) === family);
  return first === undefined ? without(name, family) : { addresses: [first, ...others] };
}

const without = (name: string | undefined, family?: AddressFamily): Resolution => ({
  failure: "not_found",
  message: family === undefined ? `${name} has no address` : `${name} has no IPv${family} address`,
});

type Timed = { answer: Resolution; ttlMs: number };

/** @param wanted one family, or for both: whether to use IPv6 */
async function askAll(
  servers: NameServers,
  names: string[],
  wanted: AddressFamily | boolean,
  clock: Clock,
): Promise<Timed> {
  const startedMs = clock.elapsedMs();
  for (const name of names) {
    const asking = typeof wanted === "boolean" ? askBoth(servers, name, wanted) : servers.ask(name, wanted);
    const outcome = await withReachTest(servers, asking);
    if (outcome.kind === "found") {
      const ttlMs = Math.min(outcome.ttlSeconds * 1000, maxTtlMs);
      return { answer: { addresses: outcome.addresses }, ttlMs };
    }
    if (outcome.kind === "absent") continue;
    // Another response shows that the servers work, so this name is broken.
    const reachable = servers.answeredSince(startedMs) || (await servers.areReachable());
    const failure = reachable ? "failed" : "unreachable";
    return { answer: { failure, message: `${name} could not be resolved (${outcome.code})` }, ttlMs: failureTtlMs };
  }
  const answer = without(names[0], typeof wanted === "boolean" ? undefined : wanted);
  return { answer, ttlMs: failureTtlMs };
}

// A slow response may outlast the caller's timeout, so reachability is tested before.
async function withReachTest<T>(servers: NameServers, asking: Promise<T>): Promise<T> {
  const timer = setTimeout(() => void servers.areReachable(), reachTestAfterMs).unref();
  const outcome = await asking;
  clearTimeout(timer);
  return outcome;
}

async function askBoth(servers: NameServers, name: string, ipv6: boolean) {
  const asking4 = servers.ask(name, 4);
  if (!ipv6) {
    const found = await asking4;
    // Try an IPv6-only host anyway, so that the failure includes its address.
    return found.kind === "absent" ? servers.ask(name, 6) : found;
  }
  const asking6 = servers.ask(name, 6);
  const four = await asking4;
  if (four.kind !== "found") {
    const six = await asking6;
    return six.kind === "found" || four.kind === "absent" ? six : four;
  }
  const six = await Promise.race([asking6, delay(resolutionDelayMs)]);
  if (six?.kind !== "found") return four;
  const ttlSeconds = Math.min(four.ttlSeconds, six.ttlSeconds);
  const addresses: Addresses = [...four.addresses, ...six.addresses];
  return { kind: "found" as const, addresses, ttlSeconds };
}

function delay(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms, undefined).unref());
}

const maxCached = 64;
const otherDomains = 5;
/** A name last found this much earlier than the newest may no longer exist. */
const olderByMs = 3_600_000;

/** Names to query when one seems not to exist. They expire relative to the newest find. */
function createFoundNames(clock: Clock) {
  const found = createCache<string, number>({ max: maxCached });
  let lastFoundMs = Number.NEGATIVE_INFINITY;
  return {
    add(name: string) {
      lastFoundMs = clock.elapsedMs();
      found.set(name, lastFoundMs);
    },
    forget: (name: string) => void found.delete(name),
    /** The newest other name of the same registrable domain, and of each of up to five other domains. */
    async othersThan(name: string) {
      const domainOf = await loadDomainOf();
      const own = domainOf(name);
      const newest = new Map<string, string>();
      for (const [other, atMs] of found.entries()) {
        const domain = domainOf(other);
        if (other !== name && !newest.has(domain) && atMs >= lastFoundMs - olderByMs) newest.set(domain, other);
      }
      const sameDomain = newest.get(own);
      newest.delete(own);
      return {
        sameDomain: sameDomain === undefined ? [] : [sameDomain],
        elsewhere: [...newest.values()].slice(0, otherDomains),
      };
    },
    lastFoundMs: () => lastFoundMs,
  };
}

/**
 * Registrable domain by the Public Suffix List without its private section: names of one domain share name servers. The
 * list takes 4 MiB, so it is loaded on first use.
 */
async function loadDomainOf(): Promise<(name: string) => string> {
  const { getDomain } = await import("tldts");
  return (name) => getDomain(name) ?? name;
}
