import { connectBus } from "@sonde/kit/bus/connect";
import { silentLog } from "@sonde/kit/service/log";
import { streams } from "@sonde/proto/streams";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { makeStreams } from "./streams.ts";
import { startNats } from "@sonde/embedded/nats";

const none = { name: "test", log: silentLog, streams: [], buckets: [] };

test("creates the streams without a warning", async () => {
  const nats = await startNats();

  expect(await makeStreams(nats.url)).toBeUndefined();

  const bus = await connectBus({ ...none, url: nats.url });
  expect((await bus.jsm.streams.info(streams.results.name)).config.name).toBe(streams.results.name);
  await bus.close();
  await nats.stop();
});

test("an existing stream accepts results of the previous version and of each location", async () => {
  const nats = await startNats();
  const bus = await connectBus({ ...none, url: nats.url });
  await bus.jsm.streams.add({ name: streams.results.name, subjects: ["results.*"] });
  await bus.js.publish("results.1", "unread");

  await makeStreams(nats.url);

  await bus.js.publish("results.1", "from a runner of the previous version");
  await bus.js.publish("results.1.eu1", "from one of this version");
  expect((await bus.jsm.streams.info(streams.results.name)).state.messages).toBe(3);
  await bus.close();
  await nats.stop();
});

test.each(["an unresponsive server", "no server"])("npm run nats:streams gives up with %s", async (what) => {
  const mute = createServer((socket) => socket.resume().on("error", () => {}));
  await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
  const { port } = mute.address() as AddressInfo;
  if (what === "no server") mute.close();
  const program = join(import.meta.dirname, "../embedded/make-nats-streams.ts");

  const child = spawn(process.execPath, [program, `nats://127.0.0.1:${port}`, "1"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);

  expect([code, errors]).toEqual([1, expect.stringContaining("NATS did not respond to stream requests for 1 s.")]);
  mute.close();
});

test("returns a warning if the server does not respond", async () => {
  const connected = Promise.withResolvers<Socket>();
  const mute = createServer((socket) => connected.resolve(socket.resume().on("error", () => {})));
  await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));

  expect(await makeStreams(`nats://127.0.0.1:${(mute.address() as AddressInfo).port}`, 500)).toBe(
    "NATS did not respond to stream requests for 0.5 s: streams keep their current limits.",
  );
  (await connected.promise).destroy();
  mute.close();
});
