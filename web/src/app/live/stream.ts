import { apiBase } from "../api.ts";
import { type LiveEvent, dispatchLive } from "./events.ts";
import type { LiveStatus } from "../store.ts";

type StreamOptions = {
  token: string;
  signal: AbortSignal;
  /** Where to resume; asked for again at each connection, because events may have come by another tab. */
  lastEventId: () => string | null;
  onEvents: (events: LiveEvent[]) => void;
  /** An id to resume from, without an event. */
  onId: (id: string) => void;
  onStatus: (status: LiveStatus) => void;
  onRefused: () => void;
};

type Message =
  | { kind: "events"; events: LiveEvent[] }
  | { kind: "id"; id: string }
  | { kind: "status"; status: LiveStatus }
  | { kind: "hello" };

type LiveOptions = Pick<StreamOptions, "token" | "onStatus" | "onRefused">;

/**
 * Starts live events for a session; answers the function that stops them. One tab, the holder of a Web Lock, keeps the
 * stream and passes everything on; when it closes, the lock and with it the stream go to the next tab. Where a browser
 * has no locks (plain HTTP beyond loopback) each tab holds a stream of its own.
 */
export function startLiveStream({ token, onStatus, onRefused }: LiveOptions): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const channel = "locks" in navigator && "BroadcastChannel" in globalThis ? new BroadcastChannel("sonde-live") : null;
  let lastEventId: string | null = null;
  let holdsStream = false;
  let status: LiveStatus = "connecting";

  function take(message: Message) {
    if (message.kind === "events") {
      for (const event of message.events) lastEventId = event.id ?? lastEventId;
      dispatchLive(message.events);
    } else if (message.kind === "id") lastEventId = message.id;
    else if (message.kind === "status") onStatus((status = message.status));
    else if (holdsStream) post({ kind: "status", status });
  }
  function post(message: Message) {
    if (!signal.aborted) channel?.postMessage(message);
  }
  function share(message: Message) {
    take(message);
    post(message);
  }
  function hold() {
    holdsStream = true;
    return holdStream({
      token,
      signal,
      onRefused,
      lastEventId: () => lastEventId,
      onEvents: (events) => share({ kind: "events", events }),
      onId: (id) => share({ kind: "id", id }),
      onStatus: (next) => share({ kind: "status", status: next }),
    });
  }

  onStatus(status);
  if (channel === null) void hold();
  else {
    channel.addEventListener("message", ({ data }: MessageEvent<Message>) => {
      if (!signal.aborted) take(data);
    });
    post({ kind: "hello" });
    navigator.locks.request("sonde-live", { signal }, hold).catch(() => undefined);
  }
  return () => {
    stop.abort();
    channel?.close();
  };
}

const firstWaitMs = 500;
const maxWaitMs = 15_000;
/** The longest wait that a server may ask for. */
const maxRetryMs = 3_600_000;
/** Longer than the server's heartbeat: silence beyond it is a dead connection that was not reported. */
const silenceMs = 60_000;
const batchMs = 80;

/**
 * Holds /api/events open until `signal` aborts, and comes back with growing waits whenever it breaks; later where the
 * stream asked for that, since a user has too many of them.
 */
export async function holdStream(options: StreamOptions): Promise<void> {
  const { signal, onStatus, onEvents } = options;
  let waitMs = firstWaitMs;
  let retryMs = 0;
  let wasConnected = false;
  while (!signal.aborted) {
    const onRetry = (askedMs: number) => void (retryMs = Math.min(maxRetryMs, askedMs));
    const outcome = await readOnce(options, onRetry, () => {
      waitMs = firstWaitMs;
      onStatus("connected");
      // Live figures cannot be resumed: after a gap everything on screen is fetched again.
      if (wasConnected) onEvents([{ name: "reset", data: null, id: null }]);
      wasConnected = true;
    });
    if (signal.aborted) return;
    if (outcome === "refused") return options.onRefused();
    onStatus("lost");
    const nextMs = Math.max(waitMs, retryMs);
    retryMs = 0;
    await pause(nextMs * (0.75 + Math.random() / 2), signal);
    waitMs = Math.min(maxWaitMs, waitMs * 2);
  }
}

