import { describe, expect, test } from "vitest";
import { parseResolver } from "./checks/dns.ts";
import { canonicalHost } from "./checks/fields.ts";
import { faultsOf } from "../reasons/issues.ts";
import { secretMask } from "../secrets.ts";
import { kindOf, readCheck, targetOf } from "./kinds.ts";
import { monitorInput, monitorPatch, splitInput } from "./monitors.ts";

const faults = (input: unknown) => {
  const parsed = monitorInput.safeParse(input);
  return parsed.success ? [] : faultsOf(parsed.error.issues).map(({ path, message }) => `${path}: ${message}`);
};

const shared = {
  interval: 1,
  timeout: 10,
  retries: 1,
  recoverAfter: 1,
  tags: [],
  paused: false,
  dependsOn: [],
  note: "",
  keepBody: true,
  description: "",
};

describe("each kind has its own fields and defaults", () => {
  test.each([
    [{ type: "tcp", name: "db", host: "db", port: 5432 }, {}],
    [{ type: "tcp", name: "redis", host: "::1", port: 6379, send: "PING\r\n", expect: "+PONG" }, {}],
    [
      { type: "dns", name: "zone", host: "example.com", recordType: "MX", resolver: "1.1.1.1:53", expect: ["10 a."] },
      {},
    ],
    [{ type: "tls", name: "mail", host: "example.com", port: 25, starttls: "smtp" }, { minDaysLeft: 14 }],
    [
      { type: "tls", name: "site", host: "example.com" },
      { port: 443, minDaysLeft: 14 },
    ],
    [
      { type: "icmp", name: "router", host: "router" },
      { count: 3, maxLoss: 50 },
    ],
    [
      { type: "domain", name: "shop", domain: "www.example.co.uk" },
      { minDaysLeft: 30, interval: 1440 },
    ],
    [
      { type: "ntp", name: "time", host: "time" },
      { port: 123, maxOffset: 1000 },
    ],
    [
      { type: "redis", name: "cache", host: "cache", password: "s3cret" },
      { port: 6379, tls: false, verifyTls: true },
    ],
    [
      { type: "postgres", name: "db", host: "db", username: "sonde" },
      { port: 5432, query: "SELECT 1", assertions: [], tls: false, verifyTls: true },
    ],
    [
      { type: "mysql", name: "db", host: "db", username: "sonde", query: "show status" },
      { port: 3306, assertions: [], tls: false, verifyTls: true },
    ],
    [
      { type: "mail", name: "mail", host: "mail", port: 993, protocol: "imap" },
      { security: "tls", verifyTls: true },
    ],
    [
      { type: "grpc", name: "orders", host: "orders", port: 50051 },
      { tls: false, verifyTls: true },
    ],
    [
      { type: "websocket", name: "feed", url: "wss://live.example.com/feed" },
      { headers: [], verifyTls: true },
    ],
  ])("%j", (input, defaults) => {
    expect(monitorInput.parse(input)).toEqual({ ...shared, ...defaults, ...input });
  });
});

const onlyBehind = "Values can be used in the path and query, but not in the scheme, host or port";
const steps = (...given: object[]) => ({ type: "flow", name: "a", steps: given });

