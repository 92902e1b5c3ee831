import { fakeClock } from "@sonde/kit/time/clock";
import type { NetworkInterfaceInfo } from "node:os";
import { expect, test } from "vitest";
import { createNetworks } from "./networks.ts";

const on = (address: string, cidr: string, internal = false) =>
  ({ address, cidr, internal, family: address.includes(":") ? "IPv6" : "IPv4" }) as NetworkInterfaceInfo;

test("an address belongs to this machine, to one of its networks, or to other private or public addresses", () => {
  const interfaces = {
    lo: [on("127.0.0.1", "127.0.0.1/8", true)],
    eth0: [on("192.168.1.7", "192.168.1.7/24"), on("2001:db8::7", "2001:db8::7/64")],
  };
  const networkOf = createNetworks(fakeClock(), () => interfaces);
  expect(["127.0.0.5", "::1", "192.168.1.7", "2001:db8::7"].map(networkOf)).toEqual(Array(4).fill("own"));
  expect(networkOf("192.168.1.9")).toBe(networkOf("192.168.1.20"));
  expect(networkOf("192.168.1.9")).not.toBe(networkOf("192.168.2.9"));
  expect(networkOf("192.168.2.9")).toBe("private IPv4");
  expect(networkOf("8.8.8.8")).toBe("public IPv4");
  expect(networkOf("2001:db8::1")).not.toBe("public IPv6");
  expect(networkOf("2001:db9::1")).toBe("public IPv6");
});

test("interfaces are read again every five seconds", () => {
  const clock = fakeClock();
  const interfaces: Record<string, NetworkInterfaceInfo[]> = {};
  const networkOf = createNetworks(clock, () => interfaces);
  expect(networkOf("192.168.1.7")).toBe("private IPv4");
  interfaces["eth0"] = [on("192.168.1.7", "192.168.1.7/24")];
  clock.advance(5000);
  expect(networkOf("192.168.1.7")).toBe("own");
});

test("unreadable interfaces keep their last state", () => {
  const clock = fakeClock();
  const world = { readable: false };
  const networkOf = createNetworks(clock, () => {
    if (!world.readable) throw new Error("A system error occurred: uv_interface_addresses returned EMFILE");
    return { eth0: [on("192.168.1.7", "192.168.1.7/24")] };
  });
  expect(["127.0.0.1", "192.168.1.9"].map(networkOf)).toEqual(["own", "private IPv4"]);
  world.readable = true;
  clock.advance(5000);
  const link = networkOf("192.168.1.9");
  expect(link).not.toBe("private IPv4");
  world.readable = false;
  clock.advance(5000);
  expect(["192.168.1.7", "192.168.1.9"].map(networkOf)).toEqual(["own", link]);
});
