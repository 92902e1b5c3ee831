import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { clientAddress } from "@sonde/kit/http/caller";
import { readConfig } from "../config.ts";

const request = (remoteAddress: string, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
  }) as unknown as IncomingMessage;
const trusted = readConfig({ TRUSTED_PROXIES: "10.0.0.0/8, fd00::/8" }).trustedProxies;

describe("the client's address", () => {
  test("is the socket's address without trusted proxies", () => {
    expect(clientAddress(request("203.0.113.9", "1.2.3.4"), [])).toBe("203.0.113.9");
    expect(clientAddress(request("203.0.113.9", "1.2.3.4"), trusted)).toBe("203.0.113.9");
  });

  test("is what the trusted proxy saw, not what its client claimed", () => {
    expect(clientAddress(request("10.0.0.1", "1.2.3.4, 198.51.100.7"), trusted)).toBe("198.51.100.7");
  });

  test("is found through a chain of trusted proxies", () => {
    expect(clientAddress(request("10.0.0.1", "198.51.100.7, 10.2.0.3, fd00::5"), trusted)).toBe("198.51.100.7");
  });

  test("is the last valid one if the header contains something else", () => {
    expect(clientAddress(request("10.0.0.1", "unknown"), trusted)).toBe("10.0.0.1");
    expect(clientAddress(request("10.0.0.1"), trusted)).toBe("10.0.0.1");
    expect(clientAddress(request("10.0.0.1", "10.0.0.9"), trusted)).toBe("10.0.0.9");
  });

  test("is the same for an IPv4 client on an IPv6 socket", () => {
    expect(clientAddress(request("::ffff:10.0.0.1", "::ffff:198.51.100.7"), trusted)).toBe("198.51.100.7");
    expect(clientAddress(request("::ffff:a00:1", "::ffff:c633:6407"), trusted)).toBe("198.51.100.7");
  });
});

test("an invalid proxy CIDR prevents startup with a clear message", () => {
  expect(() => readConfig({ TRUSTED_PROXIES: "10.0.0.0/99" })).toThrow(
    /TRUSTED_PROXIES: must be a comma-separated list of addresses and CIDRs/,
  );
});
