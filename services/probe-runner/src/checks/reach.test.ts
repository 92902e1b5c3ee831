import { fakeClock } from "@sonde/kit/time/clock";
import { createGuard } from "@sonde/kit/egress/guard";
import { describe, expect, it } from "vitest";
import type { Silence } from "../probe/probe.ts";
import type { OwnRoute } from "./networks.ts";
import { watchReach } from "./reach.ts";
import type { ReferenceHost } from "./reference-hosts.ts";

const minuteMs = 60_000;
const names = Array.from({ length: 12 }, (_, at) => `198.51.100.${at + 1}`);

/** Only addresses in `up` answer. Addresses of 192.168 are a network of their own. */
function setUp() {
  const clock = fakeClock();
  const up = new Set<string>();
  const connectedTo: string[] = [];
  const referenceHosts: ReferenceHost[] = [];
  const world = { route: "exists" as OwnRoute, credible: true, others: 0, lastFoundMs: Number.NEGATIVE_INFINITY };
  const reach = watchReach({
    clock,
    guard: createGuard(),
    resolver: { compare: async () => world },
    networkOf: (address) => (address.startsWith("127.") ? "own" : address.startsWith("192.168.") ? "lan" : "public"),
    routeTo: () => world.route,
    referenceHosts: () => referenceHosts,
    tryConnect: async (address) => {
      connectedTo.push(address);
      return up.has(address);
    },
  });
  const host = (address: string, unrouted = false): Silence => ({ of: "host", addresses: [address], unrouted });
  const silence = async (address: string, lastsMs = 10_000) => {
    const sinceMs = clock.elapsedMs();
    clock.advance(lastsMs);
    return judged(reach.ownTrouble(host(address), sinceMs));
  };
  /** Advances time until the rounds of connections have ended. */
  const judged = async (asking: Promise<string | undefined>) => {
    let ended = false;
    const verdict = asking.finally(() => (ended = true));
    for (let turn = 0; !ended && turn < 40; turn++) {
      for (let tick = 0; tick < 20; tick++) await Promise.resolve();
      if (!ended) clock.advance(100);
    }
    return verdict;
  };
  const answerAll = (addresses: readonly string[]) => {
    for (const address of addresses) {
      up.add(address);
      reach.alive(address, 443);
    }
  };
  return { clock, up, connectedTo, referenceHosts, world, reach, host, silence, judged, answerAll };
}

