import type { Socket } from "node:net";

/** Chunks and lines count because each costs time, however small. */
export interface SocketLimits {
  maxBytes?: number;
  maxChunks?: number;
  maxLines?: number;
  /** Includes TLS records and data that Node reads without events (HTTP/2). */
  maxWireBytes?: number;
}

export class TooMuchReceived extends Error {}

/** Returns the bytes to pass on. Throwing closes the connection. */
export type ChunkReader = (chunk: Buffer) => Iterable<Buffer>;

const wireCheckMs = 50;

/**
 * Guards a socket before a library receives it: a listener that throws would end the process, and an endless peer would
 * keep it busy. Either closes the connection and calls `onFault` once; later data is dropped.
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

function countLines(chunk: Buffer, max: number): number {
  let count = 0;
  for (let at = chunk.indexOf(10); at !== -1 && count <= max; at = chunk.indexOf(10, at + 1)) count++;
  return count;
}
