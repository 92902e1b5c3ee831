import { connect } from "node:net";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../testing/test-app.ts";
import { readJsonBody } from "./body.ts";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { AppError } from "@sonde/kit/errors";

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
afterAll(() => app.stop());

const mebibyte = 2 ** 20;

/** Sends bytes unchanged, and returns the whole response. */
async function raw(...parts: (string | Buffer)[]): Promise<string> {
  const socket = connect(app.port, "127.0.0.1");
  let answer = "";
  socket.on("data", (chunk) => (answer += chunk.toString()));
  for (const part of parts) socket.write(part);
  socket.end();
  await once(socket, "close");
  return answer;
}

describe("a body over 1 MiB", () => {
  test("is rejected by its Content-Length, before any byte arrives", async () => {
    const answer = await raw(
      "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n",
      `Content-Length: ${mebibyte + 1}\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"code":"too_large"');
  });

  test("is rejected while counting, and the sender gets the response", async () => {
    const chunk = Buffer.alloc(300_000, 0x20);
    const framed = Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")]);
    const head = "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
    const answer = await raw(`${head}Transfer-Encoding: chunked\r\n\r\n`, framed, framed, framed, framed, "0\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  test("is answered even if the sender sends everything first", async () => {
    const answer = await app.ask("POST", "/api/auth/login", {
      body: JSON.stringify({ username: "x".repeat(3 * mebibyte) }),
    });
    expect(answer.status).toBe(413);
    expect(answer.body["message"]).toBe("The body is too large (maximum 1 MiB)");
  });

  test("is not requested if the sender waits for 100-continue", async () => {
    const head = `POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n`;
    expect(await raw(`${head}Content-Length: ${mebibyte + 1}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 /);
    expect(await raw(`${head}Content-Length: 2\r\n\r\n`, "{}")).toMatch(
      /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /,
    );
  });

  test("is read at exactly 1 MiB", async () => {
    const start = '{"username":"ugo","password":"right"';
    const answer = await app.ask("POST", "/api/auth/login", { body: `${start.padEnd(mebibyte - 1, " ")}}` });
    expect(answer.status).toBe(200);
  });
});

describe("a body", () => {
  test.each([
    ["{", "The body is not valid JSON"],
    ["[1]", "The body must be a JSON object"],
    ["null", "The body must be a JSON object"],
    ['"text"', "The body must be a JSON object"],
    ["[".repeat(500_000), "The body is not valid JSON"],
  ])("like %.20s is rejected", async (body, message) => {
    const answer = await app.ask("POST", "/api/auth/login", { body });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ success: false, code: "invalid", message });
  });

  test("of another content type is rejected", async () => {
    const headers = { "content-type": "text/plain" };
    const answer = await app.ask("POST", "/api/auth/login", { body: "{}", headers });
    expect(answer.body).toMatchObject({ code: "invalid", message: "The content type must be application/json" });
  });

  test("that is compressed is rejected", async () => {
    const answer = await app.ask("POST", "/api/auth/login", { body: "{}", headers: { "content-encoding": "gzip" } });
    expect(answer.body["message"]).toBe("Compressed bodies are not accepted");
  });

  test("with invalid UTF-8 is rejected", async () => {
    const head =
      "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 6\r\n\r\n";
    const answer = await raw(head, Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]));
    expect(answer).toContain("The body is not valid JSON");
  });

  test("with NUL in a text is rejected with its path: PostgreSQL cannot store it", async () => {
    const body = { name: "a", url: "https://example.com", headers: [{ name: "a", value: "b\0c" }] };
    const answer = await app.ask("POST", "/api/monitors", { as: "user", body });
    expect(answer.status).toBe(400);
    expect(answer.body["errors"]).toMatchObject([{ path: "headers.0.value" }]);
  });

  test("with a lone surrogate is rejected with its path: UTF-8 cannot encode it", async () => {
    const body = '{"username":"a\\uD800b","password":"\\ud83d\\ude80 is a whole one"}';
    const answer = await app.ask("POST", "/api/auth/login", { body });
    expect(answer.status).toBe(400);
    expect(answer.body["errors"]).toEqual([{ path: "username", message: "This value is not valid" }]);
  });

  test("that is missing reports the missing fields", async () => {
    const answer = await app.ask("POST", "/api/auth/login");
    expect(answer.body["errors"]).toMatchObject([{ path: "username" }, { path: "password" }]);
  });

  test("of a hundred thousand fields is rejected without listing each", async () => {
    const crowd = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`f${index}`, 0]));
    const flat = await app.ask("POST", "/api/auth/login", { body: crowd });
    const nested = await app.ask("POST", "/api/auth/login", { body: { username: [crowd] } });
    const errors = [flat, nested].map(({ status, body }) => [status, body["errors"]]);
    const message = "Too many entries (maximum 200)";
    expect(errors).toEqual([
      [400, [{ path: "", message }]],
      [400, [{ path: "username.0", message }]],
    ]);
  });

  test("is not read without a login", async () => {
    const answer = await app.ask("POST", "/api/monitors", { body: "{ not json" });
    expect(answer.status).toBe(401);
  });

  test("that does not arrive is rejected after a deadline", async () => {
    const server = createServer((request, response) => {
      readJsonBody(request, response, { maxBytes: 100, deadlineMs: 50 }).catch((error: unknown) => {
        response.end(error instanceof AppError ? error.message : "another error");
      });
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{");
    const [chunk] = (await once(socket, "data")) as [Buffer];
    expect(chunk.toString()).toContain("The body did not arrive in time");
    socket.destroy();
    server.close();
  });
});
