import type { Socket } from "node:net";

/** How much a peer may send. Chunks and lines count because each costs time, however few bytes it has. */
export interface SocketLimits {
  maxBytes?: number;
  maxChunks?: number;
  /** For protocols made of lines. */
  maxLines?: number;
  /** On the wire, which includes TLS records and what Node reads without events (HTTP/2). */
  maxWireBytes?: number;
}

/** The peer sent more than `SocketLimits` allow. */
export class TooMuchReceived extends Error {}

/** Passes on received bytes: all of them, or only what it has validated. What it throws ends the connection. */
export type ChunkReader = (chunk: Buffer) => Iterable<Buffer>;

const wireCheckMs = 50;

/**
 * Guards a socket before a library gets it. A library's listener that throws would end the process, and a peer that
 * never stops would keep it busy: either closes the connection and calls `onFault` once. Data that arrives after that is
 * dropped.
 */
export function guardSocket(
  socket: Socket,
  { maxBytes = Infinity, maxChunks = Infinity, maxLines = Infinity, maxWireBytes }: SocketLimits,
  onFault: (error: unknown) => void,
): { readBy(reader: ChunkReader): void } {
  const emit = socket.emit.bind(socket) as (...event: unknown[]) => boolean;
  let read: ChunkReader = (chunk) => [chunk];
  let [bytes, chunks, lines] = [0, 0, 0];
  let isFaulty = false;

  const fail = (error: unknown) => {
    if (isFaulty) return;
    isFaulty = true;
    onFault(error);
    socket.destroy();
  };
  const receive = (chunk: Buffer) => {
    bytes += chunk.length;
    chunks++;
    if (maxLines !== Infinity) lines += countLines(chunk, maxLines - lines);
    if (bytes > maxBytes || chunks > maxChunks || lines > maxLines) throw new TooMuchReceived();
    for (const piece of read(chunk)) if (!isFaulty) emit("data", piece);
  };
  socket.emit = (name: string | symbol, ...values: unknown[]) => {
    if (name === "data" && isFaulty) return false;
    try {
      if (name !== "data") return emit(name, ...values);
      receive(values[0] as Buffer);
    } catch (error) {
      fail(error);
    }
    return true;
  };
  if (maxWireBytes !== undefined) {
    const timer = setInterval(() => {
      if (socket.bytesRead > maxWireBytes) fail(new TooMuchReceived());
    }, wireCheckMs).unref();
    socket.once("close", () => clearInterval(timer));
  }
  return { readBy: (reader) => void (read = reader) };
}

/** Stops counting beyond `max`. */
function countLines(chunk: Buffer, max: number): number {
  let count = 0;
  for (let at = chunk.indexOf(10); at !== -1 && count <= max; at = chunk.indexOf(10, at + 1)) count++;
  return count;
}
