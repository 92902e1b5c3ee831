/**
 * The baseline, in its own process. `bare.ts <port>` opens 1,000 bare `http.request`s a second on fresh connections, 20
 * at a time. `bare.ts <port> <ca.pem>` opens 100 TLS connections a second with a verified handshake, 5 at a time. Sends
 * its parent the CPU milliseconds of one.
 */
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { connect, createSecureContext } from "node:tls";

const port = Number(process.argv[2]);
const caFile = process.argv[3];
const [atOnce, everyMs, count] = caFile === undefined ? [20, 20, 15_000] : [5, 50, 1500];

function plain(id: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path: `/ok/${id}`, agent: false }, (response) => {
      response.resume();
      response.on("end", resolve);
    });
    sent.on("error", reject);
    sent.end();
  });
}

// The roots are read only once: the measurement is about the handshake, without session resumption.
function secure(ca: string): (id: number) => Promise<void> {
  const secureContext = createSecureContext({ ca });
  return (id) =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: "127.0.0.1", port, servername: "", secureContext }, () =>
        socket.write(`GET /ok/${id} HTTP/1.1\r\nHost: bench\r\n\r\n`),
      );
      socket.on("error", reject);
      socket.on("end", resolve);
      socket.resume();
    });
}

const once = caFile === undefined ? plain : secure(readFileSync(caFile, "utf8"));

/** Opens `atOnce` connections every `everyMs` until there were `count`. */
async function open(atOnce: number, everyMs: number, count: number): Promise<void> {
  const running: Promise<void>[] = [];
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      for (let index = 0; index < atOnce; index++) running.push(once(running.length));
      if (running.length < count) return;
      clearInterval(timer);
      resolve();
    }, everyMs);
  });
  await Promise.all(running);
}

const before = process.cpuUsage();
await open(atOnce, everyMs, count);
const { user, system } = process.cpuUsage(before);
process.send?.((user + system) / 1000 / count);
process.disconnect?.();
