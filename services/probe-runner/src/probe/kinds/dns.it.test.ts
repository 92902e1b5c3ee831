import { startBind } from "@sonde/kit/testing/bind";
import { createResolver } from "@sonde/kit/egress/resolver";
import type * as NodeDns from "node:dns/promises";
import type { Answer } from "dns-packet";
import type { RecordType } from "@sonde/proto/http/monitors/checks/dns";
import type { CheckDraft } from "@sonde/proto/http/monitors/kinds";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type CheckWorld, endingTime, probe, resolverOf, targetOf } from "../../testing/check.ts";
import { serveDns, type DnsZone } from "../../testing/dns-server.ts";
import { closeServers } from "../../testing/loopback.ts";
import { cancelled } from "../probe.ts";

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

async function queryConfigured(zone: DnsZone, changes: Dns = {}, world: CheckWorld = {}) {
  const { port, queries } = await serveDns(zone);
  const check = { type: "dns", host: "a.test", recordType: "A", resolver: `127.0.0.1:${port}`, ...changes } as const;
  return { queries, outcome: await probe(check, { resolver, ...world }) };
}

async function querySystem(zone: DnsZone, world: CheckWorld = {}, serving = serveDns(zone)) {
  machine.servers = [`127.0.0.1:${(await serving).port}`];
  return probe({ type: "dns", host: "a.test", recordType: "A" }, { resolver, ...world });
}

const a = (data: string): Answer => ({ type: "A", name: "a.test", data });

describe("a DNS check", () => {
  it("is up if the record exists; its time counts as DNS time", async () => {
    const { outcome } = await queryConfigured({ "a.test": [a("192.0.2.1")] });
    expect(outcome).toEqual({
      status: "up",
      timings: { dns: expect.any(Number), total: expect.any(Number) },
      traces: expect.anything(),
    });
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
  ])("matches a %s record in any spelling", async (recordType, answers, expected) => {
    expect((await queryConfigured({ "a.test": answers }, { recordType, expect: expected })).outcome).toMatchObject({
      status: "up",
    });
    const { outcome } = await queryConfigured({ "a.test": answers }, { recordType, expect: ["192.0.2.77"] });
    expect(outcome).toMatchObject({ status: "down", error: { kind: "assertion" } });
  });

  it("is down by `assertion` if an expected value is missing, and reports it with the values found", async () => {
    const zone = { "a.test": [a("192.0.2.1"), a("192.0.2.2")] };
    expect((await queryConfigured(zone, { expect: ["192.0.2.2", "192.0.2.3"] })).outcome).toMatchObject({
      error: { kind: "assertion", message: "192.0.2.3 is not among the answers; found 192.0.2.1, 192.0.2.2" },
    });
  });

  it("queries international names in ASCII, and addresses by their reverse name", async () => {
    expect((await queryConfigured({}, { host: "Bücher.test" })).queries).toEqual(["xn--bcher-kva.test A"]);
    const reversed = await queryConfigured({}, { host: "192.0.2.1", recordType: "PTR" });
    expect(reversed.queries).toEqual(["1.2.0.192.in-addr.arpa PTR"]);
    const { queries } = await queryConfigured({}, { host: "2001:db8::ab", recordType: "PTR" });
    expect(queries).toEqual([`b.a.${"0.".repeat(22)}8.b.d.0.1.0.0.2.ip6.arpa PTR`]);
  });

  it("is blocked if the guard forbids the name server's address", async () => {
    for (const server of ["169.254.169.254", "[::ffff:169.254.169.254]:53", "100.100.100.200:5353"]) {
      expect((await queryConfigured({}, { resolver: server })).outcome).toMatchObject({
        status: "down",
        error: { kind: "blocked" },
      });
    }
  });

  it("shares the limit of its name server, or of its name with the system's servers", () => {
    expect(targetOf({ type: "dns", host: "A.test", recordType: "A", resolver: "192.0.2.1" }).host).toBe("192.0.2.1:53");
    expect(targetOf({ type: "dns", host: "A.test", recordType: "A" }).host).toBe("a.test");
  });
});

