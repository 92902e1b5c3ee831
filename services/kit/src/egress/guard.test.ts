import { isIP } from "node:net";
import { describe, expect, it } from "vitest";
import { createGuard } from "./guard.ts";
import { createResolver } from "./resolver.ts";
import { findRoute, hostOf, isHttp } from "./url.ts";

const guard = createGuard({ denyCidrs: ["10.20.0.0/16", "fd12:3456::/32", "203.0.113.7"] });

describe("the egress guard", () => {
  it.each([
    ["0.0.0.0", "unspecified"],
    ["0.255.1.2", "unspecified"],
    ["::", "unspecified"],
    ["169.254.169.254", "link-local"],
    ["169.254.0.1", "link-local"],
    ["fe80::1", "link-local"],
    ["fe80::1%eth0", "link-local"],
    ["febf:ffff::1", "link-local"],
    ["100.100.100.200", "metadata"],
    ["168.63.129.16", "metadata"],
    ["192.0.0.192", "metadata"],
    ["fd00:ec2::254", "metadata"],
    ["fd00:ec2::23", "metadata"],
    ["fd00:ec2:1::53", "metadata"],
    ["fd20:ce::254", "metadata"],
    ["fd00:c1::a9fe:a9fe", "metadata"],
    ["fd00:42::42", "metadata"],
    ["224.0.0.1", "multicast"],
    ["239.255.255.250", "multicast"],
    ["ff02::1", "multicast"],
    ["255.255.255.255", "broadcast"],
    ["10.20.255.1", "PROBE_DENY_CIDRS"],
    ["203.0.113.7", "PROBE_DENY_CIDRS"],
    ["fd12:3456:1::1", "PROBE_DENY_CIDRS"],
    ["::ffff:169.254.169.254", "link-local"],
    ["::ffff:a9fe:a9fe", "link-local"],
    ["0:0:0:0:0:ffff:a9fe:a9fe", "link-local"],
    ["::169.254.169.254", "link-local"],
    ["::ffff:0:169.254.169.254", "link-local"],
    ["64:ff9b::169.254.169.254", "link-local"],
    ["64:ff9b::6464:64c8", "metadata"],
    ["64:ff9b:1:a9fe:a9:fe00::", "link-local"],
    ["64:ff9b:1::169.254.169.254", "link-local"],
    ["2002:a9fe:a9fe::1", "link-local"],
    ["2001:0:4136:e378:8000:63bf:5601:5601", "link-local"],
    ["2001:db8::5efe:169.254.169.254", "link-local"],
    ["2001:db8::200:5efe:169.254.169.254", "link-local"],
    ["::ffff:10.20.3.4", "PROBE_DENY_CIDRS"],
    ["64:ff9b::10.20.3.4", "PROBE_DENY_CIDRS"],
    ["not-an-address", "not an address"],
    ["", "not an address"],
  ])("refuses %s as %s", (address, reason) => {
    expect(guard.refusal(address)).toContain(reason);
  });

  it.each([
    "127.0.0.1",
    "::1",
    "10.0.0.1",
    "10.21.0.1",
    "192.168.1.1",
    "172.16.0.1",
    "1.0.0.1",
    "8.8.8.8",
    "169.253.255.255",
    "169.255.0.1",
    "100.100.100.201",
    "223.255.255.255",
    "2606:4700::1111",
    "fd00::1",
    "fd00:c1::a9fe:a9fd",
    "fd00:42::43",
    "fd00:ec3::254",
    "fec0::1",
    "::ffff:127.0.0.1",
    "64:ff9b::8.8.8.8",
    "64:ff9b:1::8.8.8.8",
    "203.0.113.8",
  ])("allows %s", (address) => {
    expect(guard.refusal(address)).toBeUndefined();
  });

  it.each(["10.0.0.0/33", "fd00::/129", "300.1.1.1/8", "10.0.0.0/8/8", "example.com", "10.0.0.0/-1", ""])(
    "refuses to start with the range %j",
    (range) => {
      expect(() => createGuard({ denyCidrs: [range] })).toThrow("PROBE_DENY_CIDRS");
    },
  );
});

