import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Clock } from "../time/clock.ts";
import { createGuard } from "./guard.ts";
import { startNameServer, type TestZone } from "./name-server.testing.ts";
import { createResolver } from "./resolver.ts";
import { findRoute } from "./url.ts";

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function setUp({ zone = {}, hosts = "", conf = "", ipv6 = true, servers }: Partial<SetUp> = {}) {
  const server = await startNameServer(zone);
  const folder = mkdtempSync(join(tmpdir(), "resolver-"));
  writeFileSync(join(folder, "hosts"), hosts);
  writeFileSync(join(folder, "resolv.conf"), conf);
  const time = { elapsedMs: 1000 };
  const clock: Clock = { now: () => time.elapsedMs, elapsedMs: () => time.elapsedMs };
  const resolver = createResolver({
    clock,
    servers: servers ?? [server.address],
    hostsPath: join(folder, "hosts"),
    resolvConfPath: join(folder, "resolv.conf"),
    ipv6,
  });
  cleanups.push(() => {
    resolver.close();
    server.close();
    rmSync(folder, { recursive: true });
  });
  return { resolver, server, time, folder, zone };
}
type SetUp = { zone: TestZone; hosts: string; conf: string; ipv6: boolean; servers: string[] };

/** Disables the resolution delay, so that both families are always awaited. */
function withoutDelays() {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  cleanups.push(() => void vi.useRealTimers());
}

describe("the resolver", () => {
  it("returns both families, IPv4 first", async () => {
    withoutDelays();
    const zone = { "a.test": { a: ["192.0.2.1"], aaaa: ["2001:db8:0:0:0:0:0:1"] } };
    const { resolver } = await setUp({ zone });
    expect(await resolver.resolve("A.test")).toEqual({ addresses: ["192.0.2.1", "2001:db8::1"] });
  });

  it("returns only the requested family, and waits for it", async () => {
    const zone = { "a.test": { a: ["192.0.2.1"], aaaa: ["2001:db8:0:0:0:0:0:1"] }, "four.test": { a: ["192.0.2.4"] } };
    const { resolver, server } = await setUp({ zone, hosts: "192.0.2.9 listed.test", ipv6: false });
    expect(await resolver.resolve("a.test", 6)).toEqual({ addresses: ["2001:db8::1"] });
    expect(await resolver.resolve("a.test", 4)).toEqual({ addresses: ["192.0.2.1"] });
    expect(resolver.resolve("A.test", 6)).toEqual({ addresses: ["2001:db8::1"] });
    expect(server.asked).toEqual(["a.test 28", "a.test 1"]);
    for (const [name, family] of [
      ["four.test", 6],
      ["listed.test", 6],
      ["::1", 4],
    ] as const) {
      const message = `${name} has no IPv${family} address`;
      expect(await resolver.resolve(name, family)).toEqual({ failure: "not_found", message });
    }
  });

  it("queries once within the TTL, and again afterwards", async () => {
    const { resolver, server, time } = await setUp({ zone: { "a.test": { a: ["192.0.2.1"], ttl: 5 } }, ipv6: false });
    await Promise.all([resolver.resolve("a.test"), resolver.resolve("a.test")]);
    time.elapsedMs += 4900;
    expect(resolver.resolve("a.test")).toEqual({ addresses: ["192.0.2.1"] });
    expect(server.asked).toEqual(["a.test 1"]);
    time.elapsedMs += 200;
    await resolver.resolve("a.test");
    expect(server.asked).toEqual(["a.test 1", "a.test 1"]);
  });

  it("does not cache a response with TTL 0", async () => {
    const { resolver, server } = await setUp({ zone: { "a.test": { a: ["192.0.2.1"], ttl: 0 } }, ipv6: false });
    await resolver.resolve("a.test");
    await resolver.resolve("a.test");
    expect(server.asked).toHaveLength(2);
  });

  it("distinguishes a name that does not exist from one with broken servers", async () => {
    const { resolver } = await setUp({ zone: { "broken.test": { code: 2 }, ".": {} } });
    expect(await resolver.resolve("nobody.test")).toMatchObject({ failure: "not_found" });
    expect(await resolver.resolve("broken.test")).toMatchObject({ failure: "failed" });
  });

  it("reports our resolver as unreachable if no server responds", async () => {
    const { resolver } = await setUp({ servers: ["127.0.0.1:1"] });
    expect(await resolver.resolve("a.test")).toMatchObject({ failure: "unreachable" });
  });

  it("reports it as unreachable if the servers only return failures", async () => {
    const { resolver } = await setUp({ zone: { "a.test": { code: 2 }, ".": { code: 2 } } });
    expect(await resolver.resolve("a.test")).toMatchObject({ failure: "unreachable" });
  });

  it("attributes a timeout to the name if other queries get a response", async () => {
    const { resolver } = await setUp({ zone: { "slow.test": { silent: true }, ".": {} }, ipv6: false });
    expect(await resolver.resolve("slow.test")).toMatchObject({ failure: "failed" });
  });

  it("reads the hosts file, and again when it changes", async () => {
    const { resolver, time, folder, server } = await setUp({ hosts: "10.1.1.1 db db.internal # primary\n::1 db\n" });
    expect(resolver.resolve("DB")).toEqual({ addresses: ["10.1.1.1", "::1"] });
    writeFileSync(join(folder, "hosts"), "10.1.1.22 db\n");
    time.elapsedMs += 31_000;
    expect(resolver.resolve("db")).toEqual({ addresses: ["10.1.1.22"] });
    expect(server.asked).toEqual([]);
  });

  it("resolves localhost without a query", async () => {
    const { resolver } = await setUp();
    expect(resolver.resolve("localhost")).toEqual({ addresses: ["127.0.0.1", "::1"] });
    expect(resolver.resolve("app.localhost")).toEqual({ addresses: ["127.0.0.1", "::1"] });
  });

  it("finds short names of a cluster in the search domains", async () => {
    const zone = { "db.default.svc.cluster.local": { a: ["10.96.0.9"] }, "example.com": { a: ["192.0.2.9"] } };
    const conf = "search default.svc.cluster.local svc.cluster.local.\noptions ndots:5\n";
    const { resolver, server } = await setUp({ zone, conf, ipv6: false });
    expect(await resolver.resolve("db")).toEqual({ addresses: ["10.96.0.9"] });
    expect(await resolver.resolve("example.com")).toEqual({ addresses: ["192.0.2.9"] });
    expect(await resolver.resolve("example.com.")).toEqual({ addresses: ["192.0.2.9"] });
    expect(server.asked.at(-1)).toBe("example.com 1");
  });

  it("returns literal addresses unchanged", async () => {
    const { resolver } = await setUp();
    expect(resolver.resolve("192.0.2.1")).toEqual({ addresses: ["192.0.2.1"] });
    expect(resolver.resolve("::1")).toEqual({ addresses: ["::1"] });
  });
});