async function readOnce(
  options: StreamOptions,
  onRetry: (askedMs: number) => void,
  onOpen: () => void,
): Promise<"refused" | "broken"> {
  const attempt = new AbortController();
  const signal = AbortSignal.any([options.signal, attempt.signal]);
  let watchdog = setTimeout(() => attempt.abort(), silenceMs);
  const batch = createBatch(options.onEvents);
  try {
    const resumeFrom = options.lastEventId();
    const answer = await fetch(`${apiBase}/events`, {
      headers: {
        accept: "text/event-stream",
        authorization: `Bearer ${options.token}`,
        ...(resumeFrom === null ? {} : { "last-event-id": resumeFrom }),
      },
      cache: "no-store",
      signal,
    });
    if (answer.status === 401) return "refused";
    if (!answer.ok || answer.body === null) return "broken";
    onOpen();
    const frames = createFrameReader();
    const chunks = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let chunk = await chunks.read(); !chunk.done; chunk = await chunks.read()) {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => attempt.abort(), silenceMs);
      for (const frame of frames.push(chunk.value)) {
        if (frame.retryMs !== undefined) onRetry(frame.retryMs);
        const event = readFrame(frame);
        if (event !== null) batch.add(event);
        else if (frame.id !== null) options.onId(frame.id);
      }
    }
    return "broken";
  } catch {
    return "broken";
  } finally {
    clearTimeout(watchdog);
    batch.flush();
  }
}

/** A frame as an event; null for what this version does not know. */
function readFrame({ event, data, id }: ServerSentFrame): LiveEvent | null {
  if (data === null || !["monitor", "agent", "incident", "delivery", "reset"].includes(event)) return null;
  try {
    return { name: event, data: JSON.parse(data) as unknown, id } as LiveEvent;
  } catch {
    return event === "reset" ? { name: "reset", data: null, id } : null;
  }
}

/** Many events a second become a few updates a second of the screen. */
function createBatch(onEvents: (events: LiveEvent[]) => void) {
  let pending: LiveEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  function flush() {
    clearTimeout(timer);
    timer = undefined;
    if (pending.length > 0) onEvents(pending);
    pending = [];
  }
  return {
    add(event: LiveEvent) {
      pending.push(event);
      timer ??= setTimeout(flush, batchMs);
    },
    flush,
  };
}

/** Waits, but not while the browser reports that the network just came back. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener("online", done);
    signal.addEventListener("abort", done);
  });
}

/**
 * One server-sent event as the wire has it. Without data it is no event, but its id still is where to resume, and
 * `retryMs` how long the server wants its client to wait before it comes back.
 */
type ServerSentFrame = { event: string; data: string | null; id: string | null; retryMs?: number | undefined };

/**
 * Reads server-sent events from chunks of text, by the rules of the HTML standard (§9.2.6, "event stream interpretation").
 * `push` answers the frames that a chunk completed; comments yield none.
 */
export function createFrameReader() {
  let rest = "";
  let frame: ServerSentFrame = { event: "", data: null, id: null };

  function take(line: string): ServerSentFrame | null {
    if (line === "") {
      const { event, data, id, retryMs } = frame;
      frame = { event: "", data: null, id: null };
      return data === null && id === null && retryMs === undefined
        ? null
        : { event: event || "message", data, id, retryMs };
    }
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") frame.event = value;
    else if (field === "data") frame.data = frame.data === null ? value : `${frame.data}\n${value}`;
    else if (field === "id" && !value.includes("\0")) frame.id = value;
    else if (field === "retry" && /^\d+$/.test(value)) frame.retryMs = Number(value);
    return null;
  }

  return {
    push(chunk: string): ServerSentFrame[] {
      rest += chunk;
      // A CR at the very end may be the first half of a CRLF: it waits for the next chunk.
      const partial = rest.endsWith("\r") ? "\r" : "";
      const lines = rest.slice(0, rest.length - partial.length).split(/\r\n|\n|\r/);
      rest = (lines.pop() ?? "") + partial;
      return lines.map(take).filter((frame) => frame !== null);
    },
  };
}