describe("a silent host", () => {
  it("is down if another host accepts a connection", async () => {
    const { silence, answerAll, connectedTo } = setUp();
    answerAll(["198.51.100.1", "198.51.100.2"]);
    expect(await silence("203.0.113.9")).toBeUndefined();
    expect(connectedTo).toEqual(["198.51.100.2", "198.51.100.1"]);
  });

  it("is no data if none of twelve hosts answers any more, even if only a few were tried recently", async () => {
    const { clock, silence, answerAll, up } = setUp();
    for (const name of names) {
      answerAll([name]);
      clock.advance(20_000 / 12);
    }
    up.clear();
    for (const name of names) expect(await silence(name, 3000)).toBe("no known host answers");
  });

  it("is no data if the only other host is silent too, and confirmed after ten minutes", async () => {
    const { clock, silence, answerAll, up } = setUp();
    answerAll(["198.51.100.1", "198.51.100.2"]);
    up.clear();
    expect(await silence("198.51.100.1")).toBe("no known host answers");
    clock.advance(9 * minuteMs);
    expect(await silence("198.51.100.1")).toBe("no known host answers");
    clock.advance(minuteMs);
    expect(await silence("198.51.100.1")).toBeUndefined();
  });

  it("is confirmed later the more hosts are silent, after an hour at most", async () => {
    const { clock, silence, answerAll, up } = setUp();
    answerAll(names);
    up.clear();
    await silence(names[0]!);
    clock.advance(59 * minuteMs);
    expect(await silence(names[0]!)).toBe("no known host answers");
    clock.advance(minuteMs);
    expect(await silence(names[0]!)).toBeUndefined();
  });

  it("is down without any host for comparison", async () => {
    const { silence, answerAll, up } = setUp();
    expect(await silence("198.51.100.1")).toBeUndefined();
    answerAll(["198.51.100.1"]);
    up.clear();
    expect(await silence("198.51.100.1")).toBeUndefined();
  });

  it("is down if only a name server is silent as well", async () => {
    const { silence, referenceHosts } = setUp();
    referenceHosts.push({ address: "203.0.113.53", answers: async () => false });
    expect(await silence(names[0]!)).toBeUndefined();
  });

  it("does not excuse the next silence after it was found down", async () => {
    const { silence, answerAll, up } = setUp();
    answerAll(["198.51.100.1", "198.51.100.2"]);
    up.delete("198.51.100.1");
    expect(await silence("198.51.100.1")).toBeUndefined();
    up.delete("198.51.100.2");
    expect(await silence("198.51.100.2")).toBeUndefined();
  });

  it("is no data if five others are silent too and no host ever answered", async () => {
    const { silence } = setUp();
    for (const name of names.slice(0, 5)) expect(await silence(name)).toBeUndefined();
    expect(await silence(names[5]!)).toBe("no known host answers");
    expect(await silence("198.51.100.1")).toBe("no known host answers");
  });

  it("is compared with its own network first: a printer proves nothing about the internet", async () => {
    const { silence, answerAll, up } = setUp();
    answerAll(["192.168.1.5", "198.51.100.1", "198.51.100.2"]);
    up.delete("198.51.100.1");
    up.delete("198.51.100.2");
    expect(await silence("198.51.100.1")).toBe("no known host answers");
    expect(await silence("192.168.1.6")).toBeUndefined();
  });

  it("is down if it is this machine, whatever else answers", async () => {
    const { silence, world } = setUp();
    world.route = "lost";
    expect(await silence("127.0.0.1")).toBeUndefined();
  });

  it("is no data if the runner was cut off during the check", async () => {
    const { clock, reach, host, judged, silence, answerAll, up } = setUp();
    answerAll(names);
    const sinceMs = clock.elapsedMs();
    up.clear();
    expect(await silence(names[0]!, 3000)).toBe("no known host answers");
    answerAll(names.slice(1));
    clock.advance(2000);
    expect(await judged(reach.ownTrouble(host("203.0.113.9"), sinceMs))).toBe("no known host answers");
    expect(await silence("203.0.113.9")).toBeUndefined();
  });
});

describe("a whole silent site", () => {
  const referenceHost = (address: string, answers: boolean): ReferenceHost => ({
    address,
    answers: async () => answers,
  });

  it("is down at once while a name server or the bus answers in its network", async () => {
    const { silence, answerAll, up, referenceHosts } = setUp();
    answerAll(names);
    up.clear();
    referenceHosts.push(referenceHost("192.168.1.53", false), referenceHost("203.0.113.53", true));
    for (const name of names) expect(await silence(name)).toBeUndefined();
  });

  it("is down even if none of its hosts ever answered", async () => {
    const { silence, referenceHosts } = setUp();
    referenceHosts.push(referenceHost("203.0.113.53", true));
    for (const name of names) expect(await silence(name)).toBeUndefined();
  });

  it("is down if only hosts of another network are left for comparison", async () => {
    const { silence, answerAll, up, referenceHosts } = setUp();
    answerAll(["192.168.1.5"]);
    up.clear();
    referenceHosts.push(referenceHost("203.0.113.53", true));
    expect(await silence(names[0]!)).toBeUndefined();
  });

  it("is no data if only reference hosts in another network or on this machine answer", async () => {
    const { silence, answerAll, up, referenceHosts } = setUp();
    answerAll(names);
    up.clear();
    referenceHosts.push(referenceHost("192.168.1.53", true), referenceHost("127.0.0.53", true));
    for (const name of names) expect(await silence(name)).toBe("no known host answers");
  });

  it("is no data while name server and bus are silent too or never answer", async () => {
    const { silence, answerAll, up, referenceHosts } = setUp();
    answerAll(names);
    up.clear();
    referenceHosts.push(referenceHost("203.0.113.53", false));
    expect(await silence(names[0]!)).toBe("no known host answers");
    referenceHosts.push({ address: "203.0.113.4", answers: () => new Promise(() => undefined) });
    expect(await silence(names[1]!)).toBe("no known host answers");
  });

  it("is no data for a check during which the runner was cut off, even if the bus is back", async () => {
    const { clock, reach, host, judged, silence, answerAll, up, referenceHosts } = setUp();
    answerAll(names);
    up.clear();
    const sinceMs = clock.elapsedMs();
    expect(await silence(names[0]!, 3000)).toBe("no known host answers");
    referenceHosts.push(referenceHost("203.0.113.4", true));
    expect(await judged(reach.ownTrouble(host(names[1]!), sinceMs))).toBe("no known host answers");
    expect(await silence(names[1]!)).toBeUndefined();
  });
});