describe("a denied range", () => {
  it.each(["127.0.0.0/8", "127.0.0.1", "0.0.0.0/0", "::ffff:127.0.0.0/104"])(
    "%s covers every form of loopback",
    (range) => {
      const strict = createGuard({ denyCidrs: [range] });
      for (const address of [
        "127.0.0.1",
        "::1",
        "::ffff:127.0.0.1",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::127.0.0.1",
        "2002:7f00:1::",
      ]) {
        expect(strict.refusal(address), address).toContain("PROBE_DENY_CIDRS");
      }
    },
  );

  it("denies only the IPv6 loopback if only that is listed", () => {
    const strict = createGuard({ denyCidrs: ["::1"] });
    expect(strict.refusal("::1")).toContain("PROBE_DENY_CIDRS");
    expect(strict.refusal("127.0.0.1")).toBeUndefined();
    expect(createGuard({ denyCidrs: ["127.1.0.0/16"] }).refusal("::1")).toBeUndefined();
  });

  it("may be an IPv4 range in mapped form", () => {
    const strict = createGuard({ denyCidrs: ["::ffff:10.0.0.0/104"] });
    expect(strict.refusal("10.1.2.3")).toContain("PROBE_DENY_CIDRS");
    expect(strict.refusal("11.1.2.3")).toBeUndefined();
  });

  it("blocks localhost by its addresses, whichever of them the name has", async () => {
    const guard = createGuard({ denyCidrs: ["127.0.0.0/8"] });
    const resolver = createResolver({ servers: [] });
    expect(await findRoute("localhost", { guard, resolver })).toMatchObject({ failure: "blocked" });
    expect(await findRoute("sonde.localhost", { guard, resolver })).toMatchObject({ failure: "blocked" });
    resolver.close();
  });
});

describe("a URL at saving time", () => {
  const isUsable = (url: string) => URL.canParse(url) && isHttp(new URL(url));
  const refusalOf = (url: string) => {
    const host = hostOf(new URL(url));
    return isIP(host) === 0 ? undefined : guard.refusal(host);
  };

  it.each([
    "http://169.254.169.254/latest/meta-data",
    "http://2852039166/", // decimal
    "http://0251.0376.0251.0376/", // octal
    "http://0xA9.0xFE.0xA9.0xFE/", // hex
    "http://0xa9fea9fe/",
    "http://169.254.43518/", // three parts
    "http://169.16689662/", // two parts
    "http://169.254.169.254./", // trailing dot
    "http://①⑥⑨.②⑤④.①⑥⑨.②⑤④/", // full-width digits
    "http://user:secret@169.254.169.254/",
    "http://example.com@169.254.169.254/",
    "http://169.254.169.254:8080/",
    "https://[fe80::1]/",
    "https://[::ffff:169.254.169.254]/",
    "https://[::ffff:a9fe:a9fe]/",
    "https://[64:ff9b::a9fe:a9fe]/",
    "https://[fd00:ec2::254]/",
    "http://[::]/",
    "http://0/",
    "http://0.0.0.0:8080/",
    "http://255.255.255.255/",
    "http://0x7f.1.2.3@0xa9fea9fe",
  ])("is blocked: %s", (url) => {
    expect(isUsable(url)).toBe(true);
    expect(refusalOf(url)).toEqual(expect.any(String));
  });

  it.each([
    "file:///etc/passwd",
    "gopher://example.com/",
    "ftp://example.com/",
    "javascript:alert(1)",
    "http://",
    "http://[fe80::1%25eth0]/",
    "//example.com",
    "example.com",
    "http://999.1.1.1/",
    "",
  ])("is invalid: %s", (url) => {
    expect(isUsable(url)).toBe(false);
  });

  it.each([
    "http://localhost:8080/",
    "http://127.0.0.1/",
    "http://0x7f000001/",
    "https://example.com/",
    "http://[::1]:80/",
  ])("passes: %s", (url) => {
    expect(isUsable(url)).toBe(true);
    expect(refusalOf(url)).toBeUndefined();
  });
});
