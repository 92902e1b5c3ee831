import { setTimeout as sleep } from "node:timers/promises";

/** Readers of live events that resume after the last received id when a stream ends. */
export interface StreamLoad {
  reconnected: number;
  failures: string[];
  readers: StreamReader[];
  /** For each reader, the number of events that another reader received and it did not. */
  missed(): number[];
  /** Number of distinct events received while all readers were running. */
  events(): number;
  stop(): Promise<void>;
}

interface StreamReader {
  /** Arrival times of events, by id. */
  received: Map<string, number>;
  /** The id at which the first stream began. */
  began: string;
  /** How often the reader had to refetch everything, as after a long absence. */
  resets: number;
}

/** Browsers wait about as long, and so does the server's `retry:` field. */
const pauseMs = 500;
/** Gateways write to their streams every 80 ms, each on its own schedule, so one stream may end ahead of another. */
const settleMs = 2000;

export function startStreams(url: string, token: string, readers: number): StreamLoad {
  const stopping = new AbortController();
  let stoppedMs = Number.POSITIVE_INFINITY;
  /** Events that every reader must have received: after the last reader began, and well before the stop. */
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
          load.failures.push(`${new Date().toISOString()} a stream returned ${response.status}`);
          await response.body?.cancel();
        } else {
          for await (const { event, id } of framesOf(response.body)) {
            if (id !== undefined) lastId = id;
            if (event === "reset") reader.resets++;
            else if (event !== undefined && id !== undefined) reader.received.set(id, performance.now());
            // A frame with only an id marks where the stream begins. The event of that id may have had no frame.
            else if (id !== undefined) reader.began ||= id;
          }
        }
      } catch (error) {
        if (stopping.signal.aborted) return;
        const { code } = ((error as Error).cause ?? {}) as { code?: string };
        // A broken stream is expected and reopened. A stream that cannot be opened is a failure.
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
