import type { EntryOf } from "./collector.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ClockReading, elapsedMs } from "./clock.ts";
import { type Roots, listFolder, readText } from "./roots.ts";

type Counters = Pick<EntryOf<"network">, "received" | "sent" | "packetsReceived" | "packetsSent">;

export interface NetworkReading {
  at: ClockReading;
  counters: Map<string, Counters>;
}

const virtual =
  /^(?:lo$|veth|docker|br-|virbr|cni|cali|flannel|vnet|tap|ifb|dummy|kube-ipvs|nodelocaldns|lxc|fwbr|fwpr|fwln)/;

/** /proc/net/dev has two header lines, then eight received and eight sent figures. See proc_pid_net(5). */
export function parseNetDev(text: string): Map<string, Counters> {
  const counters = new Map<string, Counters>();
  for (const [, name = "", figures = ""] of text.matchAll(/^\s*([^\s:|]+(?::[^\s:|]+)?): *(\d.*)$/gm)) {
    const fields = figures.trim().split(/ +/).map(Number);
    const [received, packetsReceived, , , , , , , sent, packetsSent] = fields;
    if (received === undefined || packetsReceived === undefined || sent === undefined || packetsSent === undefined)
      continue;
    counters.set(name, { received, sent, packetsReceived, packetsSent });
  }
  return counters;
}

/**
 * Selects interfaces without counting any byte twice: those with hardware, without the bonds and VLANs on top. If
 * none has hardware (in a container), all that are not virtual by name and not on top of another selected one.
 * @param names all interfaces, listed again each cycle
 * @param links the entries of /sys/class/net/<name>
 */
export function chooseInterfaces(names: string[], links: (name: string) => string[]): string[] {
  const candidates = names.filter((name) => !virtual.test(name));
  const entries = new Map(candidates.map((name) => [name, links(name)]));
  const hardware = candidates.filter((name) => entries.get(name)?.includes("device"));
  if (hardware.length > 0) return hardware;
  return candidates.filter((name) => {
    const below = (entries.get(name) ?? [])
      .filter((entry) => entry.startsWith("lower_"))
      .map((entry) => entry.slice(6));
    return !below.some((lower) => candidates.includes(lower));
  });
}

/** No rates for a new interface, after a counter reset, or if the elapsed time is unknown. */
export function networkRates(before: NetworkReading | undefined, now: NetworkReading): EntryOf<"network">[] {
  const elapsed = elapsedMs(before?.at, now.at);
  return [...now.counters].map(([name, counters]) => {
    const earlier = before?.counters.get(name);
    if (elapsed === undefined || earlier === undefined) return { interface: name, ...counters };
    const reset = counters.received < earlier.received || counters.sent < earlier.sent;
    if (reset) return { interface: name, ...counters };
    return {
      interface: name,
      ...counters,
      receiveRate: ((counters.received - earlier.received) * 1000) / elapsed,
      sendRate: ((counters.sent - earlier.sent) * 1000) / elapsed,
    };
  });
}

export function readNetwork(roots: Roots, at: ClockReading): NetworkReading {
  // In a container that watches its host, net/dev has the container's interfaces; the host's are those of process 1.
  const text = readText(join(roots.proc, roots.root === "" ? "net/dev" : "1/net/dev")) ?? "";
  const all = parseNetDev(text);
  const folder = join(roots.sys, "class/net");
  const chosen = chooseInterfaces([...all.keys()], (name) => linksOf(join(folder, name)));
  return { at, counters: new Map([...all].filter(([name]) => chosen.includes(name)).slice(0, 100)) };
}

function linksOf(folder: string): string[] {
  // Checking one name is cheaper than listing, and hardware is the common case.
  return existsSync(join(folder, "device")) ? ["device"] : listFolder(folder);
}
