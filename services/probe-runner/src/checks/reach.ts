import type { EgressGuard } from "@sonde/kit/egress/guard";
import type { Resolver } from "@sonde/kit/egress/resolver";
import type { TimerClock } from "@sonde/kit/time/clock";
import type { Silence } from "../probe/probe.ts";
import { chooseHosts, createKnownHosts, type Network, othersOf } from "./known-hosts.ts";
import { createNetworks, createOwnRoute, ownMachine, type OwnRoute } from "./networks.ts";
import { type ReferenceHost, tryConnect as connectOnNetwork, type TryConnect } from "./reference-hosts.ts";

export interface ReachOptions {
  clock: TimerClock;
  resolver: Pick<Resolver, "compare">;
  guard: EgressGuard;
  tryConnect?: TryConnect;
  networkOf?: (address: string) => string;
  routeTo?: (address: string) => OwnRoute;
  referenceHosts?: () => readonly ReferenceHost[];
}

/** An answer from another host within this time makes a probing round unnecessary. */
const freshMs = 1000;
const minSilent = 5;
const confirmAfterMs = 600_000;
const maxConfirmAfterMs = 3_600_000;
/** Long enough for two TCP connection attempts. */
const probeMs = 1500;
const waves = [
  { untilHost: 3, afterMs: 0 },
  { untilHost: 6, afterMs: 250 },
  { untilHost: 12, afterMs: 500 },
] as const;

const noRoute = "no route";
const lostRouter = "the router does not answer";
const cutOff = "no known host answers";
const namesLost = "no known name is found";

/**
 * Distinguishes a host that is down from a runner that has lost its network.
 * A silence (no connection, a connection that went dead, or a name that does not resolve) is attributed to the runner,
 * and the slot becomes no data, if
 * 1. the kernel has no route to the host, or its router does not answer on the link;
 * 2. hosts that answered recently no longer answer: the runner opens and closes connections to up to 12 others in the
 * same network, and a single answer confirms the silence. Hosts are distinguished by address, so several monitors of
 * one machine count once;
 * 3. no host has answered yet, and five others are silent too;
 * 4. for a name: recently resolved names in other domains no longer resolve either, or the name servers deny the root
 * (see `Resolver.compare`).
 * With no host to compare with, a silence is confirmed: a single monitor must become DOWN in time.
 * All known hosts may really be down at once (an entire site, monitored from elsewhere), which looks the same from
 * here. So the machines that the runner itself depends on are tried as well: its name servers and the bus. If one
 * answers, its network works, and silences in that network are confirmed at once. Machines on this host prove nothing,
 * and a reference host that does not answer proves nothing either. If none answers, the silence is confirmed after ten
 * minutes per other host, at most an hour: if the runner's network is down for longer than that, its monitors become
 * DOWN unless rule 1 applies. Until then they have no data and become stale, which triggers its own alert.
 */
