import type * as NodeDns from "node:dns/promises";
import type { Answer } from "dns-packet";
import type { RecordType } from "@sonde/proto/http/checks/dns";
import type { CheckDraft } from "@sonde/proto/http/kinds";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type CheckWorld, probe, resolverOf, targetOf } from "../../testing/check.ts";
import { serveDns, type Zone } from "../../testing/dns-server.ts";
import { closeServers } from "../../testing/loopback.ts";
import { cancelled } from "../outcome.ts";

/** The name servers of the machine, for checks that name none. */
const machine = vi.hoisted(() => ({ servers: [] as string[] }));
vi.mock("node:dns/promises", async (load) => {
  const actual = await load<typeof NodeDns>();
  class Resolver extends actual.Resolver {
    constructor(...options: ConstructorParameters<typeof actual.Resolver>) {
      super(...options);
      this.setServers(machine.servers);
    }
  }
  return { ...actual, Resolver };
});
beforeEach(() => void (machine.servers = []));
afterEach(closeServers);

type Dns = Partial<Extract<CheckDraft, { type: "dns" }>>;
const resolver = resolverOf({});

/** Asks a name server of this zone that the monitor names. */
async function askNamed(zone: Zone, changes: Dns = {}, world: CheckWorld = {}) {
  const { port, asked } = await serveDns(zone);
  const check = { type: "dns", host: "a.test", recordType: "A", resolver: `127.0.0.1:${port}`, ...changes } as const;
  return { asked, outcome: await probe(check, { resolver, ...world }) };
}

/** The same of the machine's own. */
async function askMachine(zone: Zone, world: CheckWorld = {}) {
  machine.servers = [`127.0.0.1:${(await serveDns(zone)).port}`];
  return probe({ type: "dns", host: "a.test", recordType: "A" }, { resolver, ...world });
}

const a = (data: string): Answer => ({ type: "A", name: "a.test", data });

describe("a DNS check", () => {
  it("is up when there is a record; all its time is the name's", async () => {
    const { outcome } = await askNamed({ "a.test": [a("192.0.2.1")] });
    expect(outcome).toEqual({ status: "up", timings: { dns: expect.any(Number), total: expect.any(Number) } });
    expect("timings" in outcome && outcome.timings.dns).toBe("timings" in outcome && outcome.timings.total);
  });

  const name = "a.test";
  it.each<[RecordType, Answer[], string[]]>([
    ["A", [a("192.0.2.1"), a("192.0.2.2")], ["192.0.2.2", "192.0.2.1"]],
    ["AAAA", [{ type: "AAAA", name, data: "2001:db8::1" }], ["2001:0DB8:0:0::0001"]],
    ["CNAME", [{ type: "CNAME", name, data: "web.example" }], ["Web.Example."]],
    ["NS", [{ type: "NS", name, data: "xn--bcher-kva.example" }], ["bücher.example"]],
    ["PTR", [{ type: "PTR", name, data: "host.example" }], ["host.example."]],
    ["MX", [{ type: "MX", name, data: { preference: 10, exchange: "mail.example.com" } }], ["10  MAIL.example.com."]],
    [
      "SRV",
      [{ type: "SRV", name, data: { priority: 1, weight: 2, port: 5060, target: "sip.example" } }],
      ["1 2 5060 sip.example"],
    ],
    ["TXT", [{ type: "TXT", name, data: ["v=spf1 ", "-all"] }], ["v=spf1 -all", '"v=spf1 -all"']],
    [
      "CAA",
      [{ type: "CAA", name, data: { flags: 0, tag: "issue", value: "letsencrypt.org" } }],
      ['0 issue "letsencrypt.org"', "0 issue letsencrypt.org"],
    ],
    [
      "SOA",
      [
        {
          type: "SOA",
          name,
          data: { mname: "ns.example", rname: "root.example", serial: 7, refresh: 1, retry: 2, expire: 3, minimum: 4 },
        },
      ],
      ["ns.example. root.example. 7 1 2 3 4"],
    ],
  ])("knows a record of type %s in whatever spelling it is expected", async (recordType, answers, expected) => {
    expect((await askNamed({ "a.test": answers }, { recordType, expect: expected })).outcome).toMatchObject({
      status: "up",
    });
    const { outcome } = await askNamed({ "a.test": answers }, { recordType, expect: ["192.0.2.77"] });
    expect(outcome).toMatchObject({ status: "down", error: { kind: "assertion" } });
  });

  it("is down by `assertion` where one value is not among the answers, and names it and what was found", async () => {
    const zone = { "a.test": [a("192.0.2.1"), a("192.0.2.2")] };
    expect((await askNamed(zone, { expect: ["192.0.2.2", "192.0.2.3"] })).outcome).toMatchObject({
      error: { kind: "assertion", message: "192.0.2.3 is not among the answers, found 192.0.2.1, 192.0.2.2" },
    });
  });

  it("asks for international names in ASCII, and for the name of an address in reverse", async () => {
    expect((await askNamed({}, { host: "Bücher.test" })).asked).toEqual(["xn--bcher-kva.test A"]);
    const reversed = await askNamed({}, { host: "192.0.2.1", recordType: "PTR" });
    expect(reversed.asked).toEqual(["1.2.0.192.in-addr.arpa PTR"]);
    const { asked } = await askNamed({}, { host: "2001:db8::ab", recordType: "PTR" });
    expect(asked).toEqual([`b.a.${"0.".repeat(22)}8.b.d.0.1.0.0.2.ip6.arpa PTR`]);
  });

  it("is blocked where the guard forbids the name server's address", async () => {
    for (const server of ["169.254.169.254", "[::ffff:169.254.169.254]:53", "100.100.100.200:5353"]) {
      expect((await askNamed({}, { resolver: server })).outcome).toMatchObject({
        status: "down",
        error: { kind: "blocked" },
      });
    }
  });

  it("shares the bound of its name server, or of its name where the machine's are asked", () => {
    expect(targetOf({ type: "dns", host: "A.test", recordType: "A", resolver: "192.0.2.1" }).host).toBe("192.0.2.1:53");
    expect(targetOf({ type: "dns", host: "A.test", recordType: "A" }).host).toBe("a.test");
  });
});

