import { createSocket } from "node:dgram";
import { afterEach, describe, expect, it } from "vitest";
import { endingTime, probe, resolverOf } from "../../testing/check.ts";
import { closeLater, closeServers } from "../../testing/loopback.ts";

afterEach(closeServers);

const epochSeconds = 2_208_988_800;

type Answer = {
  leap?: number;
  stratum?: number;
  mode?: number;
  code?: string;
  aheadMs?: number;
  origin?: Buffer;
  length?: number;
};

/** A time server on loopback (RFC 5905 §7.3); `null` means no response. */
async function serveTime(answerTo: (request: Buffer, count: number) => Answer | null, address = "127.0.0.1") {
  const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
  const requests: Buffer[] = [];
  socket.on("message", (request, peer) => {
    requests.push(request);
    const answer = answerTo(request, requests.length);
    if (answer === null) return;
    const { leap = 0, stratum = 2, mode = 4, code, aheadMs = 0, origin = request.subarray(40, 48) } = answer;
    const packet = Buffer.alloc(48);
    packet[0] = (leap << 6) | (4 << 3) | mode;
    packet[1] = stratum;
    packet.write(code ?? "LOCL", 12, "latin1");
    origin.copy(packet, 24);
    const seconds = (Date.now() + aheadMs) / 1000 + epochSeconds;
    for (const at of [32, 40]) {
      packet.writeUInt32BE(Math.floor(seconds) % 2 ** 32, at);
      packet.writeUInt32BE(Math.floor((seconds % 1) * 2 ** 32), at + 4);
    }
    socket.send(packet.subarray(0, answer.length ?? 48), peer.port, peer.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, address, resolve));
  closeLater(() => socket.close());
  return { port: socket.address().port, requests };
}

const check = (port: number, fields: { host?: string; maxOffset?: number } = {}, world = {}) =>
  probe({ type: "ntp", host: "127.0.0.1", port, ...fields }, { timeoutMs: 3000, ...world });

describe("a time server check", () => {
  it("is up if the clock is right, with the round trip as response time", async () => {
    const { port, requests } = await serveTime(() => ({}));
    expect(await check(port)).toMatchObject({ status: "up", timings: { firstByte: expect.any(Number) } });
    // A version 4 client request that contains nothing but a random number.
    expect(requests[0]?.[0]).toBe(0x23);
    expect(requests[0]?.subarray(1, 40).every((byte) => byte === 0)).toBe(true);
  });

  it.each([
    ["ahead", 5000, /^The clock is off by (?:49|50)\d\d(?:\.\d)? ms \(maximum 250 ms\)$/],
    ["behind", -5000, /^The clock is off by -(?:49|50)\d\d(?:\.\d)? ms \(maximum 250 ms\)$/],
    // 2036: NTP's seconds wrap around.
    ["in the next era", 20 * 365 * 86_400_000, /^The clock is off by 6307\d{8}(?:\.\d)? ms/],
  ])("is down if the clock is %s, and reports by how much", async (_where, aheadMs, message) => {
    const { port } = await serveTime(() => ({ aheadMs }));
    const outcome = await check(port, { maxOffset: 250 });
    expect(outcome).toMatchObject({ status: "down", error: { kind: "assertion" } });
    expect((outcome as { error: { message: string } }).error.message).toMatch(message);
  });

  it.each<[string, Answer, string]>([
    ["reports that it is not synchronised", { leap: 3 }, "The time server is not synchronized"],
    ["has stratum 16", { stratum: 16 }, "The time server is not synchronized"],
    ["has stratum 0", { stratum: 0, code: "INIT" }, "The time server is not synchronized"],
    ["sends a kiss-o'-death", { stratum: 0, leap: 3, code: "RATE" }, "The time server refused the request (RATE)"],
    ["answers as a client", { mode: 3 }, "The server's response is not valid"],
  ])("is down if the server %s", async (_what, answer, message) => {
    const { port } = await serveTime(() => answer);
    expect(await check(port)).toMatchObject({ status: "down", error: { message } });
  });

  it("retries if a message is lost", async () => {
    const { port, requests } = await serveTime((_request, count) => (count === 1 ? null : {}));
    expect(await check(port, {}, { timeoutMs: 400 })).toMatchObject({ status: "up" });
    expect(requests).toHaveLength(2);
  });

  it("ignores responses to other requests, and truncated ones", async () => {
    const time = endingTime();
    const { port } = await serveTime((_request, count) => {
      if (count === 2) time.runsOut();
      return count === 1 ? { origin: Buffer.alloc(8) } : { length: 47 };
    });
    expect(await check(port, {}, { timeoutMs: 200, signal: time.signal })).toMatchObject({
      status: "down",
      error: { kind: "timeout", message: "The time server did not answer" },
      silence: { of: "host", addresses: ["127.0.0.1"] },
    });
  });

  it("tries a host's next address if one does not respond", async () => {
    const { port } = await serveTime(() => ({}), "::1");
    const resolver = resolverOf({ "time.example": { addresses: ["127.0.0.1", "::1"] } });
    expect(await check(port, { host: "time.example" }, { resolver })).toMatchObject({ status: "up" });
  });

  it("is refused if nothing listens, and sends nothing to a blocked address", async () => {
    const { port } = await serveTime(() => ({}));
    closeServers();
    expect(await check(port)).toMatchObject({ error: { kind: "connect", message: "The connection was refused" } });
    expect(await check(123, { host: "169.254.169.254" })).toMatchObject({ error: { kind: "blocked" } });
  });
});
