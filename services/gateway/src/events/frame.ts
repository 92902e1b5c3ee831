/** A frame as the wire has it (HTML standard §9.2). JSON holds no line break, so `data` is one line. */
export function encodeFrame({ event, data }: { event: string; data: unknown }, id?: string): Buffer {
  return Buffer.from(`event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`);
}

/** An id alone: dispatches no event, but a client that reconnects resumes from it. */
export const encodeId = (id: string): Buffer => Buffer.from(`id: ${id}\n\n`);

export const heartbeat = Buffer.from(": heartbeat\n\n");
export const opening = Buffer.from(": open\nretry: 1000\n\n");
/** For a stream that made room for another of its user: ten minutes until its client should come back. */
export const comeBackLater = Buffer.from("retry: 600000\n\n");
