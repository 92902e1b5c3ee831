import { connect } from "node:net";

export type Load = { port: number; connections: number; durationMs: number; request: () => string };

/** Sends one request at a time on each connection, and counts responses by status. */
export async function keepBusy({ port, connections, durationMs, request }: Load): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  let isOver = false;
  const timer = setTimeout(() => (isOver = true), durationMs);
  await Promise.all(Array.from({ length: connections }, () => drive(port, request, count)));
  clearTimeout(timer);
  return counts;

  /** Returns whether to continue. */
  function count(status: number): boolean {
    counts[status] = (counts[status] ?? 0) + 1;
    return !isOver;
  }
}

function drive(port: number, request: () => string, count: (status: number) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let rest = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(request()));
    socket.on("error", reject).on("data", (chunk) => {
      rest += chunk.toString("latin1");
      for (let end = endOfAnswer(rest); end !== -1; end = endOfAnswer(rest)) {
        const goOn = count(Number(rest.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length)));
        rest = rest.slice(end);
        if (!goOn) {
          socket.destroy();
          return resolve();
        }
        socket.write(request());
      }
    });
  });
}

/** End of the first response in the text, or -1 if it is incomplete. */
function endOfAnswer(text: string): number {
  const head = text.indexOf("\r\n\r\n");
  if (head === -1) return -1;
  const end = head + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
  return text.length < end ? -1 : end;
}
