import type { Socket } from "node:net";
import { setDefaultCACertificates } from "node:tls";
import type { CheckDraft } from "@sonde/proto/http/monitors/kinds";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { makeCertificate } from "../../testing/certificate.ts";
import { type CheckWorld, kindOf, probe } from "../../testing/check.ts";
import { closeServers, freePort, serveSockets } from "../../testing/loopback.ts";
import { startRedis } from "../../testing/redis-server.ts";

const certificate = makeCertificate({ names: ["127.0.0.1"], notAfter: new Date(Date.now() + 10.5 * 86_400_000) });
const foreign = makeCertificate({ names: ["127.0.0.1"], notAfter: new Date(Date.now() + 10.5 * 86_400_000) });
let open: Awaited<ReturnType<typeof startRedis>>;
let locked: typeof open;
let secured: typeof open;
let strange: typeof open;

beforeAll(async () => {
  setDefaultCACertificates([certificate.cert]);
  [open, locked, secured, strange] = await Promise.all([
    startRedis([]),
    startRedis(["requirepass opensesame", "user eve on >evespassword +auth +get ~*"]),
    startRedis(["requirepass opensesame"], certificate),
    startRedis([], foreign),
  ]);
});
afterAll(async () => void (await Promise.all([open, locked, secured, strange].map((one) => one?.stop()))));
afterEach(closeServers);

type Redis = Partial<Extract<CheckDraft, { type: "redis" }>>;
const check = (port: number, changes: Redis = {}, world?: CheckWorld) =>
  probe({ type: "redis", host: "127.0.0.1", port, ...changes }, world);

describe("a Redis check", () => {
  it("is up if PING is answered, with the phases of a connection", async () => {
    expect(await check(open.port)).toEqual({
      status: "up",
      traces: expect.anything(),
      timings: {
        dns: expect.any(Number),
        connect: expect.any(Number),
        firstByte: expect.any(Number),
        total: expect.any(Number),
      },
    });
  });

  it("logs in, with only a password or with a user name", async () => {
    expect(await check(locked.port, { password: "opensesame" })).toMatchObject({ status: "up" });
    expect(await check(locked.port, { username: "default", password: "opensesame" })).toMatchObject({ status: "up" });
  });

  it.each([
    [{}, "The server requires a password"],
    [{ password: "guessed" }, /^The login was refused: WRONGPASS/],
    [{ username: "eve", password: "evespassword" }, /^The server returned an error: NOPERM/],
  ])("is down by `status` if the login fails: %o", async (login, message) => {
    expect(await check(locked.port, login)).toMatchObject({
      status: "down",
      error: { kind: "status", message: typeof message === "string" ? message : expect.stringMatching(message) },
    });
  });

  it("uses TLS, and reports when the certificate expires", async () => {
    const outcome = await check(secured.port, { tls: true, password: "opensesame" });
    expect(outcome).toMatchObject({ status: "up", timings: { tls: expect.any(Number) } });
    expect(outcome).toHaveProperty("certificateExpiresAtMs");
    expect(await check(secured.port, { tls: true, password: "opensesame", minDaysLeft: 11 })).toMatchObject({
      error: { kind: "tls", message: "Certificate expires in 10 days (minimum 11)" },
    });
  });

  it("sends its password to an untrusted server only if verification is off", async () => {
    expect(await check(strange.port, { tls: true })).toMatchObject({
      error: { kind: "tls", message: "The certificate is self-signed" },
    });
    expect(await check(strange.port, { tls: true, verifyTls: false })).toMatchObject({ status: "up" });
  });

  it("is down by `connect` if nothing listens, and by `blocked` if the guard forbids the address", async () => {
    expect(kindOf(await check(await freePort()))).toBe("connect");
    expect(kindOf(await check(6379, { host: "169.254.169.254" }))).toBe("blocked");
  });
});

describe("a server that is not Redis, or is unhealthy", () => {
  const against = async (onSocket: (socket: Socket) => void, changes: Redis = {}, world?: CheckWorld) =>
    check(await serveSockets(onSocket), changes, world);

  it.each([
    [
      "HTTP/1.1 400 Bad Request\r\n\r\n",
      "protocol",
      "The server does not speak Redis; it replied HTTP/1.1 400 Bad Request",
    ],
    ["-LOADING Redis is loading\r\n", "status", "The server returned an error: LOADING Redis is loading"],
    ["x".repeat(70_000), "protocol", "The response is larger than 64 KB"],
  ])("%# is down with an excerpt", async (reply, kind, message) => {
    const outcome = await against((socket) => void socket.once("data", () => socket.end(reply)));
    expect(outcome).toMatchObject({ status: "down", error: { kind, message } });
  });

  it("is down by `protocol` if it closes without a response", async () => {
    const outcome = await against((socket) => void socket.once("data", () => socket.end()));
    expect(outcome).toMatchObject({
      error: { kind: "protocol", message: "The connection was closed without a response" },
    });
  });

  it("is down by `timeout` at the deadline if it stays silent", async () => {
    const outcome = await against(() => undefined, {}, { timeoutMs: 200 });
    expect(outcome).toMatchObject({
      error: { kind: "timeout", message: "Timed out while waiting for the response" },
    });
  });

  it("never makes the password appear, however it repeats it", async () => {
    const echo = (socket: Socket) =>
      void socket.once("data", (data) => socket.end(`-ERR no ${data.toString().split("\r\n")[4]}\r\n`));
    const outcome = await against(echo, { password: "pässword-of-ours" });
    expect(outcome).toMatchObject({ error: { message: "The login was refused: ERR no ••••••" } });
    expect(JSON.stringify(outcome)).not.toContain("ssword-of-ours");
  });
});
