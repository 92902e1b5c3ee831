import { connect } from "node:net";

// Keeps connections busy with one request at a time each: requests.ts <port> <path> <token> <ms> <connections>
const [port, path, token, durationMs, connections] = process.argv.slice(2);
const request = `GET ${path} HTTP/1.1\r\nHost: sonde\r\nAuthorization: Bearer ${token}\r\n\r\n`;
let count = 0;
let isOver = false;

function drive(): Promise<void> {
  return new Promise((resolve, reject) => {
    let rest = "";
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(request));
    socket.on("error", reject).on("data", (chunk) => {
      rest += chunk.toString("latin1");
      for (let end = endOfAnswer(rest); end !== -1; end = endOfAnswer(rest)) {
        if (!rest.startsWith("HTTP/1.1 200 ")) return reject(new Error(rest.slice(0, 300)));
        rest = rest.slice(end);
        count += 1;
        if (isOver) {
          socket.destroy();
          return resolve();
        }
        socket.write(request);
      }
    });
  });
}

/** Where the first answer in the text ends; -1 while it has not all come. */
function endOfAnswer(text: string): number {
  const head = text.indexOf("\r\n\r\n");
  if (head === -1) return -1;
  const end = head + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
  return text.length < end ? -1 : end;
}

setTimeout(() => (isOver = true), Number(durationMs));
await Promise.all(Array.from({ length: Number(connections) }, drive));
process.send?.({ count }, () => process.exit(0));