describe("a configured name server", () => {
  it.each([
    ["NXDOMAIN", "a.test does not exist (NXDOMAIN)"],
    ["SERVFAIL", "The name server failed to resolve a.test (SERVFAIL)"],
    ["REFUSED", "The name server refused the query for a.test (REFUSED)"],
    [[], "There is no A record for a.test"],
  ] as const)("that answers %j is down by `dns` with a specific message, and no silence", async (response, message) => {
    const { outcome } = await queryConfigured({ "a.test": response });
    expect(outcome).toMatchObject({ status: "down", error: { kind: "dns", message } });
    expect(outcome).not.toHaveProperty("silence");
  });

  it("that does not answer is down by `timeout`, as a silence of its host", async () => {
    const { outcome } = await queryConfigured({ "a.test": "silent" }, {}, { timeoutMs: 150 });
    expect(outcome).toMatchObject({
      error: { kind: "timeout", message: "The name server did not answer" },
      silence: { of: "host", addresses: ["127.0.0.1"] },
    });
  });

  it("that is unreachable is down by `connect`", async () => {
    const { port } = await serveDns({});
    closeServers();
    const check = { type: "dns", host: "a.test", recordType: "A", resolver: `127.0.0.1:${port}` } as const;
    expect(await probe(check)).toMatchObject({
      error: { kind: "connect", message: "The name server cannot be reached" },
      silence: { of: "host" },
    });
  });
});

describe("the system's name servers", () => {
  const silence = { of: "name", name: "a.test" };

  it("are used by checks that specify none", async () => {
    expect(await querySystem({ "a.test": [a("192.0.2.1")] })).toMatchObject({ status: "up" });
  });

  it.each([
    ["NXDOMAIN", "a.test does not exist (NXDOMAIN)"],
    ["SERVFAIL", "The name server failed to resolve a.test (SERVFAIL)"],
    [[], "There is no A record for a.test"],
  ] as const)("that respond with %j are verified before the name is down by `dns`", async (response, message) => {
    const outcome = await querySystem({ "a.test": response, ".": [] });
    expect(outcome).toMatchObject({ status: "down", error: { kind: "dns", message }, silence });
  });

  it("are the runner's problem if they resolve nothing or do not answer", async () => {
    const trouble = { status: "none", trouble: "the resolver is out of reach" };
    expect(await querySystem({ "a.test": "SERVFAIL", ".": "SERVFAIL" })).toEqual(trouble);
    expect(await querySystem({ "a.test": "silent", ".": "silent" }, { timeoutMs: 100 })).toEqual(trouble);
    expect(await querySystem({ "a.test": "silent", ".": "silent" }, { timeoutMs: 600 })).toEqual(trouble);
  });

  it("leave the name down by `timeout` if they answer only about others", async () => {
    const { signal, runsOut } = endingTime();
    const serving = serveDns({ "a.test": "silent", ".": [] });
    const outcome = querySystem({}, { signal }, serving);
    await vi.waitFor(async () => expect((await serving).queries).toContain(". NS"), 30_000);
    runsOut();
    expect(await outcome).toMatchObject({
      error: { kind: "timeout", message: "Timed out while resolving the name" },
      silence,
    });
  });
});

const zone = String.raw`$TTL 60
@        SOA    ns hostmaster 1 3600 600 86400 60
@        NS     ns
ns       A      127.0.0.1
web      A      192.0.2.4
web      AAAA   2001:db8::4
web      MX     10 mail.example.
web      TXT    "text"
web      CAA    0 issue "ca.example"
web      SRV    1 2 5060 sip.example.
to-web   CNAME  web
to-zone  CNAME  @
alias    CNAME  bare
bare     HINFO  "none" "of these"
dangling CNAME  nowhere
sub      NS     ns.sub
ns.sub   A      192.0.2.53
german   TXT    "gr\195\188n"
bytes    TXT    "\255\254"
spf      TXT    "v=spf1 include:_spf.example.com" " ip4:192.0.2.0/24 -all"
quotes   TXT    "a \"b\" \\c"
empty    TXT    ""
spaces   TXT    "   "
long     TXT    "${"x".repeat(200)}" "${"x".repeat(40)} one end"
`;
let bind: Awaited<ReturnType<typeof startBind>>;

