import { readFileSync, statSync } from "node:fs";
import { networkInterfaces } from "node:os";
import type { Clock } from "../time/clock.ts";
import { parseHosts } from "./hosts-file.ts";
import type { Addresses } from "./name-servers.ts";
import { parseResolvConf, type ResolvConf } from "./resolv-conf.ts";

/** What the machine says about names beside its name servers. */
export interface ResolverFiles {
  hosts: Map<string, Addresses>;
  conf: ResolvConf;
  /** Whether an interface has an IPv6 address that reaches beyond its link (RFC 3493's AI_ADDRCONFIG). */
  ipv6: boolean;
  /** Changes with resolv.conf: name servers must be read anew. */
  confVersion: string;
}

const refreshMs = 30_000;

/**
 * Answers the present files, looked at again every 30 seconds. A file that is not there is empty; what cannot be read
 * (no file descriptor is free) stays as it was last, and is tried again with the next look. Never throws.
 */
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
      confVersion: conf.version,
    };
    return seen;
  };
}

/** Reads a file anew when it changed. The version changes with the content. */
function watchFile<Content>(path: string, parse: (text: string) => Content) {
  let last = { version: "none", content: parse("") };
  return () => {
    const version = attempt(() => versionOf(path));
    if (version === undefined || version === last.version) return last;
    const text = version === "none" ? "" : attempt(() => readFileSync(path, "utf8"));
    if (text !== undefined) last = { version, content: parse(text) };
    return last;
  };
}

function versionOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? "none" : `${stat.ino}:${stat.mtimeMs}:${stat.size}`;
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
