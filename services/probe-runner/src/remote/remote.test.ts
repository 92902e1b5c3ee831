import { expect, test } from "vitest";
import { readRemoteConfig } from "./config.ts";
import { proxyFor } from "./tunnel.ts";
import { hasOtherMinor } from "./version.ts";

const proxy = "http://proxy.example.com:3128";

test.each([
  ["https://sonde.example.com", { HTTPS_PROXY: proxy }, "proxy.example.com:3128"],
  ["https://sonde.example.com", { https_proxy: "proxy.example.com:3128" }, "proxy.example.com:3128"],
  ["https://sonde.example.com", { HTTP_PROXY: proxy }, undefined],
  ["http://sonde.example.com", { HTTP_PROXY: proxy }, "proxy.example.com:3128"],
  ["https://sonde.example.com", { HTTPS_PROXY: proxy, NO_PROXY: "other.example.com, sonde.example.com" }, undefined],
  ["https://sonde.example.com", { HTTPS_PROXY: proxy, no_proxy: ".example.com" }, undefined],
  ["https://sonde.example.com", { HTTPS_PROXY: proxy, NO_PROXY: "*" }, undefined],
  ["https://sonde.example.com", { HTTPS_PROXY: proxy, NO_PROXY: "ample.com" }, "proxy.example.com:3128"],
])("the proxy for %s with %o is %s", (url, environment, expected) => {
  expect(proxyFor(new URL(url), environment)?.host).toBe(expected);
});

test("a proxy of another protocol is refused", () => {
  const environment = { HTTPS_PROXY: "socks5://proxy:1080" };
  expect(() => proxyFor(new URL("https://sonde.example.com"), environment)).toThrow("HTTPS_PROXY must be");
});

test.each([
  ["1.2.0", "1.2.9", false],
  ["1.2.0", "1.3.0", false],
  ["1.2.0", "1.4.0", true],
  ["1.4.0", "1.2.0", true],
  ["2.2.0", "1.2.0", true],
])("with Sonde %s, a warning about a runner of version %s: %s", (sonde, own, expected) => {
  expect(hasOtherMinor(sonde, own)).toBe(expected);
});

test("plain HTTP to another machine needs an explicit permission", () => {
  const read = (environment: NodeJS.ProcessEnv) => () => readRemoteConfig(environment);
  expect(read({ SONDE_URL: "http://sonde.example.com" })).toThrow("SONDE_URL: must be an https address");
  expect(read({ SONDE_URL: "http://sonde.example.com", SONDE_ALLOW_HTTP: "1" })).not.toThrow();
  expect(read({ SONDE_URL: "http://127.0.0.1:8080" })).not.toThrow();
  expect(read({ SONDE_URL: "https://sonde.example.com" })).not.toThrow();
  expect(read({ SONDE_URL: "sonde.example.com" })).toThrow("SONDE_URL: must be an http or https address");
});

test.each([
  ["https://sonde.example.com", "https://sonde.example.com"],
  ["https://example.com/uptime/", "https://example.com/uptime"],
])("the requests of a runner with the address %s begin with %s", (SONDE_URL, expected) => {
  expect(readRemoteConfig({ SONDE_URL }).url).toBe(expected);
});
