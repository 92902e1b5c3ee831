import { describe, expect, test } from "vitest";
import {
  boundAddress,
  contains,
  countedAddress,
  isLoopback,
  parseAddress,
  parseCidr,
  withoutMapping,
} from "./addresses.ts";

describe("an address", () => {
  test.each(["0177.0.0.1", "0x7f.0.0.1", "2130706433", "127.1", "1.2.3.4.", "fe80::1%eth0", "[::1]", "localhost", ""])(
    "is not %j",
    (text) => expect(parseAddress(text)).toBeUndefined(),
  );

  test("with a dotted tail is mapped only if its prefix is", () => {
    const bytes = (text: string) => parseAddress(text)?.toByteArray();
    expect(bytes("::1.2.3.4")).toEqual(bytes("::102:304"));
    expect(bytes("::ffff:1.2.3.4")).toEqual(bytes("::ffff:102:304"));
  });

  test("from an IPv6 socket is the IPv4 address it contains", () => {
    const forms = ["::ffff:10.0.0.1", "::FFFF:a00:1", "0:0:0:0:0:ffff:a00:1", "10.0.0.1"];
    expect(new Set(forms.map(withoutMapping))).toEqual(new Set(["10.0.0.1"]));
    expect(["::1", "64:ff9b::a00:1", "unknown"].map(withoutMapping)).toEqual(["::1", "64:ff9b::a00:1", "unknown"]);
  });
});

describe("a range", () => {
  test("contains the addresses of its family with its prefix", () => {
    const holds = (range: string, address: string) => contains(parseCidr(range)!, parseAddress(address)!);
    expect(holds("10.1.2.3/8", "10.255.0.1")).toBe(true);
    expect(holds("10.0.0.0/9", "10.128.0.0")).toBe(false);
    expect(holds("0.0.0.0/0", "203.0.113.7")).toBe(true);
    expect(holds("::/0", "203.0.113.7")).toBe(false);
    expect(holds("fd00::/8", "fdff::1")).toBe(true);
    expect(holds("::1", "::1")).toBe(true);
  });
});

test.each(["localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "::1", "[::1]", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1"])(
  "%s is loopback",
  (host) => expect(isLoopback(host)).toBe(true),
);

test.each(["0.0.0.0", "::", "128.0.0.1", "127.0.0.1.example.com", "localhost.example.com", "example.com", ""])(
  "%j is not loopback",
  (host) => expect(isLoopback(host)).toBe(false),
);

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:0002::1", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["unknown", "unknown"],
  ["", ""],
])("attempts from %s are counted at %s", (address, counted) => {
  expect(countedAddress(address)).toBe(counted);
});

test(":: also works on a machine without IPv6", () => {
  // Node falls back to IPv4 if it gets no address.
  expect([boundAddress("::"), boundAddress("0.0.0.0"), boundAddress("::1")]).toEqual([undefined, "0.0.0.0", "::1"]);
});
