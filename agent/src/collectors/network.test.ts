import { expect, test } from "vitest";
import { hostOf } from "../testing/fixture.ts";
import { type NetworkReading, chooseInterfaces, networkRates, parseNetDev, readNetwork } from "./network.ts";

const head = "Inter-|   Receive  |  Transmit\n face |bytes packets|bytes packets\n";
const row = (name: string, received: number, sent: number) =>
  `${name.padStart(6)}: ${received} 2 0 0 0 0 0 0 ${sent} 4 0 0 0 0 0 0\n`;
const at = (monotonicMs: number, wallMs = monotonicMs, bootId = "a") => ({ monotonicMs, wallMs, bootId });
const reading = (moment: ReturnType<typeof at>, received: number, sent = 0, name = "eth0"): NetworkReading => ({
  at: moment,
  counters: new Map([[name, { received, sent, packetsReceived: 1, packetsSent: 1 }]]),
});

test("columns are parsed, including a colon without a space and counters over 32 bits", () => {
  const counters = parseNetDev(
    `${head}  eth0:9007199254740991 11 0 0 0 0 0 0 22 33 0 0 0 0 0 0\n${row("eth0:1", 5, 6)}`,
  );
  expect(counters.get("eth0")).toEqual({ received: 9007199254740991, packetsReceived: 11, sent: 22, packetsSent: 33 });
  expect(counters.get("eth0:1")?.sent).toBe(6);
});

test("interfaces with hardware count; bonds, bridges and VLANs on top of them do not", () => {
  const links: Record<string, string[]> = {
    eth0: ["device", "master"],
    eth1: ["device"],
    bond0: ["lower_eth0", "lower_eth1"],
    "eth0.5": ["lower_eth0"],
    wg0: [],
  };
  expect(chooseInterfaces(Object.keys(links), (name) => links[name] ?? [])).toEqual(["eth0", "eth1"]);
});

test("known virtual interfaces are omitted by name", () => {
  const names = "lo veth12 docker0 br-abc virbr0 cni0 cali1 flannel.1 vnet0 tap0 eth0".split(" ");
  expect(chooseInterfaces(names, () => [])).toEqual(["eth0"]);
});

test("without hardware, as in a container, interfaces on top of others are omitted", () => {
  const links: Record<string, string[]> = {
    eth0: ["iflink"],
    eth1: [],
    bond0: ["lower_eth0"],
    "eth1.7": ["lower_eth1"],
    lo: [],
  };
  expect(chooseInterfaces(Object.keys(links), (name) => links[name] ?? [])).toEqual(["eth0", "eth1"]);
});

test("rates divide by monotonic time", () => {
  const [figures] = networkRates(reading(at(1000), 100, 10), reading(at(3000, 3500), 700, 30));
  expect(figures).toMatchObject({ receiveRate: 300, sendRate: 10, received: 700, sent: 30 });
});

test("no rate without an earlier figure: first reading, new interface, counter reset, reboot, suspend", () => {
  const earlier = reading(at(1000), 100, 100);
  const absent = (before: NetworkReading | undefined, now: NetworkReading) => {
    const [figures] = networkRates(before, now);
    expect(figures).not.toHaveProperty("receiveRate");
    expect(figures).not.toHaveProperty("sendRate");
    expect(figures?.received).toBe(500);
  };
  absent(undefined, reading(at(2000), 500));
  absent(earlier, reading(at(2000), 500, 200, "eth9"));
  absent(earlier, reading(at(2000), 500, 99));
  absent(earlier, reading(at(2000, 2000, "b"), 500, 200));
  absent(earlier, reading(at(2000, 60_000), 500, 200));
  absent(earlier, reading(at(1000), 500, 200));
});

test("interfaces are listed again at each reading", () => {
  const host = hostOf({ "proc/1/net/dev": head + row("eth0", 1, 2), "sys/class/net/eth0/device/x": "" });
  expect([...readNetwork(host, at(0)).counters.keys()]).toEqual(["eth0"]);
  host.write("proc/1/net/dev", head + row("eth0", 1, 2) + row("eth1", 1, 2) + row("docker0", 1, 2));
  host.write("sys/class/net/eth1/device/x", "");
  expect([...readNetwork(host, at(1)).counters.keys()]).toEqual(["eth0", "eth1"]);
});
