import { apiBase } from "../api.ts";
import { type LiveEvent, dispatchLive } from "./events.ts";
import type { LiveStatus } from "../store.ts";

type StreamOptions = {
  token: string;
  signal: AbortSignal;
  /** Where to resume. Called for each connection, because events may have arrived through another tab. */
  lastEventId: () => string | null;
  onEvents: (events: LiveEvent[]) => void;
  /** Receives an id to resume from that came without an event. */
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
 * Starts live events for a session and returns a function that stops them. One tab, the holder of a Web Lock, keeps the
 * stream and forwards everything to the others. If it closes, the next tab takes over. Without locks (plain HTTP except
 * loopback) each tab has its own stream.
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
  function run() {
    holdsStream = true;
    return keepStreamOpen({
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
  if (channel === null) void run();
  else {
    channel.addEventListener("message", ({ data }: MessageEvent<Message>) => {
      if (!signal.aborted) take(data);
    });
    post({ kind: "hello" });
    navigator.locks.request("sonde-live", { signal }, run).catch(() => undefined);
  }
  return () => {
    stop.abort();
    channel?.close();
  };
}

const firstWaitMs = 500;
const maxWaitMs = 15_000;
/** Maximum wait that a server may request. */
const maxRetryMs = 3_600_000;
/** Longer than the server's heartbeat. After this silence the connection is dead. */
const silenceMs = 60_000;
const batchMs = 80;

/**
 * Keeps /api/events open until `signal` aborts, and reconnects with growing delays. The server may request a longer
 * delay if a user has too many streams.
 */
export async function keepStreamOpen(options: StreamOptions): Promise<void> {
  const { signal, onStatus, onEvents } = options;
  let waitMs = firstWaitMs;
  let retryMs = 0;
  let wasConnected = false;
  while (!signal.aborted) {
    const onRetry = (askedMs: number) => void (retryMs = Math.min(maxRetryMs, askedMs));
    const outcome = await readOnce(options, onRetry, () => {
      waitMs = firstWaitMs;
      onStatus("connected");
      // Live figures cannot be resumed. After a gap everything on screen is refetched.
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

/** Parses a frame. `null` for events that this version does not know. */
function readFrame({ event, data, id }: ServerSentFrame): LiveEvent | null {
  if (data === null || !["monitor", "agent", "incident", "delivery", "reset"].includes(event)) return null;
  try {
    return { name: event, data: JSON.parse(data) as unknown, id } as LiveEvent;
  } catch {
    return event === "reset" ? { name: "reset", data: null, id } : null;
  }
}

/** Combines many events per second into a few screen updates. */
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

/** Waits, or returns early when the browser reports that it is online again. */
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
 * A server-sent event. Without data it is not an event, but its id is still the position to resume from. `retryMs` is
 * the delay that the server requests before a reconnect.
 */
type ServerSentFrame = { event: string; data: string | null; id: string | null; retryMs?: number | undefined };

/**
 * Parses server-sent events from chunks of text (HTML standard §9.2.6, "event stream interpretation"). `push` returns
 * the frames completed by a chunk, without comments.
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
      // A CR at the end may be the first half of a CRLF, so it waits for the next chunk.
      const partial = rest.endsWith("\r") ? "\r" : "";
      const lines = rest.slice(0, rest.length - partial.length).split(/\r\n|\n|\r/);
      rest = (lines.pop() ?? "") + partial;
      return lines.map(take).filter((frame) => frame !== null);
    },
  };
}
