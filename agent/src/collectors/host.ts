import { hostname, networkInterfaces, release, type } from "node:os";
import { join } from "node:path";
import { type Roots, readText } from "./roots.ts";

export interface Host {
  hostname: string;
  os: string;
  ipAddresses: string[];
}

/** The name that people know a distribution by, of os-release(5). */
export function parseOsRelease(text: string): string | undefined {
  const value = (key: string) => {
    const raw = new RegExp(`^${key}=(.*)$`, "m").exec(text)?.[1]?.trim();
    return raw?.replace(/^(["'])(.*)\1$/, "$2").replace(/\\(.)/g, "$1");
  };
  return value("PRETTY_NAME") || value("NAME") || undefined;
}

/** Addresses that others reach the host by: not loopback, not link-local, not those of container bridges. */
export function chooseAddresses(interfaces: ReturnType<typeof networkInterfaces>): string[] {
  const addresses = Object.entries(interfaces)
    .filter(([name]) => !/^(?:veth|docker|br-|virbr|cni|cali|flannel|vnet|tap)/.test(name))
    .flatMap(([, list]) => list ?? [])
    .filter((entry) => !entry.internal && !/^(?:fe80:|169\.254\.)/i.test(entry.address))
    .toSorted((a, b) => a.family.localeCompare(b.family))
    .map((entry) => entry.address);
  return [...new Set(addresses)].slice(0, 50);
}

export function readHost(roots: Roots): Host {
  const osRelease = readText(join(roots.root, "/etc/os-release")) ?? readText(join(roots.root, "/usr/lib/os-release"));
  const named = parseOsRelease(Buffer.from(osRelease ?? "", "latin1").toString("utf8"));
  const hostsOwn = roots.root === "" ? undefined : readText(join(roots.proc, "sys/kernel/hostname"))?.trim();
  return {
    hostname: (hostsOwn ?? hostname()).slice(0, 255),
    os: (named ?? `${type()} ${release()}`).slice(0, 200),
    ipAddresses: chooseAddresses(networkInterfaces()),
  };
}
