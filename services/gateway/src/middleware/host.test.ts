import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { fakeSite } from "../testing/fake-site.ts";
import { startTestApp, type TestApp, testConfig } from "../testing/test-app.ts";

const site = await fakeSite();
let local: TestApp;
let published: TestApp;
let reachable: TestApp;
beforeAll(async () => {
  const start = (host: string, publicUrl: string | null) =>
    startTestApp({ site, config: { ...testConfig, host, publicUrl } });
  local = await start("127.0.0.1", null);
  published = await start("0.0.0.0", "https://Sonde.Example.com:8443/");
  reachable = await start("0.0.0.0", null);
});
afterAll(() => Promise.all([local, published, reachable].map((app) => app.stop())));
afterEach(() => [local, published, reachable].forEach(({ fakes }) => (fakes.calls.length = 0)));

/** Sends raw bytes, which no client library would accept, and returns the whole response. */
async function raw(app: TestApp, lines: string[], method = "GET", target = "/api/config"): Promise<string> {
  const socket = connect(app.port, "127.0.0.1");
  let answer = "";
  socket.on("data", (chunk) => (answer += chunk.toString()));
  socket.write([`${method} ${target} HTTP/1.1`, ...lines, "Connection: close", "", ""].join("\r\n"));
  await once(socket, "close");
  return answer;
}
const statusOf = (answer: string) => Number(answer.split(" ")[1]);
const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf("\r\n\r\n"))) as Record<string, unknown>;

describe("a gateway on loopback", () => {
  test.each([
    "localhost",
    "LOCALHOST:8080",
    "sonde.localhost:1",
    "localhost.",
    "127.0.0.1:8080",
    "192.0.2.7",
    "[::1]:8080",
    "[fe80::1]",
  ])("accepts %s", async (host) => {
    expect(statusOf(await raw(local, [`Host: ${host}`]))).toBe(200);
  });

  test.each(["attacker.example", "attacker.example:8080", "localhost.attacker.example", "127.0.0.1.attacker.example"])(
    "responds with 421 to %s, against DNS rebinding",
    async (host) => {
      const answer = await raw(local, [`Host: ${host}`]);
      expect(statusOf(answer)).toBe(421);
      expect(bodyOf(answer)).toMatchObject({ success: false, code: "misdirected" });
      expect(bodyOf(answer)["message"]).toContain(`requests for the host name ${host}`);
      expect(answer).toMatch(/^X-Request-Id: \S+/im);
    },
  );

  test.each([
    ["POST", "/api/auth/register"],
    ["GET", "/api/events"],
    ["GET", "/api/docs"],
    ["GET", "/api/nothing"],
    ["GET", "/"],
    ["GET", "/assets/app-0a1b2c3d.js"],
    ["GET", "/downloads/SHA256SUMS"],
    ["POST", "/agent/v1/register"],
    ["OPTIONS", "/api/monitors"],
  ])("rejects a foreign name at %s %s before calling any service", async (method, target) => {
    expect(statusOf(await raw(local, ["Host: attacker.example", "Content-Length: 0"], method, target))).toBe(421);
    expect(local.fakes.calls).toEqual([]);
  });

  test("explains in Chinese, too, how to allow the name", async () => {
    const answer = await raw(local, ["Host: attacker.example", "Accept-Language: zh-CN"]);
    expect(bodyOf(answer)["message"]).toContain("PUBLIC_URL");
    expect(bodyOf(answer)["message"]).toContain("主机名 attacker.example");
  });

  test("also checks the host of an absolute request URL", async () => {
    const foreign = await raw(local, ["Host: localhost"], "GET", "http://attacker.example/api/config");
    const own = await raw(local, ["Host: localhost"], "GET", "http://localhost/api/config");
    expect([statusOf(foreign), statusOf(own)]).toEqual([421, 200]);
  });
});

test("with PUBLIC_URL only its host is accepted, with any port and case", async () => {
  const status = async (host: string) => statusOf(await raw(published, [`Host: ${host}`]));
  expect(await Promise.all(["sonde.example.com", "SONDE.example.com:443", "10.0.0.1"].map(status))).toEqual([
    200, 200, 200,
  ]);
  expect(await status("other.example.com")).toBe(421);
});

test("a public gateway without PUBLIC_URL accepts every name", async () => {
  expect(statusOf(await raw(reachable, ["Host: monitoring.internal:8080"]))).toBe(200);
});

describe.each([
  ["two Host headers", ["Host: localhost", "Host: attacker.example"]],
  ["the same Host header twice", ["Host: localhost", "host: localhost"]],
  ["no Host header", ["Accept: */*"]],
  ["an empty Host header", ["Host:"]],
  ["a Host header with a user name", ["Host: localhost@attacker.example"]],
  ["a Host header with a path", ["Host: localhost/api"]],
  ["a Host header of two names", ["Host: localhost, attacker.example"]],
])("%s", (_name, lines) => {
  test.each([
    ["on loopback", () => local],
    ["elsewhere", () => reachable],
  ])("is a bad request, %s", async (_where, app) => {
    const answer = await raw(app(), lines);
    expect(statusOf(answer)).toBe(400);
    expect(bodyOf(answer)).toMatchObject({ success: false, code: "invalid" });
    expect(answer).toMatch(/^X-Request-Id: \S+/im);
  });
});