export function watchReach(options: ReachOptions) {
  const { clock, resolver, guard, tryConnect = connectOnNetwork, referenceHosts = () => [] } = options;
  const hosts = createKnownHosts(options.networkOf ?? createNetworks(clock));
  const routeTo = options.routeTo ?? createOwnRoute(clock);
  let namesQuietSinceMs: number | undefined;

  async function troubleWithName(name: string): Promise<string | undefined> {
    const { others, credible, lastFoundMs } = await resolver.compare(name);
    // A regular lookup that succeeded also ends the quiet period.
    if (credible || lastFoundMs > (namesQuietSinceMs ?? 0)) namesQuietSinceMs = undefined;
    if (credible) return undefined;
    namesQuietSinceMs ??= clock.elapsedMs();
    return isConfirmed(namesQuietSinceMs, Math.max(1, others)) ? undefined : namesLost;
  }

  async function troubleWithHost(addresses: readonly string[], unrouted: boolean, sinceMs: number) {
    const [address = ""] = addresses;
    const name = hosts.networkOf(address);
    if (name === ownMachine) return undefined;
    const route = routeTo(address);
    if (unrouted && route !== "exists") return noRoute;
    if (route === "lost") return lostRouter;

    const own = hosts.get(address);
    hosts.markSilent(own, addresses, clock.elapsedMs());
    const compared = comparable(own, addresses);
    const others = compared === undefined ? silentOthers(own, addresses) : othersOf(compared, addresses).length;
    if (compared === undefined && others < minSilent) return undefined;
    const network = compared ?? own;
    // This check overlapped with the runner's own outage, so it proves nothing even if the network works again now.
    if (network.cutOffMs <= sinceMs) {
      if (answeredSince(network, addresses, sinceMs) || (await eitherAnswers(network, own, addresses))) {
        // The host is down. Do not compare other silences with this one.
        for (const one of addresses) {
          own.alive.delete(one);
          own.silent.delete(one);
        }
        return undefined;
      }
      network.cutOffMs = clock.elapsedMs();
      network.quietSinceMs ??= network.cutOffMs;
    }
    return isConfirmed(network.quietSinceMs ?? clock.elapsedMs(), others) ? undefined : cutOff;
  }

  /** Returns the host's own network or, if nothing there answered recently, the network with the latest answer. */
  function comparable(own: Network, addresses: readonly string[]): Network | undefined {
    if (othersOf(own, addresses).length > 0) return own;
    let best: Network | undefined;
    for (const [name, network] of hosts.all()) {
      if (name === ownMachine || othersOf(network, addresses).length === 0) continue;
      if (best === undefined || network.lastAnswerMs > best.lastAnswerMs) best = network;
    }
    return best;
  }

  const silentOthers = ({ silent }: Network, addresses: readonly string[]) =>
    [...silent].filter((address) => !addresses.includes(address)).length;

  const isConfirmed = (quietSinceMs: number, others: number) =>
    clock.elapsedMs() - quietSinceMs > Math.min(others * confirmAfterMs, maxConfirmAfterMs);

  function answeredSince({ alive }: Network, addresses: readonly string[], sinceMs: number): boolean {
    const fromMs = Math.max(sinceMs, clock.elapsedMs() - freshMs);
    return [...alive].some(([address, { atMs }]) => atMs >= fromMs && !addresses.includes(address));
  }

  /** Also tries the host's own network: reference hosts may be all that is left there. */
  async function eitherAnswers(network: Network, own: Network, addresses: readonly string[]): Promise<boolean> {
    const rounds = [...new Set([network, own])].map((one) => anyAnswers(one, addresses));
    return (await Promise.all(rounds)).includes(true);
  }

  /** Shares one round: many checks are in doubt at once when the network fails. */
  function anyAnswers(network: Network, addresses: readonly string[]): Promise<boolean> {
    network.probing ??= probeHosts(network, addresses).finally(() => (network.probing = undefined));
    return network.probing;
  }

  function probeHosts(network: Network, addresses: readonly string[]): Promise<boolean> {
    const chosen = chooseHosts(othersOf(network, addresses), network.turn++).filter(
      ({ address }) => guard.refusal(address) === undefined,
    );
    const references = referenceHosts().filter(({ address }) => hosts.networkOf(address) === network.name);
    const over = new AbortController();
    const timers: (() => void)[] = [];
    return new Promise((resolve) => {
      const end = (answered: boolean) => {
        for (const clear of timers) clear();
        resolve(answered);
        over.abort();
      };
      timers.push(clock.setTimeout(() => end(false), probeMs));
      let left = chosen.length + references.length;
      const settle = (answered: boolean, note: () => void) => {
        left--;
        if (over.signal.aborted) return;
        if (answered) note();
        if (answered || left === 0) end(answered);
      };
      const tryOne = async ({ address, port }: (typeof chosen)[number]) => {
        const answered = await tryConnect(address, port, over.signal);
        settle(answered, () => hosts.answered(address, port, clock.elapsedMs()));
      };
      const ask = async (referenceHost: ReferenceHost) => {
        settle(await referenceHost.answers(over.signal), () => hosts.markAlive(network, clock.elapsedMs()));
      };
      void Promise.all(references.map(ask));
      let from = 0;
      for (const { untilHost, afterMs } of waves) {
        const wave = chosen.slice(from, untilHost);
        from = untilHost;
        timers.push(clock.setTimeout(() => void Promise.all(wave.map(tryOne)), afterMs));
      }
      if (left === 0) end(false);
    });
  }

  return {
    alive: (address: string, port: number) => hosts.answered(address, port, clock.elapsedMs()),
    /** Returns the runner's own problem that explains a silence since `sinceMs` (monotonic), if any. Never rejects. */
    async ownTrouble(silence: Silence, sinceMs: number): Promise<string | undefined> {
      if (silence.of === "name") return troubleWithName(silence.name);
      return troubleWithHost(silence.addresses, silence.unrouted, sinceMs);
    },
  };
}

export type Reachability = ReturnType<typeof watchReach>;