describe("a round of connections", () => {
  it("is unnecessary if another host answered within the last second of the check", async () => {
    const { clock, reach, host, judged, connectedTo } = setUp();
    const sinceMs = clock.elapsedMs();
    clock.advance(9500);
    reach.alive("198.51.100.1", 443);
    clock.advance(500);
    expect(await judged(reach.ownTrouble(host("203.0.113.9"), sinceMs))).toBeUndefined();
    expect(connectedTo).toEqual([]);
  });

  it("is shared by all checks in doubt, tries at most twelve hosts, and ends with the first answer", async () => {
    const { clock, reach, host, judged, answerAll, up, connectedTo } = setUp();
    answerAll([...names, "198.51.100.20", "198.51.100.21", "198.51.100.22"]);
    up.clear();
    const sinceMs = clock.elapsedMs();
    clock.advance(10_000);
    const queries = names.map((name) => reach.ownTrouble(host(name), sinceMs));
    expect(await judged(Promise.all(queries).then((verdicts) => String(new Set(verdicts).size)))).toBe("1");
    expect(connectedTo).toHaveLength(12);
    connectedTo.length = 0;
    for (const name of names) up.add(name);
    await judged(reach.ownTrouble(host("203.0.113.9"), clock.elapsedMs()));
    expect(connectedTo).toHaveLength(6);
  });

  it("tries every known host in turn, in case the newest are all down", async () => {
    const { silence, answerAll, up, connectedTo } = setUp();
    answerAll(Array.from({ length: 40 }, (_, at) => `198.51.100.${at}`));
    up.clear();
    for (let turn = 0; turn < 5; turn++) await silence("203.0.113.9");
    expect(new Set(connectedTo).size).toBe(40);
  });
});

describe("the runner's own route", () => {
  it("is checked first: without a route or a responding router, everything stays no data", async () => {
    const { clock, reach, host, judged, silence, world, answerAll } = setUp();
    answerAll(names);
    world.route = "lost";
    for (const name of names) expect(await silence(name)).toBe("the router does not answer");
    clock.advance(48 * 60 * minuteMs);
    expect(await silence(names[0]!)).toBe("the router does not answer");
    for (const route of ["none", "unknown"] as const) {
      world.route = route;
      expect(await judged(reach.ownTrouble(host(names[0]!, true), clock.elapsedMs()))).toBe("no route");
    }
  });

  it("exists if only a distant router reports that it has none", async () => {
    const { clock, reach, host, judged } = setUp();
    expect(await judged(reach.ownTrouble(host(names[0]!, true), clock.elapsedMs()))).toBeUndefined();
  });
});

describe("a name that does not resolve", () => {
  const name: Silence = { of: "name", name: "shop.test" };

  it("is a failure while the name servers are credible", async () => {
    const { reach } = setUp();
    expect(await reach.ownTrouble(name, 0)).toBeUndefined();
  });

  it("is no data while other names do not resolve either, for ten minutes per name", async () => {
    const { clock, reach, world } = setUp();
    Object.assign(world, { credible: false, others: 3 });
    expect(await reach.ownTrouble(name, 0)).toBe("no known name is found");
    clock.advance(30 * minuteMs);
    expect(await reach.ownTrouble(name, 0)).toBe("no known name is found");
    clock.advance(1000);
    expect(await reach.ownTrouble(name, 0)).toBeUndefined();
  });

  it("is no data again if the servers fail again after successful lookups", async () => {
    const { clock, reach, world } = setUp();
    Object.assign(world, { credible: false, others: 3 });
    expect(await reach.ownTrouble(name, 0)).toBe("no known name is found");
    clock.advance(2 * minuteMs);
    world.lastFoundMs = clock.elapsedMs();
    clock.advance(4 * 24 * 60 * minuteMs);
    expect(await reach.ownTrouble(name, 0)).toBe("no known name is found");
    clock.advance(30 * minuteMs + 1000);
    expect(await reach.ownTrouble(name, 0)).toBeUndefined();
  });
});
