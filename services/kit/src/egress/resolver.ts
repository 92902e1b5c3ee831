import { isIP } from "node:net";
import { createCache } from "../cache.ts";
import { type Clock, systemClock } from "../time/clock.ts";
import { type Addresses, type NameServers, connectNameServers } from "./name-servers.ts";
import { candidates, watchResolverFiles } from "./resolver-files.ts";

/**
 * The addresses of a host, or why there are none. `not_found`: the name has no address. `failed`: its own servers are
 * broken. `unreachable`: our resolver is unreachable, so the host's state is unknown.
 */
export type Resolution =
  | { addresses: Addresses }
  | { failure: "not_found" | "failed" | "unreachable"; message: string };

/** Of addresses: IPv4 or IPv6. */
export type AddressFamily = 4 | 6;

export interface Resolver {
  /** Never rejects. Cached answers are returned without a promise. `family`: its addresses of that one alone. */
  resolve(host: string, family?: AddressFamily): Resolution | Promise<Resolution>;
  /** Whether the name servers answered anything since this monotonic instant. */
  answeredSince(elapsedMs: number): boolean;
  /**
   * Whether the name servers' answer for this name is credible. They are queried, past the cache, for other names that
   * they found lately, and are credible if one is found. If none is, names of other registrable domains count against
   * them; one of the same domain does not, because a domain that expired or broke takes all its names with it. Without
   * a name of another domain the root of all names is queried, which a captive portal denies that reports every name as
   * missing: they are credible unless they deny it. So a domain that only one network resolves (such as a VPN's) is
   * DOWN with that network if no other domain is monitored. Never rejects, and takes 1.5 seconds at most.
   */
  compare(host: string): Promise<Comparison>;
  close(): void;
}

export interface Comparison {
  /** How many names of other domains were queried. */
  others: number;
  /** Whether the servers' answer is credible. */
  credible: boolean;
  /** When an ordinary lookup last found a name (monotonic); -Infinity before the first. */
  lastFoundMs: number;
}

export interface ResolverOptions {
  clock?: Clock;
  /** `address` or `address:port`; without it those of resolv.conf. */
  servers?: readonly string[];
  hostsPath?: string;
  resolvConfPath?: string;
  /** Whether IPv6 addresses are of use here; without it the interfaces decide. */
  ipv6?: boolean;
}

const maxTtlMs = 300_000;
const failureTtlMs = 1000;
const maxEntries = 50_000;
/** How long a found IPv4 address waits for the answer about IPv6 (RFC 8305 §3, resolution delay). */
const resolutionDelayMs = 50;
const reachTestAfterMs = 400;
const comparisonMs = 1500;

/** A stub resolver with a cache by TTL, the hosts file and search domains, which c-ares lacks. */
export function createResolver(options: ResolverOptions = {}): Resolver {
  const { clock = systemClock, servers, hostsPath = "/etc/hosts", resolvConfPath = "/etc/resolv.conf" } = options;
  const files = watchResolverFiles({ hosts: hostsPath, resolvConf: resolvConfPath }, clock);
  const cache = createCache<string, { answer: Resolution; untilMs: number }>({ max: maxEntries });
  const inFlight = new Map<string, Promise<Resolution>>();
  const found = createFoundNames(clock);
  // When the servers go wrong, many names are in doubt at once: all wait for the same questions.
  const asking = new Map<string, Promise<boolean>>();
  let nameServers: NameServers | undefined;
  let serversVersion = "";

  function currentServers(): NameServers {
    const { confVersion } = files();
    if (nameServers === undefined || confVersion !== serversVersion) {
      // Queries under way on the old ones end by themselves.
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

  const isRootKnown = async () => !(await currentServers().denyRoot());

  return {
    resolve(name, family) {
      if (isIP(name) !== 0) return ofFamily([name], name, family);
      const host = name.toLowerCase();
      const key = family === undefined ? host : `${host}/${family}`;
      const cached = cache.get(key);
      if (cached !== undefined && cached.untilMs > clock.elapsedMs()) return cached.answer;
      const listed = files().hosts.get(host);
      if (listed !== undefined) return ofFamily(listed, host, family);
      if (host === "localhost" || host.endsWith(".localhost")) return ofFamily(["127.0.0.1", "::1"], host, family);
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
      // Servers that have not answered about the root have not denied it.
      const late = delay(comparisonMs).then(() => Promise.race([...root, Promise.resolve(elsewhere.length === 0)]));
      const credible = await Promise.race([anyTrue.catch(() => false), late]);
      if (credible) found.forget(host);
      return { others: elsewhere.length, credible, lastFoundMs: found.lastFoundMs() };
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

/** @param wanted the one family, or of both: whether IPv6 is of use here */
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
    // Another answer in the meantime shows that the servers live: the fault is this name's.
    const reachable = servers.answeredSince(startedMs) || (await servers.areReachable());
    const failure = reachable ? "failed" : "unreachable";
    return { answer: { failure, message: `${name} could not be resolved (${outcome.code})` }, ttlMs: failureTtlMs };
  }
  const answer = without(names[0], typeof wanted === "boolean" ? undefined : wanted);
  return { answer, ttlMs: failureTtlMs };
}

// A slow answer may outlast the caller's timeout: by then it must be known whether the servers are reachable.
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
    // A host with IPv6 alone is still worth an attempt: the failure then names its address.
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
/** A name that was found this much earlier than the newest may no longer exist. */
const olderByMs = 3_600_000;

/**
 * Names that the name servers found lately: others to query when they report that one does not exist. Names age by later
 * finds, not by time: without any, they stay.
 */
function createFoundNames(clock: Clock) {
  const found = createCache<string, number>({ max: maxCached });
  let lastFoundMs = Number.NEGATIVE_INFINITY;
  return {
    add(name: string) {
      lastFoundMs = clock.elapsedMs();
      found.set(name, lastFoundMs);
    },
    forget: (name: string) => void found.delete(name),
    /** The newest others: one of the same registrable domain, and one each of up to five other domains. */
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
    /** When any name was last found (monotonic); -Infinity before the first. */
    lastFoundMs: () => lastFoundMs,
  };
}

/**
 * The registrable part of a name, by the Public Suffix List without its private part: names that share it share name
 * servers. A name of one label is its own. The list takes 4 MiB, so it is loaded for the first comparison.
 */
async function loadDomainOf(): Promise<(name: string) => string> {
  const { getDomain } = await import("tldts");
  return (name) => getDomain(name) ?? name;
}