describe("the comparison of a missing name with others", () => {
  const zone = () => ({ "a.test": { a: ["192.0.2.1"] }, "b.test": { a: ["192.0.2.2"] } }) as TestZone;

  it("is credible if another name is found by a new query", async () => {
    const { resolver, server } = await setUp({ zone: zone(), ipv6: false });
    for (const name of ["a.test", "b.test"]) await resolver.resolve(name);
    server.asked.length = 0;
    expect(await resolver.compare("c.test")).toMatchObject({ others: 2, credible: true });
    expect(server.asked.toSorted()).toEqual(["a.test 1", "b.test 1"]);
  });

  it("is not credible if the servers find no name, and concurrent comparisons share the queries", async () => {
    const { resolver, server, zone: names } = await setUp({ zone: zone(), ipv6: false });
    for (const name of ["a.test", "b.test"]) await resolver.resolve(name);
    for (const name of Object.keys(names)) delete names[name];
    server.asked.length = 0;
    const asked = await Promise.all(["a.test", "c.test", "d.test"].map(resolver.compare));
    expect(asked).toMatchObject([1, 2, 2].map((others) => ({ others, credible: false })));
    expect(server.asked.filter((question) => question === "a.test 1")).toHaveLength(1);
  });

  it("uses the root if no other name was found before", async () => {
    const lying = await setUp({ zone: { ".": { code: 3 } } });
    expect(await lying.resolver.compare("a.test")).toMatchObject({ others: 0, credible: false });
    for (const root of [{ code: 5 }, { silent: true }]) {
      const { resolver } = await setUp({ zone: { ".": root } });
      expect(await resolver.compare("a.test")).toMatchObject({ others: 0, credible: true });
    }
  });

  describe("when a whole domain is missing", () => {
    const names = ["www.example.com", "api.example.com"];
    const domain = (): TestZone => ({
      "www.example.com": { a: ["192.0.2.1"] },
      "api.example.com": { a: ["192.0.2.2"] },
      "shop.test": { a: ["192.0.2.3"] },
      ".": {},
    });
    const losses: [string, (zone: TestZone) => void][] = [
      ["expired", (zone) => names.forEach((name) => delete zone[name])],
      ["broke", (zone) => names.forEach((name) => (zone[name] = { code: 2 }))],
    ];

    it.each(losses)(
      "is credible although all its names %s, since names of one domain do not count",
      async (_word, lose) => {
        const { resolver, zone } = await setUp({ zone: domain(), ipv6: false });
        for (const name of names) await resolver.resolve(name);
        lose(zone);
        for (const name of names) expect(await resolver.compare(name)).toMatchObject({ others: 0, credible: true });
      },
    );

    it("is credible if a name of another domain is found", async () => {
      const { resolver, zone } = await setUp({ zone: domain(), ipv6: false });
      for (const name of [...names, "shop.test"]) await resolver.resolve(name);
      losses[0]![1](zone);
      for (const name of names) expect(await resolver.compare(name)).toMatchObject({ others: 1, credible: true });
    });

    it("is not credible if the name of another domain is missing, too", async () => {
      const { resolver, zone } = await setUp({ zone: domain(), ipv6: false });
      for (const name of [...names, "shop.test"]) await resolver.resolve(name);
      losses[0]![1](zone);
      delete zone["shop.test"];
      for (const name of names) expect(await resolver.compare(name)).toMatchObject({ others: 1, credible: false });
    });

    it("is not credible if the root is denied, as by a captive portal", async () => {
      const { resolver, zone } = await setUp({ zone: domain(), ipv6: false });
      for (const name of names) await resolver.resolve(name);
      losses[0]![1](zone);
      zone["."] = { code: 3 };
      expect(await resolver.compare("www.example.com")).toMatchObject({ others: 0, credible: false });
      zone["api.example.com"] = { silent: true };
      expect(await resolver.compare("www.example.com")).toMatchObject({ others: 0, credible: false });
    });
  });

  it("reports when a name was last found", async () => {
    const { resolver, time } = await setUp({ zone: { ...zone(), ".": {} }, ipv6: false });
    expect((await resolver.compare("c.test")).lastFoundMs).toBe(Number.NEGATIVE_INFINITY);
    await resolver.resolve("a.test");
    time.elapsedMs += 1000;
    await resolver.resolve("gone.test");
    expect((await resolver.compare("c.test")).lastFoundMs).toBe(1000);
  });

  it("does not count a name from the hosts file as found", async () => {
    const { resolver } = await setUp({ zone: { ".": {} }, hosts: "192.0.2.9 listed.test" });
    await resolver.resolve("listed.test");
    expect((await resolver.compare("a.test")).others).toBe(0);
  });
});

