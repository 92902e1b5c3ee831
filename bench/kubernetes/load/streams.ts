import { setTimeout as sleep } from "node:timers/promises";

/** Readers of live events that come back, where they left off, whenever a stream ends. */
export interface StreamLoad {
  /** How often a stream ended and was opened again. */
  reconnected: number;
  /** Attempts to open one that were refused, in words. */
  failures: string[];
  /** Ids of events, of each reader. */
  heard: Set<string>[];
  stop(): Promise<void>;
}

/** As browsers wait before they come back; the server's own `retry:` is of that order. */
const pauseMs = 500;

export function startStreams(url: string, token: string, readers: number): StreamLoad {
  const stopping = new AbortController();
  const load: StreamLoad = {
    reconnected: 0,
    failures: [],
    heard: Array.from({ length: readers }, () => new Set<string>()),
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
    },
  };
  const read = async (heard: Set<string>) => {
    let lastId: string | undefined;
    while (!stopping.signal.aborted) {
      try {
        const headers = { authorization: `Bearer ${token}`, ...(lastId && { "last-event-id": lastId }) };
        const response = await fetch(`${url}/api/events`, { headers, signal: stopping.signal });
        if (response.status !== 200 || response.body === null) {
          load.failures.push(`${new Date().toISOString()} a stream was answered ${response.status}`);
          await response.body?.cancel();
        } else {
          for await (const id of idsOf(response.body)) heard.add((lastId = id));
        }
      } catch (fault) {
        if (stopping.signal.aborted) return;
        const { code } = ((fault as Error).cause ?? {}) as { code?: string };
        // An open stream that breaks is what reconnecting is for; one that cannot be opened is a failure.
        if (code === "ECONNREFUSED" || code === "UND_ERR_CONNECT_TIMEOUT") {
          load.failures.push(`${new Date().toISOString()} a stream could not be opened: ${code}`);
        }
      }
      load.reconnected++;
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const loops = load.heard.map(read);
  return load;
}

/** The ids of a stream's events, whose data are of no interest here. */
async function* idsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of body.pipeThrough(new TextDecoderStream() as never) as unknown as AsyncIterable<string>) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("id:")) yield line.slice(3).trim();
  }
}
