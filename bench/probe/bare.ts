/** The yardstick of P1, a process of its own: bare `http.request` over fresh connections, a thousand a second. */
import { request } from "node:http";

const port = Number(process.argv[2]);
const [atOnce, everyMs, count] = [20, 20, 15_000];

function once(id: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path: `/ok/${id}`, agent: false }, (response) => {
      response.resume();
      response.on("end", resolve);
    });
    sent.on("error", reject);
    sent.end();
  });
}

const before = process.cpuUsage();
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
const { user, system } = process.cpuUsage(before);
process.send?.((user + system) / 1000 / running.length);
process.disconnect?.();
