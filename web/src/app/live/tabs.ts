import { type LiveEvent, publishLive } from "./events.ts";
import type { LiveStatus } from "./state.ts";
import { holdStream } from "./stream.ts";

type Message =
  | { kind: "events"; events: LiveEvent[] }
  | { kind: "id"; id: string }
  | { kind: "status"; status: LiveStatus }
  | { kind: "hello" };

type LiveOptions = {
  token: string;
  onStatus: (status: LiveStatus) => void;
  onRefused: () => void;
};

/**
 * Starts live events for a session; answers the function that stops them. One tab, the holder of a Web Lock, keeps the
 * stream and passes everything on; when it closes, the lock and with it the stream go to the next tab. Where a browser
 * has no locks (plain HTTP beyond loopback) each tab holds a stream of its own.
 */
export function startLive({ token, onStatus, onRefused }: LiveOptions): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const channel = "locks" in navigator && "BroadcastChannel" in globalThis ? new BroadcastChannel("sonde-live") : null;
  let lastEventId: string | null = null;
  let holdsStream = false;
  let status: LiveStatus = "connecting";

  function take(events: LiveEvent[]) {
    for (const event of events) lastEventId = event.id ?? lastEventId;
    publishLive(events);
  }
  function report(next: LiveStatus) {
    status = next;
    onStatus(next);
  }
  function post(message: Message) {
    if (!signal.aborted) channel?.postMessage(message);
  }
  function hold() {
    holdsStream = true;
    return holdStream({
      token,
      signal,
      onRefused,
      lastEventId: () => lastEventId,
      onEvents: (events) => {
        take(events);
        post({ kind: "events", events });
      },
      onId: (id) => {
        lastEventId = id;
        post({ kind: "id", id });
      },
      onStatus: (next) => {
        report(next);
        post({ kind: "status", status: next });
      },
    });
  }

  onStatus(status);
  if (channel === null) void hold();
  else {
    channel.addEventListener("message", ({ data }: MessageEvent<Message>) => {
      if (signal.aborted) return;
      if (data.kind === "hello") {
        if (holdsStream) post({ kind: "status", status });
      } else if (data.kind === "status") report(data.status);
      else if (data.kind === "id") lastEventId = data.id;
      else take(data.events);
    });
    post({ kind: "hello" });
    navigator.locks.request("sonde-live", { signal }, hold).catch(() => undefined);
  }
  return () => {
    stop.abort();
    channel?.close();
  };
}
