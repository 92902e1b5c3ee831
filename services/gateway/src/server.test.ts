import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { startTestApp } from "./testing/test-app.ts";

async function raw(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.on("data", (chunk) => (answer += chunk.toString()));
  socket.write(text);
  await once(socket, "close");
  return answer;
}

test.each([
  ["what is no HTTP", "nonsense\r\n\r\n", 400, "invalid"],
  [
    "headers beyond 16 KiB",
    `GET /api/config HTTP/1.1\r\nHost: x\r\nX-Much: ${"x".repeat(20_000)}\r\n\r\n`,
    413,
    "too_large",
  ],
  [
    "two lengths of one body",
    "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    400,
    "invalid",
  ],
  [
    "a length beside chunks",
    "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    400,
    "invalid",
  ],
])("%s gets an envelope, and the connection is closed", async (_name, text, status, code) => {
  const app = await startTestApp();
  const answer = await raw(app.port, text);
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(answer).toMatch(/\r\nX-Request-Id: [\w-]{36}\r\n/);
  expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ success: false, code });
  await app.stop();
});

test("a drain accepts no new connection, finishes requests in progress, and ends streams", async () => {
  const app = await startTestApp();
  app.hub.begin({ createdMs: 1, sequence: 0 });
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  app.fakes.refuse("listLocations", () => held as Promise<never>);
  const underway = app.ask("GET", "/api/locations", { as: "user" });
  const stream = await fetch(`${app.url}/api/events`, {
    headers: { authorization: "Bearer token-of-the-ordinary-user-ugo" },
  });
  while (app.fakes.calls.length === 0) await sleep(5);

  app.hub.close();
  const drained = app.http.drain(5000);
  expect(await stream.text()).toContain(": open");
  await expect(fetch(`${app.url}/api/config`)).rejects.toThrow("fetch failed");
  release();
  expect((await underway).status).toBe(200);
  await drained;
});
