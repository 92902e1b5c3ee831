import type { NetworkInterfaceInfo } from "node:os";
import { expect, test } from "vitest";
import { hostOf } from "../testing/fixture.ts";
import { chooseAddresses, detectScope, parseOsRelease, readHost } from "./host.ts";
import { parseLoadavg, parseUptime } from "./usage.ts";

const entry = (address: string, internal = false) =>
  ({ address, internal, family: address.includes(":") ? "IPv6" : "IPv4" }) as NetworkInterfaceInfo;

test("a system has its pretty name, quoted or not", () => {
  expect(parseOsRelease('NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n')).toBe(
    "Debian GNU/Linux 12 (bookworm)",
  );
  expect(parseOsRelease("NAME=Alpine\n")).toBe("Alpine");
  expect(parseOsRelease("PRETTY_NAME='A \\$B'\n")).toBe("A $B");
  expect(parseOsRelease("")).toBeUndefined();
});

test("only addresses reachable from other hosts are reported, IPv4 first", () => {
  const addresses = chooseAddresses({
    lo: [entry("127.0.0.1", true)],
    eth0: [entry("2001:db8::1"), entry("fe80::1"), entry("10.0.0.5")],
    docker0: [entry("172.17.0.1")],
    "br-abc": [entry("172.18.0.1")],
    eth1: [entry("169.254.3.4"), entry("10.0.0.5")],
  });
  expect(addresses).toEqual(["10.0.0.5", "2001:db8::1"]);
});

test("with another root the host's own name and system are reported", () => {
  const host = hostOf({ "proc/sys/kernel/hostname": "metal\n", "etc/os-release": "PRETTY_NAME=Föö\n" });
  expect(readHost(host)).toMatchObject({ hostname: "metal", os: "Föö" });
});

test("load and uptime are read, invalid text is not", () => {
  expect(parseLoadavg("0.52 0.58 0.59 1/467 12345\n")).toEqual({ one: 0.52, five: 0.58, fifteen: 0.59 });
  expect(parseLoadavg("")).toBeUndefined();
  expect(parseUptime("35.28 130.01\n")).toBe(35.28);
  expect(parseUptime("")).toBeUndefined();
});

test("a container is detected by its cgroups, its engine's mark or mounted files", () => {
  const root = "1 2 0:5 / / rw - overlay overlay rw\n";
  const hosts = "1 2 8:1 /x/hosts /etc/hosts rw - ext4 /dev/a rw\n";
  expect(detectScope(hostOf({ "proc/1/cgroup": "0::/\n", "proc/1/mountinfo": root + hosts }))).toBe("container");
  expect(detectScope(hostOf({ "proc/1/cgroup": "0::/kubepods/burstable/pod1\n" }))).toBe("container");
  expect(detectScope(hostOf({ "run/.containerenv": "" }))).toBe("container");
  expect(detectScope(hostOf({ "proc/1/cgroup": "0::/init.scope\n", "proc/1/mountinfo": root }))).toBe("host");
  expect(detectScope(hostOf({ ".dockerenv": "", "proc/1/mountinfo": "1 2 8:1 / / rw - ext4 /dev/a rw\n" }))).toBe(
    "host",
  );
});
