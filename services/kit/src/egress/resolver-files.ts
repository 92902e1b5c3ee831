import { readFileSync, statSync } from "node:fs";
import { networkInterfaces } from "node:os";
import type { Clock } from "../clock.ts";
import { parseHosts } from "./hosts-file.ts";
import { parseResolvConf, type ResolvConf } from "./resolv-conf.ts";

/** What the machine says about names beside its name servers. */
export interface ResolverFiles {
  hosts: Map<string, string[]>;
  conf: ResolvConf;
  /** Whether an interface has an IPv6 address that reaches beyond its link (RFC 3493's AI_ADDRCONFIG). */
  ipv6: boolean;
  /** Changes with resolv.conf: name servers must be read anew. */
  confVersion: string;
}

const refreshMs = 30_000;

/** Answers the present files, looked at again every 30 seconds. A file that is not there is empty. */
export function watchResolverFiles(paths: { hosts: string; resolvConf: string }, clock: Clock): () => ResolverFiles {
  let seen: ResolverFiles | undefined;
  let versions = "";
  let lookedAtMs = 0;

  return () => {
    const nowMs = clock.elapsedMs();
    if (seen !== undefined && nowMs - lookedAtMs < refreshMs) return seen;
    lookedAtMs = nowMs;
    const confVersion = version(paths.resolvConf);
    const present = `${version(paths.hosts)} ${confVersion}`;
    const changed = seen === undefined || present !== versions;
    versions = present;
    seen = {
      hosts: changed ? parseHosts(read(paths.hosts)) : seen!.hosts,
      conf: changed ? parseResolvConf(read(paths.resolvConf)) : seen!.conf,
      ipv6: hasIpv6(),
      confVersion,
    };
    return seen;
  };
}

function version(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? "none" : `${stat.ino}:${stat.mtimeMs}:${stat.size}`;
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function hasIpv6(): boolean {
  return Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ family, internal, scopeid }) => family === "IPv6" && !internal && scopeid === 0),
  );
}
