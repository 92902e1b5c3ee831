import { registry } from "@sonde/kit/telemetry/metrics";
import { afterEach, expect, test } from "vitest";
import { request } from "node:http";
import { fakePublicPage, fakeView } from "../testing/fake-public-page.ts";
import { fakeSnapshot, fakeStates } from "../testing/fake-status-page.ts";
import { startTestApp, type TestApp, testConfig } from "../testing/test-app.ts";

let app: TestApp;
afterEach(() => app.stop());

type Plain = { status: number; headers: Record<string, unknown>; first: string | undefined; text: string };
const ask = (path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Plain> =>
  new Promise((resolve, reject) => {
    request({ port: app.port, host: "127.0.0.1", path, method, headers }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
      const { statusCode: status = 0, headers: received, rawHeaders } = response;
      response.on("end", () => resolve({ status, headers: received, first: rawHeaders[0], text }));
    })
      .on("error", reject)
      .end();
  });

/** The quick way begins an answer with the headers that every answer carries; the long way adds them last. */
const isQuick = ({ first }: Plain) => first === "Content-Security-Policy";
const comparable = ({ status, headers, text }: Plain) => {
  const { date: _date, "x-request-id": _id, ...rest } = headers;
  return [status, text, rest];
};

const monitors = Array.from({ length: 30 }, (_, id) => ({ ...fakeSnapshot.monitors[0]!, id: id + 1 }));
const embedOrigins = ["https://shop.example"];
const snapshot = { ...fakeSnapshot, monitors, page: { ...fakeSnapshot.page, embedOrigins, searchable: false } };

async function start(publicUrl: string | null = null) {
  const view = fakeView();
  await view.tell({ snapshot, states: fakeStates });
  app = await startTestApp({ status: await fakePublicPage({ view }), config: { ...testConfig, publicUrl } });
  return view;
}

test.each(["/status", "/status/embed", "/api/status"])(
  "%s is answered the quick way as it is the long way, from its second time on",
  async (path) => {
    await start("https://127.0.0.1");
    for (const accepted of ["", "gzip, deflate, br", "gzip"]) {
      const headers = { "accept-encoding": accepted };
      const [first, second] = [await ask(path, headers), await ask(path, headers)];
      expect(isQuick(second)).toBe(true);
      expect(comparable(second)).toEqual(comparable(first));
      expect(second.headers["x-request-id"]).not.toBe(first.headers["x-request-id"]);
      const tag = { ...headers, "if-none-match": `W/${String(second.headers["etag"])}, "other"` };
      const held = await ask(path, tag);
      expect([held.status, held.text, isQuick(held), held.headers["etag"]]).toEqual([
        304,
        "",
        true,
        second.headers["etag"],
      ]);
      const head = await ask(path, headers, "HEAD");
      expect([head.status, head.text, head.headers["content-length"]]).toEqual([
        200,
        "",
        second.headers["content-length"],
      ]);
    }
  },
);

test("what changed is made anew the long way", async () => {
  const view = await start();
  await ask("/api/status");
  expect(isQuick(await ask("/api/status"))).toBe(true);
  await view.tell({ states: { ...fakeStates, revision: 2, monitors: { 1: { status: "down", sinceMs: 1 } } } });
  const answer = await ask("/api/status");
  expect(isQuick(answer)).toBe(false);
  expect(JSON.parse(answer.text)).toMatchObject({ status: { state: "down" } });
});

test("a foreign host is refused though the bytes are ready", async () => {
  await start("https://status.example.com");
  await ask("/api/status");
  const answer = await ask("/api/status", { host: "evil.example" });
  expect(answer.status).toBe(421);
});

test("requests that are answered so are counted", async () => {
  const counted = async () => {
    const [, count = "0"] =
      /sonde_http_request_seconds_count\{method="GET",route="status",status="200"\} (\d+)/.exec(
        await registry.metrics(),
      ) ?? [];
    return Number(count);
  };
  await start();
  await ask("/status");
  const before = await counted();
  expect(isQuick(await ask("/status"))).toBe(true);
  expect(isQuick(await ask("/status"))).toBe(true);
  expect(await counted()).toBeGreaterThanOrEqual(before + 2);
});