// A real name server, with its own responses.
describe("BIND", () => {
  beforeAll(async () => {
    bind = await startBind({ "zone.test": zone });
  });
  afterAll(() => bind?.stop());

  /** Queries a name of the zone, from a configured server and from the system's. */
  async function ask(name: string, recordType: RecordType, expected?: string[]) {
    const check = { type: "dns", host: `${name}.zone.test`, recordType, expect: expected } as const;
    const named = await probe({ ...check, resolver: bind.address }, { resolver });
    machine.servers = [bind.address];
    return { named, own: await probe(check, { resolver }) };
  }
  const dataTypes: RecordType[] = ["A", "AAAA", "MX", "TXT", "CAA", "SRV"];

  it.each(dataTypes)("finds the %s record of an alias", async (recordType) => {
    expect(await ask("to-web", recordType)).toMatchObject({ named: { status: "up" }, own: { status: "up" } });
  });

  it.each([...dataTypes, "SOA", "NS", "PTR"] as const)(
    "finds no %s record for an alias of a name without one",
    async (recordType) => {
      const error = { kind: "dns", message: `There is no ${recordType} record for alias.zone.test` };
      const down = { status: "down", error };
      expect(await ask("alias", recordType)).toMatchObject({ named: down, own: down });
      expect(await ask("alias", recordType, ["any"])).toMatchObject({ named: down, own: down });
    },
  );

  it("finds the SOA record of a zone's alias, and the alias itself", async () => {
    expect((await ask("to-zone", "SOA")).named.status).toBe("up");
    expect((await ask("alias", "CNAME", ["bare.zone.test"])).named.status).toBe("up");
  });

  it.each([...dataTypes, "SOA"] as const)("finds no %s record of a dangling alias", async (recordType) => {
    const down = { status: "down", error: { message: "dangling.zone.test does not exist (NXDOMAIN)" } };
    expect(await ask("dangling", recordType)).toMatchObject({ named: down, own: down });
  });

  it("is reported if it refers to another zone's servers", async () => {
    const message = "The name server is not responsible for this name; it refers to the servers of sub.zone.test";
    for (const name of ["a.b.sub", "sub"]) {
      expect((await ask(name, "A")).named).toMatchObject({ status: "down", error: { kind: "dns", message } });
    }
    expect((await ask("bare", "A")).named).toMatchObject({
      error: { message: "There is no A record for bare.zone.test" },
    });
  });

  it.each([
    ["german", "grün"],
    ["german", '"grün"'],
    ["german", String.raw`"gr\195\188n"`],
    ["bytes", String.raw`"\255\254"`],
    ["spf", "v=spf1 include:_spf.example.com ip4:192.0.2.0/24 -all"],
    ["spf", '"v=spf1 include:_spf.example.com ip4:192.0.2.0/24 -all"'],
    ["spf", '"v=spf1 include:_spf.example.com" " ip4:192.0.2.0/24 -all"'],
    ["quotes", String.raw`a "b" \c`],
    ["quotes", String.raw`"a \"b\" \\c"`],
    ["empty", '""'],
    ["spaces", '"   "'],
    ["long", `${"x".repeat(240)} one end`],
  ])("matches the text of %s in any notation: %s", async (name, text) => {
    expect((await ask(name, "TXT", [text])).named).toMatchObject({ status: "up" });
  });

  it.each([
    ["german", "blau", /^blau is not among the answers; found grün$/],
    ["empty", "x", /^x is not among the answers; found ""$/],
    ["spf", '"v=spf1" " -all"', /^v=spf1 -all is not among the answers; found v=spf1 include:.* -all$/],
    ["long", `${"x".repeat(240)} other end`, /^…x{12} other end is not among the answers; found …x{12} one end$/],
  ])("shows where the text of %s differs", async (name, text, message) => {
    expect((await ask(name, "TXT", [text])).named).toMatchObject({
      error: { kind: "assertion", message: expect.stringMatching(message) as string },
    });
  });

  it("leaves all other kinds of check DOWN if a host is an alias without an address", async () => {
    const files = { hostsPath: "/nonexistent", resolvConfPath: "/nonexistent" };
    const own = createResolver({ servers: [bind.address], ipv6: true, ...files });
    const host = "alias.zone.test";
    const down = { status: "down", error: { kind: "dns", message: "alias.zone.test has no address" } };
    for (const check of [
      { url: `http://${host}/` },
      { url: `https://${host}/` },
      { type: "tcp", host, port: 25 },
      { type: "tls", host, port: 443 },
    ] as const) {
      expect(await probe(check, { resolver: own })).toMatchObject(down);
    }
    own.close();
  });
});

describe("a cancelled DNS check", () => {
  it("is no result", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(cancelled), 20);
    const { outcome } = await queryConfigured({ "a.test": "silent" }, {}, { signal: controller.signal });
    expect(outcome).toEqual({ status: "none", trouble: "cancelled" });
    const { outcome: late } = await queryConfigured(
      { "a.test": [a("192.0.2.1")] },
      {},
      { signal: AbortSignal.abort("late") },
    );
    expect(late).toMatchObject({ error: { kind: "timeout" } });
  });
});
