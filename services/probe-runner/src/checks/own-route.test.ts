import { fakeClock } from "@sonde/kit/time/clock";
import { expect, test } from "vitest";
import { createOwnRoute } from "./networks.ts";

const route4 = `Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
eth0	00000000	0100A8C0	0003	0	0	0	00000000	0	0	0
eth0	0000A8C0	00000000	0001	0	0	0	00FFFFFF	0	0	0
eth1	0000000A	FE00A8C0	0003	0	0	0	000000FF	0	0	0
`;
const route6 = `fe800000000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0
00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo
`;
const arp = (flags: string) => `IP address       HW type     Flags       HW address            Mask     Device
192.168.0.1      0x1         ${flags}         02:fc:00:00:00:05     *        eth0
192.168.0.254    0x1         0x2         02:fc:00:00:00:06     *        eth1
`;

function setUp() {
  const clock = fakeClock();
  const files: Record<string, string> = {
    "/proc/net/route": route4,
    "/proc/net/ipv6_route": route6,
    "/proc/net/arp": arp("0x2"),
  };
  return { clock, files, routeTo: createOwnRoute(clock, (path) => files[path] ?? "") };
}

test("reports whether a route exists", () => {
  const { routeTo } = setUp();
  expect(["198.51.100.1", "192.168.0.7", "10.1.2.3", "fe80::1"].map(routeTo)).toEqual(Array(4).fill("exists"));
  expect(routeTo("2001:db8::1")).toBe("none");
});

test("a router that does not answer on the link is lost, together with only the networks behind it", () => {
  const { clock, files, routeTo } = setUp();
  expect(routeTo("198.51.100.1")).toBe("exists");
  files["/proc/net/arp"] = arp("0x0");
  clock.advance(500);
  expect(routeTo("198.51.100.1")).toBe("lost");
  expect(["192.168.0.7", "10.1.2.3"].map(routeTo)).toEqual(["exists", "exists"]);
});

test("the route is unknown if the system does not report it", () => {
  const { files, routeTo } = setUp();
  for (const path of Object.keys(files)) files[path] = "";
  expect(routeTo("198.51.100.1")).toBe("unknown");
});
