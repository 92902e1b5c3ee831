import { existsSync, readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import type { Clock } from "../time/clock.ts";
import type { Addresses } from "./name-servers.ts";
import { isIP } from "node:net";

export interface ResolverFiles {
  hosts: Map<string, Addresses>;
  conf: ResolvConf;
  /** Whether an interface has an IPv6 address beyond link-local scope (AI_ADDRCONFIG of RFC 3493). */
  ipv6: boolean;
  /** If it changes, the name servers must be loaded again. */
  confVersion: string;
}

const refreshMs = 30_000;

/** Checks the files every 30 seconds. Missing files are empty; unreadable ones keep their last content. */
export function watchResolverFiles(
  paths: { hosts: string; resolvConf: string },
  clock: Clock,
  interfaces: typeof networkInterfaces = networkInterfaces,
): () => ResolverFiles {
  const hosts = watchFile(paths.hosts, parseHosts);
  const resolvConf = watchFile(paths.resolvConf, parseResolvConf);
  let seen: ResolverFiles | undefined;
  let lookedAtMs = 0;

  return () => {
    const nowMs = clock.elapsedMs();
    if (seen !== undefined && nowMs - lookedAtMs < refreshMs) return seen;
    lookedAtMs = nowMs;
    const conf = resolvConf();
    seen = {
      hosts: hosts().content,
      conf: conf.content,
      ipv6: attempt(() => hasIpv6(interfaces())) ?? seen?.ipv6 ?? false,
      confVersion: conf.text,
    };
    return seen;
  };
}

function watchFile<Content>(path: string, parse: (text: string) => Content) {
  let last = { text: "", content: parse("") };
  return () => {
    const text = attempt(() => (existsSync(path) ? readFileSync(path, "utf8") : ""));
    if (text !== undefined && text !== last.text) last = { text, content: parse(text) };
    return last;
  };
}

function attempt<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

function hasIpv6(interfaces: ReturnType<typeof networkInterfaces>): boolean {
  return Object.values(interfaces).some((addresses) =>
    addresses?.some(({ family, internal, scopeid }) => family === "IPv6" && !internal && scopeid === 0),
  );
}

/** By lower-case name, see hosts(5). */
export function parseHosts(text: string): Map<string, Addresses> {
  const hosts = new Map<string, Addresses>();
  for (const line of text.split("\n")) {
    const [address = "", ...names] = line.replace(/#.*$/, "").trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      const [first = address, ...rest] = hosts.get(key) ?? [];
      hosts.set(key, first === address || rest.includes(address) ? [first, ...rest] : [first, ...rest, address]);
    }
  }
  return hosts;
}

/** See resolv.conf(5). */
export interface ResolvConf {
  search: string[];
  ndots: number;
}

/** The last `search` or `domain` wins. */
export function parseResolvConf(text: string): ResolvConf {
  const conf: ResolvConf = { search: [], ndots: 1 };
  for (const line of text.split("\n")) {
    const [keyword, ...words] = line
      .replace(/[#;].*$/, "")
      .trim()
      .split(/\s+/);
    if (keyword === "search") conf.search = words.map(withoutDot);
    if (keyword === "domain") conf.search = words.slice(0, 1).map(withoutDot);
    if (keyword !== "options") continue;
    for (const word of words) {
      const ndots = /^ndots:(\d+)$/.exec(word)?.[1];
      if (ndots !== undefined) conf.ndots = Math.min(15, Number(ndots));
    }
  }
  return conf;
}

/**
 * Names with fewer than `ndots` dots try the search domains first, as a cluster's `postgres.default` needs. A trailing
 * dot disables searching.
 */
export function candidates(host: string, { search, ndots }: ResolvConf): string[] {
  if (host.endsWith(".")) return [withoutDot(host)];
  const searched = search.filter((domain) => domain !== "").map((domain) => `${host}.${domain}`);
  const dots = host.split(".").length - 1;
  return dots >= ndots ? [host, ...searched] : [...searched, host];
}

function withoutDot(name: string): string {
  return name.endsWith(".") ? name.slice(0, -1) : name;
}