test.each([
  [steps(), "steps: Too few entries (minimum {min})"],
  [steps({ url: "https://{{a}}/" }), `steps.0.url: ${onlyBehind}`],
  [steps({ url: "https:////{{a}}.example/" }), `steps.0.url: ${onlyBehind}`],
  [steps({ url: "{{a}}://a/" }), `steps.0.url: ${onlyBehind}`],
  [steps({ url: "https://a:{{a}}" }), `steps.0.url: ${onlyBehind}`],
  [steps({ url: "https://a/{{a}}" }), "steps.0.url: No earlier step extracts a value named {name}"],
  [
    steps({ url: "https://a/", extract: [{ name: "a", source: "status" }], body: "{{a}}" }),
    "steps.0.body: No earlier step extracts a value named {name}",
  ],
  [
    steps({ url: "https://a/", headers: [{ name: "X-One", value: "{{a}}" }] }),
    "steps.0.headers.0.value: No earlier step extracts a value named {name}",
  ],
  [
    steps({ url: "https://a/", extract: [{ name: "a", source: "json" }] }),
    "steps.0.extract.0.property: This field is required",
  ],
  [
    steps({ url: "https://a/", extract: [{ name: "1", source: "status" }] }),
    "steps.0.extract.0.name: Use at most 40 letters, digits and underscores, not starting with a digit",
  ],
  [
    steps({ name: "a", url: "https://a/" }, { name: "a", url: "https://a/" }),
    "steps.1.name: Another step already has this name",
  ],
  [
    steps({ url: "https://a/", body: "a".repeat(200_000) }, { url: "https://a/", body: "a".repeat(100_000) }),
    "steps.1.body: This field is too long across all steps (maximum {max} characters)",
  ],
  [{ type: "icmp", name: "a", host: "a", count: 11 }, "count: Enter a whole number of pings from {min} to {max}"],
  [
    { type: "icmp", name: "a", host: "a", maxLoss: 100 },
    "maxLoss: Enter the packet loss as a whole percentage from 0 to {max}",
  ],
  [
    { type: "domain", name: "a", domain: "a.example", interval: 359 },
    "interval: The interval must be at least {min} min",
  ],
  ...["", "localhost", "192.0.2.1", "0x7f.1", "::1", "https://a.example/", "*.a.example", "a b.example"].map(
    (domain): [object, string] => [
      { type: "domain", name: "a", domain },
      "domain: Please enter a domain, such as example.com",
    ],
  ),
  [{ type: "tcp", name: "db", port: 5432 }, "host: This field is required"],
  [{ type: "tcp", name: "db", host: "", port: 1 }, "host: Host is required"],
  [{ type: "tcp", name: "db", host: "http://db", port: 1 }, "host: Please enter a host name or an IP address"],
  [{ type: "tcp", name: "db", host: "db:1", port: 1 }, "host: Please enter a host name or an IP address"],
  [{ type: "tcp", name: "db", host: "db", port: 0 }, "port: Enter a port from 1 to 65535"],
  [{ type: "tcp", name: "db", host: "db", port: 1, url: "https://a" }, "url: Unknown field"],
  [{ type: "http", name: "a", url: "https://a/", host: "a" }, "host: Unknown field"],
  [
    { type: "http", name: "a", url: "https://a/", headers: [{ name: "X-Plain", value: "••••••" }] },
    "headers.0.value: This is not a valid header value",
  ],
  [{ type: "dns", name: "a", host: "a", recordType: "ANY" }, "recordType: Please choose one of: {options}"],
  [
    { type: "dns", name: "a", host: "a", recordType: "A", resolver: "dns.google" },
    "resolver: Enter an IP address, optionally with a port, such as 1.1.1.1:53 or [2606:4700::1111]:53",
  ],
  [{ type: "dns", name: "a", host: "a", recordType: "A", expect: [] }, "expect: Too few entries (minimum {min})"],
  [{ type: "tls", name: "a", host: "a", starttls: "xmpp" }, "starttls: Please choose one of: {options}"],
  [{ type: "websocket", name: "a", url: "https://a/" }, "url: Please enter a full ws or wss address"],
  [{ type: "websocket", name: "a", url: "wss://a:b@c/" }, "url: The address cannot contain a username or password"],
  [{ type: "mail", name: "a", host: "a", port: 25, protocol: "nntp" }, "protocol: Please choose one of: {options}"],
  [
    { type: "mail", name: "a", host: "a", port: 110, protocol: "pop3", password: "a\r\nDELE 1" },
    "password: Control and invisible characters are not allowed",
  ],
  [{ type: "postgres", name: "a", host: "a" }, "username: This field is required"],
  [
    { type: "mysql", name: "a", host: "a", username: "a", query: "DELETE FROM orders" },
    "query: The query must start with SELECT, WITH, SHOW, VALUES or TABLE",
  ],
  [
    { type: "postgres", name: "a", host: "a", username: "a", query: `SELECT ${"x".repeat(1000)}` },
    "query: The text is too long (maximum {max} characters)",
  ],
  ...["INTO OUTFILE '/tmp/a'", "/*!50000 INTO Dumpfile '/tmp/a' */"].map((clause): [object, string] => [
    { type: "mysql", name: "a", host: "a", username: "a", query: `SELECT 1 ${clause}` },
    "query: The query must only read data",
  ]),
  [
    { type: "postgres", name: "a", host: "a", username: "a", query: "SELECT lo_export(1, '/tmp/a')" },
    "query: The query must only read data",
  ],
  [{ type: "redis", name: "a", host: "a", username: "sonde" }, "password: A username requires a password"],
  [
    { type: "mail", name: "a", host: "a", port: 993, protocol: "imap", username: "sonde" },
    "password: A username requires a password",
  ],
  [{ type: "gopher", name: "a" }, "type: Please choose one of: {options}"],
])("%j is refused where it is wrong", (input, fault) => {
  expect(faults(input)).toEqual([fault]);
});

