import { useEffect } from "react";
import { api, liveTags } from "../api.ts";
import { useAppDispatch, useAppSelector } from "../hooks.ts";
import { sessionEnded } from "../session.ts";
import { subscribeLive } from "./events.ts";
import { startLiveStream } from "./stream.ts";
import { type LiveStatus, liveStatusChanged } from "../store.ts";

export function Live() {
  const dispatch = useAppDispatch();
  const token = useAppSelector((state) => (state.session.status === "authenticated" ? state.session.token : null));

  useEffect(() => {
    if (token === null) return;
    const onStatus = (status: LiveStatus) => void dispatch(liveStatusChanged(status));
    const stopListening = subscribeLive((events) => {
      if (events.some(({ name }) => name === "reset")) {
        dispatch(api.util.invalidateTags([...liveTags]));
      }
    });
    const stop = startLiveStream({ token, onStatus, onRefused: () => void dispatch(sessionEnded("expired")) });
    return () => {
      stopListening();
      stop();
      onStatus("off");
    };
  }, [dispatch, token]);

  return null;
}
