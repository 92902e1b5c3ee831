import { setTimeout as sleep } from "node:timers/promises";

/** Readers of live events that come back, where they left off, whenever a stream ends. */
export interface StreamLoad {
  /** How often a stream ended and was opened again. */
  reconnected: number;
  /** Attempts to open one that were refused, in words. */
  failures: string[];
  /** Of each reader: the ids of its events, and how often it had to fetch everything again, as one that was away too long has to. */
  readers: { heard: Set<string>; resets: number }[];
  stop(): Promise<void>;
}

/** As browsers wait before they come back; the server's own `retry:` is of that order. */
const pauseMs = 500;

export function startStreams(url: string, token: string, readers: number): StreamLoad {
  const stopping = new AbortController();
  const load: StreamLoad = {
    reconnected: 0,
    failures: [],
    readers: Array.from({ length: readers }, () => ({ heard: new Set<string>(), resets: 0 })),
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
    },
  };
  const read = async (reader: StreamLoad["readers"][number]) => {
    let lastId: string | undefined;
    while (!stopping.signal.aborted) {
      try {
        const headers = { authorization: `Bearer ${token}`, ...(lastId && { "last-event-id": lastId }) };
        const response = await fetch(`${url}/api/events`, { headers, signal: stopping.signal });
        if (response.status !== 200 || response.body === null) {
          load.failures.push(`${new Date().toISOString()} a stream was answered ${response.status}`);
          await response.body?.cancel();
        } else {
          for await (const [field, value] of fieldsOf(response.body)) {
            if (field === "id") reader.heard.add((lastId = value));
            else if (field === "event" && value === "reset") reader.resets++;
          }
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
  const loops = load.readers.map(read);
  return load;
}

/** The fields of a stream's events, by name. */
async function* fieldsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<[name: string, value: string]> {
  let rest = "";
  for await (const text of body.pipeThrough(new TextDecoderStream() as never) as unknown as AsyncIterable<string>) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const colon = line.indexOf(":");
      if (colon > 0) yield [line.slice(0, colon), line.slice(colon + 1).trim()];
    }
  }
}
