import { setTimeout as sleep } from "node:timers/promises";

/** Readers of live events that come back, where they left off, whenever a stream ends. */
export interface StreamLoad {
  /** How often a stream ended and was opened again. */
  reconnected: number;
  /** Attempts to open one that were refused, in words. */
  failures: string[];
  readers: StreamReader[];
  /** Of each reader, how many of the events that any of them got it did not get. */
  missed(): number[];
  /** How many different events were received by any reader while all were there. */
  events(): number;
  stop(): Promise<void>;
}

interface StreamReader {
  /** Its events by id, each with the time at which it arrived. */
  received: Map<string, number>;
  /** The id that its first stream began after. */
  began: string;
  /** How often it had to fetch everything again, as one that was away too long has to. */
  resets: number;
}

/** As browsers wait before they come back; the server's own `retry:` is of that order. */
const pauseMs = 500;
/** Gateways write to their streams every 80 ms, each at its own moments: one ends a little ahead of another. */
const settleMs = 2000;

export function startStreams(url: string, token: string, readers: number): StreamLoad {
  const stopping = new AbortController();
  let stoppedMs = Number.POSITIVE_INFINITY;
  /** What every reader had to get: later than where the last of them began, and some time before they were stopped. */
  const due = () => {
    const from = Math.max(...load.readers.map(({ began }) => sequenceOf(began)));
    const all = load.readers.flatMap(({ received }) => [...received]);
    return new Set(all.flatMap(([id, atMs]) => (sequenceOf(id) > from && atMs < stoppedMs - settleMs ? [id] : [])));
  };
  const load: StreamLoad = {
    reconnected: 0,
    failures: [],
    readers: Array.from({ length: readers }, () => ({ received: new Map<string, number>(), began: "", resets: 0 })),
    missed: () => load.readers.map(({ received }) => [...due()].filter((id) => !received.has(id)).length),
    events: () => due().size,
    stop: async () => {
      stoppedMs = performance.now();
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
          for await (const { event, id } of framesOf(response.body)) {
            if (id !== undefined) lastId = id;
            if (event === "reset") reader.resets++;
            else if (event !== undefined && id !== undefined) reader.received.set(id, performance.now());
            // An id alone says where a stream begins; the event of that id may have had no frame.
            else if (id !== undefined) reader.began ||= id;
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

const sequenceOf = (id: string): number => Number(id.split("-")[1] ?? 0);

/** The frames of a stream, without comments. */
async function* framesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<{ event?: string; id?: string }> {
  let rest = "";
  for await (const text of body.pipeThrough(new TextDecoderStream() as never) as unknown as AsyncIterable<string>) {
    const frames = (rest + text).split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      yield Object.fromEntries(frame.split("\n").map((line) => [line.split(":", 1)[0], line.replace(/^\w*: ?/, "")]));
    }
  }
}
