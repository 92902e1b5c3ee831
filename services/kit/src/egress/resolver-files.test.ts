import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type networkInterfaces, type NetworkInterfaceInfo, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { fakeClock } from "../time/clock.ts";
import { watchResolverFiles } from "./resolver-files.ts";

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

function setUp(interfaces: typeof networkInterfaces = () => ({})) {
  const folder = mkdtempSync(join(tmpdir(), "resolver-files-"));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  const paths = { hosts: join(folder, "hosts"), resolvConf: join(folder, "resolv.conf") };
  const clock = fakeClock();
  const files = watchResolverFiles(paths, clock, interfaces);
  const later = () => {
    clock.advance(30_000);
    return files();
  };
  return { paths, files, later };
}

test("interfaces that cannot be read keep their last state", () => {
  const address = { address: "2001:db8::7", family: "IPv6", internal: false, scopeid: 0 } as NetworkInterfaceInfo;
  const world = { readable: false };
  const { files, later } = setUp(() => {
    if (!world.readable) throw new Error("A system error occurred: uv_interface_addresses returned EMFILE");
    return { eth0: [address] };
  });
  expect(files().ipv6).toBe(false);
  world.readable = true;
  expect(later().ipv6).toBe(true);
  world.readable = false;
  expect(later().ipv6).toBe(true);
});

test("a file that temporarily cannot be read keeps its last content, and is read again later", () => {
  const { paths, files, later } = setUp();
  writeFileSync(paths.hosts, "10.1.1.1 db\n");
  writeFileSync(paths.resolvConf, "search a.test\n");
  const first = files();
  expect(first.hosts.get("db")).toEqual(["10.1.1.1"]);
  // Reading a folder fails like reading a file without a free descriptor.
  rmSync(paths.hosts);
  mkdirSync(paths.hosts);
  expect(later().hosts.get("db")).toEqual(["10.1.1.1"]);
  rmSync(paths.hosts, { recursive: true });
  writeFileSync(paths.hosts, "10.1.1.2 db\n");
  expect(later().hosts.get("db")).toEqual(["10.1.1.2"]);
  expect(later().confVersion).toBe(first.confVersion);
});

test("a deleted file counts as empty", () => {
  const { paths, files, later } = setUp();
  writeFileSync(paths.hosts, "10.1.1.1 db\n");
  expect(files().hosts.size).toBe(1);
  rmSync(paths.hosts);
  expect(later().hosts.size).toBe(0);
});