describe("a name server that a monitor names", () => {
  it.each([
    ["NXDOMAIN", "a.test does not exist (NXDOMAIN)"],
    ["SERVFAIL", "The name server failed to resolve a.test (SERVFAIL)"],
    ["REFUSED", "The name server refused to answer about a.test (REFUSED)"],
    [[], "There is no A record of a.test"],
  ] as const)(
    "that answers %j is down by `dns`, each for its own reason, and in nobody's doubt",
    async (said, message) => {
      const { outcome } = await askNamed({ "a.test": said });
      expect(outcome).toMatchObject({ status: "down", error: { kind: "dns", message } });
      expect(outcome).not.toHaveProperty("silence");
    },
  );

  it("that does not answer is down by `timeout`, a silence of its host", async () => {
    const { outcome } = await askNamed({ "a.test": "silent" }, {}, { timeoutMs: 150 });
    expect(outcome).toMatchObject({
      error: { kind: "timeout", message: "The name server did not answer" },
      silence: { of: "host", addresses: ["127.0.0.1"] },
    });
  });

  it("that is not there is down by `connect`", async () => {
    const { port } = await serveDns({});
    closeServers();
    const check = { type: "dns", host: "a.test", recordType: "A", resolver: `127.0.0.1:${port}` } as const;
    expect(await probe(check)).toMatchObject({
      error: { kind: "connect", message: "The name server cannot be reached" },
      silence: { of: "host" },
    });
  });
});

describe("the machine's own name servers", () => {
  const silence = { of: "name", name: "a.test" };

  it("answer for checks that name none", async () => {
    expect(await askMachine({ "a.test": [a("192.0.2.1")] })).toMatchObject({ status: "up" });
  });

  it.each([
    ["NXDOMAIN", "a.test does not exist (NXDOMAIN)"],
    ["SERVFAIL", "The name server failed to resolve a.test (SERVFAIL)"],
    [[], "There is no A record of a.test"],
  ] as const)("that answer %j are doubted before the name is down by `dns`", async (said, message) => {
    const outcome = await askMachine({ "a.test": said, ".": [] });
    expect(outcome).toMatchObject({ status: "down", error: { kind: "dns", message }, silence });
  });

  it("that resolve nothing, or do not answer, are our own trouble", async () => {
    const trouble = { status: "none", trouble: "the resolver is out of reach" };
    expect(await askMachine({ "a.test": "SERVFAIL", ".": "SERVFAIL" })).toEqual(trouble);
    expect(await askMachine({ "a.test": "silent", ".": "silent" }, { timeoutMs: 100 })).toEqual(trouble);
    expect(await askMachine({ "a.test": "silent", ".": "silent" }, { timeoutMs: 600 })).toEqual(trouble);
  });

  it("that answer others but not about this name leave the name down by `timeout`", async () => {
    const outcome = await askMachine({ "a.test": "silent", ".": [] }, { timeoutMs: 800 });
    expect(outcome).toMatchObject({
      error: { kind: "timeout", message: "Timed out while resolving the name" },
      silence,
    });
  });
});

describe("a DNS check that is given up", () => {
  it("is no result", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(cancelled), 20);
    const { outcome } = await askNamed({ "a.test": "silent" }, {}, { signal: controller.signal });
    expect(outcome).toEqual({ status: "none", trouble: "cancelled" });
    const { outcome: late } = await askNamed({ "a.test": [a("192.0.2.1")] }, {}, { signal: AbortSignal.abort("late") });
    expect(late).toMatchObject({ error: { kind: "timeout" } });
  });
});