const noProxy =
  "proxy.url: Please enter the address of a proxy, such as http://proxy.example.com:3128 or socks5://10.0.0.1:1080";
test.each([
  [{ proxy: { url: "ftp://p" } }, noProxy],
  [{ proxy: { url: "http://p/path" } }, noProxy],
  [{ proxy: { url: "http://a:b@p" } }, "proxy.url: The address cannot contain a username or password"],
  [{ proxy: { url: "http://p", password: "b" } }, "proxy.username: A password requires a username"],
  [{ proxy: { url: "http://p", username: "a:b" } }, "proxy.username: The username cannot contain a colon"],
  [
    { proxy: { url: "socks5://p", username: "a", password: "ä".repeat(200) } },
    "proxy.password: The text is too long (maximum {max} bytes)",
  ],
  [
    { clientCertificate: { cert: "-----BEGIN PRIVATE KEY-----", key: "a" } },
    "clientCertificate.cert: This contains a private key: enter it in the private key field",
  ],
  [
    { oauth: { tokenUrl: "a", clientId: "a", clientSecret: "b" } },
    "oauth.tokenUrl: Please enter a full http or https address",
  ],
  [{ oauth: { tokenUrl: "https://a/", clientId: "a" } }, "oauth.clientSecret: This field is required"],
  [{ servername: "a b" }, "servername: Please enter a host name or an IP address"],
  [{ url: "http://a/", servername: "a" }, "servername: Only https addresses can have a server name"],
  [{ h2c: true }, "h2c: Only http addresses can use HTTP/2 without TLS"],
  [{ ipFamily: "ipv5" }, "ipFamily: Please choose one of: {options}"],
])("a connection of %j is refused where it is wrong", (connection, fault) => {
  expect(faults({ name: "a", url: "https://a/", ...connection })).toEqual([fault]);
});

test("a text that a TCP check expects fits into the 4 KiB that are looked at, by its bytes", () => {
  const expecting = (expect: string) => faults({ type: "tcp", name: "db", host: "db", port: 1, expect });
  expect(expecting("é".repeat(2048))).toEqual([]);
  expect(expecting("é".repeat(2049))).toEqual(["expect: The text is too long (maximum {max} bytes)"]);
  expect(expecting("é".repeat(4097))).toEqual(["expect: The text is too long (maximum {max} characters)"]);
});

test.each([
  [{ type: "http", url: "https://example.com/a" } as const, "https://example.com/a"],
  [{ type: "tcp", host: "db", port: 5432 } as const, "tcp://db:5432"],
  [{ type: "tcp", host: "::1", port: 5432 } as const, "tcp://[::1]:5432"],
  [{ type: "dns", host: "example.com", recordType: "AAAA" } as const, "dns://example.com/AAAA"],
  [{ type: "tls", host: "host" } as const, "tls://host:443"],
  [{ type: "websocket", url: "wss://host/a" } as const, "wss://host/a"],
  [{ type: "redis", host: "host" } as const, "redis://host:6379"],
  [{ type: "postgres", host: "host", database: "shop" } as const, "postgres://host:5432/shop"],
  [{ type: "mysql", host: "::1" } as const, "mysql://[::1]:3306"],
  [{ type: "mail", host: "host", port: 993, protocol: "imap" } as const, "imap://host:993"],
  [{ type: "grpc", host: "host", port: 1, service: "a.B" } as const, "grpc://host:1/a.B"],
])("the target of %j is %s", (kept, target) => {
  expect(targetOf(readCheck(kept))).toBe(target);
});

