import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBind } from "./bind.testing.ts";
import { createGuard } from "./guard.ts";
import { createResolver, type Resolver } from "./resolver.ts";
import { findRoute } from "./url.ts";

const zone = `$TTL 60
@        SOA    ns hostmaster 1 3600 600 86400 60
@        NS     ns
ns       A      127.0.0.1
text     TXT    "no address"
four     A      192.0.2.4
six      AAAA   2001:db8::6
alias    CNAME  text
dangling CNAME  nowhere
outside  CNAME  www.elsewhere.example.
to-four  CNAME  four
to-six   CNAME  six
chain    CNAME  to-six
inward   CNAME  metadata
metadata A      169.254.169.254
`;

let bind: Awaited<ReturnType<typeof startBind>>;
const resolvers: Resolver[] = [];
beforeAll(async () => {
  bind = await startBind({ "zone.test": zone });
});
afterAll(async () => {
  for (const resolver of resolvers) resolver.close();
  await bind?.stop();
});

function route(name: string, ipv6: boolean) {
  const files = { hostsPath: "/nonexistent", resolvConfPath: "/nonexistent" };
  const resolver = createResolver({ servers: [bind.address], ipv6, ...files });
  resolvers.push(resolver);
  return findRoute(`${name}.zone.test`, { resolver, guard: createGuard() });
}

describe.each([
  ["with IPv6", true],
  ["without IPv6", false],
])("names of a real name server, %s", (_where, ipv6) => {
  it.each(["text", "alias", "dangling", "outside", "nowhere"])("%s has no address", async (name) => {
    const message = `${name}.zone.test has no address`;
    expect(await route(name, ipv6)).toEqual({ failure: "not_found", message });
  });

  it.each([
    ["four", "192.0.2.4"],
    ["to-four", "192.0.2.4"],
    ["six", "2001:db8::6"],
    ["to-six", "2001:db8::6"],
    ["chain", "2001:db8::6"],
  ])("%s has only the address %s", async (name, address) => {
    expect(await route(name, ipv6)).toEqual({ addresses: [address] });
  });

  it("a name's origin has its chain of aliases", async () => {
    const files = { hostsPath: "/nonexistent", resolvConfPath: "/nonexistent" };
    const resolver = createResolver({ servers: [bind.address], ipv6, ...files });
    resolvers.push(resolver);
    const servers = bind.address;
    const names = ["to-six.zone.test", "six.zone.test"];
    expect(await resolver.originOf("chain.zone.test")).toEqual({ servers, names });
    expect(await resolver.originOf("four.zone.test")).toEqual({ servers, names: [] });
    expect(await resolver.originOf("nowhere.zone.test")).toEqual({ servers, names: [] });
    expect(await resolver.originOf("192.0.2.4")).toBeUndefined();
  });

  it("an alias of a forbidden address is blocked", async () => {
    expect(await route("inward", ipv6)).toMatchObject({ failure: "blocked" });
  });
});