describe("a route", () => {
  const guard = createGuard();

  it("is blocked if any resolved address is forbidden", async () => {
    withoutDelays();
    const zone = {
      "mixed.test": { a: ["192.0.2.1"], aaaa: ["fe80:0:0:0:0:0:0:1"] },
      "two.test": { a: ["192.0.2.1", "169.254.169.254"] },
      "mapped.test": { aaaa: ["0:0:0:0:0:ffff:a9fe:a9fe"] },
      "fine.test": { a: ["192.0.2.1"] },
    };
    const { resolver } = await setUp({ zone });
    const route = (host: string) => Promise.resolve(findRoute(host, { resolver, guard }));
    expect(await route("mixed.test")).toMatchObject({ failure: "blocked" });
    expect(await route("two.test")).toMatchObject({ failure: "blocked" });
    expect(await route("mapped.test")).toMatchObject({ failure: "blocked" });
    expect(await route("fine.test")).toEqual({ addresses: ["192.0.2.1"] });
    expect(await route("gone.test")).toMatchObject({ failure: "not_found" });
  });

  it("blocks a name that is rebound between two lookups", async () => {
    const zone: TestZone = { "rebind.test": { a: ["192.0.2.1"], ttl: 0 } };
    const { resolver } = await setUp({ zone, ipv6: false });
    const route = () => findRoute("rebind.test", { resolver, guard });
    expect(await route()).toEqual({ addresses: ["192.0.2.1"] });
    zone["rebind.test"] = { a: ["169.254.169.254"], ttl: 0 };
    expect(await route()).toMatchObject({ failure: "blocked" });
  });
});
