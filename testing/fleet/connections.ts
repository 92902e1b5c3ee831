import type { AgentResponse, HttpClient, AgentRequest } from "@sonde/agent/http-client";
import { connect, type Socket } from "node:net";

type Asked = { bytes: Buffer; resolve: (answer: AgentResponse) => void; reject: (error: Error) => void };

const deadlineMs = 15_000;

/**
 * A pool of kept connections to one loopback port, with one request at a time on each. The most recently used
 * connection is reused first, like in Node's agent.
 * It writes HTTP by hand, because ten thousand agents share one process and must not cost more than what they measure.
 * Rejects in the same cases as the agent's own client.
 */
export function connections(port: number, max: number): HttpClient {
  const free: Socket[] = [];
  const queue: Asked[] = [];
  let open = 0;

  const next = () => {
    while (queue.length > 0) {
      const socket = free.pop();
      if (socket === undefined && open >= max) return;
      const asked = queue.shift() as Asked;
      if (socket === undefined) dial(asked);
      else talk(socket, asked);
    }
  };
  const dial = (asked: Asked) => {
    open++;
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    // Every request already sees the error by `close`.
    socket.on("error", () => {});
    socket.on("close", () => {
      open--;
      const at = free.indexOf(socket);
      if (at !== -1) free.splice(at, 1);
      next();
    });
    talk(socket, asked);
  };
  const talk = (socket: Socket, { bytes, resolve, reject }: Asked) => {
    let received = "";
    const end = () => {
      clearTimeout(timer);
      socket.off("data", onData).off("close", onClose);
    };
    const fail = (text: string) => {
      end();
      socket.destroy();
      reject(new Error(text));
    };
    const onClose = () => fail("the connection broke");
    const onData = (chunk: Buffer) => {
      received += chunk.toString("latin1");
      const answer = readAnswer(received);
      if (answer === null) return;
      end();
      free.push(socket);
      resolve(answer);
      next();
    };
    const timer = setTimeout(() => fail(`no answer within ${deadlineMs / 1000} s`), deadlineMs);
    socket.on("data", onData).on("close", onClose);
    socket.write(bytes);
  };

  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        queue.push({ bytes: written(request), resolve, reject });
        next();
      }),
    close: () => free.forEach((socket) => socket.destroy()),
  };
}

function written({ method, path, headers, body = new Uint8Array() }: AgentRequest): Buffer {
  const lines = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join("")}content-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), body]);
}

/** Parses a response with a content length. `null` if it is incomplete. */
function readAnswer(text: string): AgentResponse | null {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return null;
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const length = Number(headers["content-length"]);
  if (Number.isNaN(length)) throw new Error(`an answer without a length: ${first}`);
  if (text.length < end + 4 + length) return null;
  return { status: Number(first.split(" ")[1]), headers, body: text.slice(end + 4, end + 4 + length) };
}