test("another server name is another recipient of a secret", () => {
  const { audience } = kindOf("http");
  const url = "https://shared.test/";
  expect(audience({ url })).toBe("https://shared.test");
  expect(audience({ url, servername: "other.test" })).not.toBe(audience({ url }));
});

test.each([
  [{ count: 10, timeout: 2.2 }, []],
  [{ count: 10, timeout: 2.1 }, ["count: This check takes at least {min} seconds, longer than its timeout"]],
  [{ count: 3, timeout: 0.8 }, []],
  [{ count: 1, timeout: 0.1 }, []],
])("pings that do not fit into the timeout are refused: %j", (input, expected) => {
  expect(faults({ type: "icmp", name: "a", host: "a", ...input })).toEqual(expected);
});

test("a password is for its host and port alone", () => {
  const { secrets, audience } = kindOf("redis");
  const check = { host: "cache", port: 6379, password: secretMask };
  expect(secrets(check)).toEqual([{ path: ["password"], name: "password" }]);
  expect(secrets({ host: "cache", port: 6379 })).toEqual([]);
  expect(audience(check)).toBe("cache:6379");
});

test("an address in a partial input is judged by the kind of the monitor", () => {
  expect(monitorPatch.safeParse({ url: "wss://a/" }).success).toBe(true);
  expect(monitorPatch.safeParse({ url: 5 }).success).toBe(false);
});

test("a field that a kind got later has its default in what was kept before", () => {
  expect(readCheck({ type: "tls", host: "a" })).toMatchObject({ port: 443, minDaysLeft: 14 });
});

test("a partial input takes the fields of any kind, and null clears", () => {
  const patch = monitorPatch.parse({ name: "b", port: 99, expect: null, resolver: null });
  expect(splitInput(patch)).toEqual({ shared: { name: "b" }, check: { port: 99, expect: null, resolver: null } });
  expect(monitorPatch.safeParse({ prot: 99 }).success).toBe(false);
  expect(monitorPatch.safeParse({ timeout: null }).success).toBe(false);
  expect(monitorPatch.safeParse({ expect: "text" }).success && monitorPatch.safeParse({ expect: ["a"] }).success).toBe(
    true,
  );
});

test.each([
  [{ host: "a b" }, "host: Please enter a host name or an IP address"],
  [{ port: 0 }, "port: Enter a port from 1 to 65535"],
  [{ minDaysLeft: 2000 }, "minDaysLeft: Enter a whole number of days from 0 to {max}"],
  [{ resolver: "dns.google" }, expect.stringContaining("resolver: Enter an IP address")],
  [{ expect: "é".repeat(2049) }, "expect: The text is too long (maximum {max} bytes)"],
  [{ expect: ["a", 5] }, "expect.1: Please enter text"],
])("a partial input that is wrong says so in the words of its field: %#", (input, fault) => {
  const parsed = monitorPatch.safeParse(input);
  expect(faultsOf(parsed.error?.issues ?? []).map(({ path, message }) => `${path}: ${message}`)).toEqual([fault]);
});

test.each([
  ["DB.Example.com", "db.example.com"],
  ["münchen.example", "xn--mnchen-3ya.example"],
  ["0x7f.1", "127.0.0.1"],
  ["2130706433", "127.0.0.1"],
  ["::ffff:127.0.0.1", "::ffff:7f00:1"],
  ["_dmarc.example.com", "_dmarc.example.com"],
  ["a b", null],
  ["user@host", null],
  ["host:80", null],
  ["[::1]", null],
  ["fe80::1%eth0", null],
])("the host %s is dialled as %s", (text, canonical) => {
  expect(canonicalHost(text)).toBe(canonical);
});

test.each([
  ["1.1.1.1", { host: "1.1.1.1", port: 53 }],
  ["127.0.0.1:5353", { host: "127.0.0.1", port: 5353 }],
  ["::1", { host: "::1", port: 53 }],
  ["[::1]:5353", { host: "::1", port: 5353 }],
  ["1.1.1.1:0", null],
  ["dns.google", null],
  ["", null],
])("the resolver %s is %j", (text, read) => {
  expect(parseResolver(text)).toEqual(read);
});
