import { request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fakeSite } from "../testing/fake-site.ts";
import { startTestApp, type TestApp } from "../testing/test-app.ts";

const site = await fakeSite();
let app: TestApp;
beforeAll(async () => void (app = await startTestApp({ site })));
afterAll(() => app.stop());

/** Sends a path that no client library has normalised. */
function get(
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Record<string, unknown>; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    request({ port: app.port, host: "127.0.0.1", path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) });
      });
    })
      .on("error", reject)
      .end();
  });
}

describe("a page of the app", () => {
  test.each(["/", "/monitors", "/monitors/edit/12", "/status/config", "/agents", "/no/such/page"])(
    "%s is index.html, which is always revalidated",
    async (path) => {
      const answer = await get(path, { accept: "text/html,*/*;q=0.8" });
      expect([answer.status, answer.bytes.toString()]).toEqual([200, "<!doctype html><title>Sonde</title>"]);
      expect(answer.headers["cache-control"]).toBe("no-cache");
    },
  );

  test("is not sent to a client that wants JSON or an image", async () => {
    const wanted = ["application/json", "image/*"].map((accept) => get("/monitors", { accept }));
    expect((await Promise.all(wanted)).map(({ status }) => status)).toEqual([404, 404]);
  });

  test.each(["/agent/other", "/downloads/agent", "/healthz", "/API/monitors", "/api"])(
    "%s is not one",
    async (path) => {
      expect((await get(path, { accept: "text/html" })).status).toBe(404);
    },
  );
});

test("the command-line tool is served next to the agents' archives, and is revalidated", async () => {
  const answer = await get("/downloads/sonde.mjs");
  expect([answer.status, answer.bytes.toString()]).toEqual([200, "#!/usr/bin/env node\n"]);
  expect(answer.headers["content-type"]).toBe("text/javascript; charset=utf-8");
  expect(answer.headers["cache-control"]).toBe("no-cache");
});

test("the worker for notifications is a script for the whole app, and may only call Sonde", async () => {
  const { status, headers } = await get("/push-worker.js");
  expect([status, headers["content-type"]]).toEqual([200, "text/javascript; charset=utf-8"]);
  expect(headers["content-security-policy"]).toBe("default-src 'none'; connect-src 'self'");
  expect(headers["cache-control"]).toBe("no-cache");
});

describe("path traversal", () => {
  test.each([
    "/../secret.json",
    "/..%2fsecret.json",
    "/%2e%2e/secret.json",
    "/%2e%2e%2fsecret.json",
    "/%252e%252e/secret.json",
    "/assets/../../secret.json",
    "/assets/..%5c..%5csecret.json",
    "/..\\secret.json",
    "//secret.json",
    "/....//secret.json",
    "/%00",
    "/index.html%00.js",
    "/%c0%ae%c0%ae/secret.json",
    "/%zz",
    "/notes.bak",
  ])("with %s is rejected", async (path) => {
    const answer = await get(path, { accept: "text/html,*/*" });
    expect(answer.status).toBe(404);
    expect(answer.bytes.toString()).not.toContain("canary");
  });
});

describe("a file", () => {
  test("that is missing is 404, not the app", async () => {
    const missing = ["/assets/app-ffffffff.js", "/assets/none", "/robots.txt"].map((path) =>
      get(path, { accept: "*/*" }),
    );
    expect((await Promise.all(missing)).map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  test("with a hash in its name is immutable", async () => {
    const answer = await get("/assets/app-0a1b2c3d.js");
    expect(answer.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    expect(answer.headers["content-type"]).toBe("text/javascript; charset=utf-8");
  });

  test("is sent compressed if accepted, each encoding with its own ETag", async () => {
    const plain = await get("/assets/app-0a1b2c3d.js", { "accept-encoding": "identity" });
    const br = await get("/assets/app-0a1b2c3d.js", { "accept-encoding": "gzip, br" });
    const gz = await get("/assets/app-0a1b2c3d.js", { "accept-encoding": "gzip" });
    expect([br.headers["content-encoding"], gz.headers["content-encoding"]]).toEqual(["br", "gzip"]);
    expect(brotliDecompressSync(br.bytes)).toEqual(plain.bytes);
    expect(gunzipSync(gz.bytes)).toEqual(plain.bytes);
    expect(br.bytes.length).toBeLessThan(plain.bytes.length / 4);
    expect(new Set([plain, br, gz].map(({ headers }) => headers["etag"])).size).toBe(3);
    expect(br.headers["vary"]).toContain("Accept-Encoding");
  });

  test("without compressed forms is sent uncompressed", async () => {
    const answer = await get("/favicon.svg", { "accept-encoding": "gzip, br" });
    expect([answer.status, answer.headers["content-encoding"]]).toEqual([200, undefined]);
    expect(answer.bytes.toString()).toBe("<svg/>");
  });

  test.each(["/assets/app-0a1b2c3d.js.br", "/assets/app-0a1b2c3d.js.gz"])("%s cannot be requested", async (path) => {
    expect((await get(path, { accept: "*/*" })).status).toBe(404);
  });

  test("has the compressed length in the response to HEAD", async () => {
    const headers = { "accept-encoding": "br" };
    const { bytes } = await get("/assets/app-0a1b2c3d.js", headers);
    const head = await app.ask("HEAD", "/assets/app-0a1b2c3d.js", { headers });
    expect(Number(head.headers.get("content-length"))).toBe(bytes.length);
  });

  test("that the client has is not sent again", async () => {
    const first = await get("/favicon.svg");
    const again = await get("/favicon.svg", { "if-none-match": String(first.headers["etag"]) });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
  });

  test("allows only GET and HEAD", async () => {
    const answer = await app.ask("POST", "/", { body: {} });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    expect((await app.ask("HEAD", "/assets/app-0a1b2c3d.js")).status).toBe(200);
  });
});

test("without a built web app the API works, and pages are 404", async () => {
  const bare = await startTestApp();
  expect((await bare.ask("GET", "/", { headers: { accept: "text/html" } })).status).toBe(404);
  expect((await bare.ask("GET", "/api/config")).status).toBe(200);
  await bare.stop();
});
