import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { type StandIn, startHttpStandIn } from "./stand-in.ts";

let standIn: StandIn<"gotify", "gone"> | undefined;
afterEach(() => standIn?.stop());

async function start(enforceLimits = false) {
  standIn = await startHttpStandIn(
    {
      type: "gotify",
      config: (serverUrl) => ({ serverUrl, token: "T" }),
      answer: (request, accept) => {
        if (request.json === undefined) return { status: 400, body: "not JSON" };
        accept();
        return { status: 200, body: { id: 1 } };
      },
      throttle: { status: 429, headers: { "retry-after": "7" }, body: "slow down" },
      named: { gone: { status: 410, body: "gone" } },
      limits: [{ key: ({ path }) => path, requests: 2, perMs: 60_000 }],
    },
    { enforceLimits },
  );
  return standIn;
}

const post = (url: string, body = "{}") => fetch(url, { method: "POST", body });

test("responds by its rules, and records requests and accepted ones", async () => {
  const { url, requests, accepted } = await start();
  expect((await post(`${url}/message?a=1`, '{"x":"é"}')).status).toBe(200);
  expect((await post(url, "no")).status).toBe(400);
  expect(requests).toHaveLength(2);
  expect(accepted).toEqual([requests[0]]);
  expect(accepted[0]).toMatchObject({ method: "POST", path: "/message?a=1", json: { x: "é" } });
  expect(accepted[0]?.query.get("a")).toBe("1");
});

test("sends scripted responses, then follows its rules again", async () => {
  const { url, answerNext, accepted } = await start();
  answerNext("throttle", "gone", "garbage", { status: 503, body: { error: "busy" } });
  const statuses = [];
  for (let index = 0; index < 5; index += 1) statuses.push((await post(url)).status);
  expect(statuses).toEqual([429, 410, 200, 503, 200]);
  expect(accepted).toHaveLength(1);
});

test("can close the connection before it reads the request, or after it handled it", async () => {
  const { url, answerNext, requests, accepted } = await start();
  answerNext("reset", "drop");
  await expect(post(url)).rejects.toThrow();
  expect([requests.length, accepted.length]).toEqual([0, 0]);
  await expect(post(url)).rejects.toThrow();
  expect([requests.length, accepted.length]).toEqual([1, 1]);
});

test("can leave a request without a response, and still stops", async () => {
  const { url, answerNext, next, stop } = await start();
  answerNext("hang");
  const read = next();
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}");
  expect((await read).text).toBe("{}");
  socket.resume();
  await Promise.all([once(socket, "close"), stop()]);
});

test("throttles beyond its limits if enabled, each key separately", async () => {
  const { url, accepted } = await start(true);
  const statuses = [];
  for (const path of ["/a", "/a", "/a", "/b"]) statuses.push((await post(url + path)).status);
  expect(statuses).toEqual([200, 200, 429, 200]);
  expect(accepted).toHaveLength(3);
});
