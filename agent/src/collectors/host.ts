import type { Host, Scope } from "./collector.ts";
import { existsSync } from "node:fs";
import { hostname, networkInterfaces, release, type } from "node:os";
import { join } from "node:path";
import { readText, type Roots } from "./roots.ts";

/** The display name of a distribution from os-release(5). */
export function parseOsRelease(text: string): string | undefined {
  const value = (key: string) => {
    const raw = new RegExp(`^${key}=(.*)$`, "m").exec(text)?.[1]?.trim();
    return raw?.replace(/^(["'])(.*)\1$/, "$2").replace(/\\(.)/g, "$1");
  };
  return value("PRETTY_NAME") || value("NAME") || undefined;
}

/** Addresses under which the host is reachable: no loopback, link-local or container bridge addresses. */
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

/** System containers (LXC, nspawn) leave a mark through systemd, Podman leaves a file. */
const marks = ["run/.containerenv", "run/systemd/container"];
/** Engines mount these over the files of an image. */
const hostFiles = / \/etc\/(?:hosts|resolv\.conf|hostname) /;

/**
 * Detects a container, where /proc shows the host's figures: by cgroup names, an engine's mark, or files that the
 * engine mounts over an image. `/.dockerenv` is not enough: a virtual machine created from an image has it, too.
 */
export function detectScope(roots: Roots): Scope {
  if (marks.some((mark) => existsSync(join(roots.root, "/", mark)))) return "container";
  if (/docker|kubepods|libpod|containerd|lxc/.test(readText(join(roots.proc, "1/cgroup")) ?? "")) return "container";
  const mounts = readText(join(roots.proc, "1/mountinfo")) ?? "";
  const fromImage = / \/ \/ .* - overlay /.test(mounts) || existsSync(join(roots.root, "/.dockerenv"));
  return fromImage && hostFiles.test(mounts) ? "container" : "host";
}
