import { useEffect } from "react";
import { api, liveTags } from "../api.ts";
import { useAppDispatch, useAppSelector } from "../hooks.ts";
import { sessionEnded } from "../session.ts";
import { subscribeLive } from "./events.ts";
import { type LiveStatus, liveStatusChanged } from "../store.ts";

const loadAgainMs = 15_000;

/** Keeps live events running as long as there is a session. Draws nothing. */
export function Live() {
  const dispatch = useAppDispatch();
  const token = useAppSelector((state) => (state.session.status === "authenticated" ? state.session.token : null));

  useEffect(() => {
    if (token === null) return;
    const stop = new AbortController();
    const onStatus = (status: LiveStatus) => void dispatch(liveStatusChanged(status));
    const stopListening = subscribeLive((events) => {
      if (events.some(({ name }) => name === "reset")) {
        dispatch(api.util.invalidateTags([...liveTags]));
      }
    });
    // What reads the stream comes after the first page, which does not need it to be drawn.
    async function start(given: string) {
      onStatus("connecting");
      try {
        const { startLive } = await import("./stream.ts");
        if (stop.signal.aborted) return;
        const onRefused = () => void dispatch(sessionEnded("expired"));
        stop.signal.addEventListener("abort", startLive({ token: given, onStatus, onRefused }));
      } catch {
        if (stop.signal.aborted) return;
        onStatus("lost");
        const timer = setTimeout(() => void start(given), loadAgainMs);
        stop.signal.addEventListener("abort", () => clearTimeout(timer));
      }
    }
    void start(token);
    return () => {
      stopListening();
      stop.abort();
      onStatus("off");
    };
  }, [dispatch, token]);

  return null;
}
