import { useEffect } from "react";
import { api, liveTags } from "../api.ts";
import { useAppDispatch, useAppSelector } from "../hooks.ts";
import { sessionEnded } from "../session.ts";
import { subscribeLive } from "./events.ts";
import { liveStatusChanged } from "./state.ts";
import { startLive } from "./tabs.ts";

/** Keeps live events running as long as there is a session. Draws nothing. */
export function Live() {
  const dispatch = useAppDispatch();
  const token = useAppSelector((state) => (state.session.status === "authenticated" ? state.session.token : null));

  useEffect(() => {
    if (token === null) return;
    const stopListening = subscribeLive((events) => {
      if (events.some(({ name }) => name === "reset")) {
        dispatch(api.util.invalidateTags([...liveTags]));
      }
    });
    const stopLive = startLive({
      token,
      onStatus: (status) => dispatch(liveStatusChanged(status)),
      onRefused: () => dispatch(sessionEnded("expired")),
    });
    return () => {
      stopListening();
      stopLive();
      dispatch(liveStatusChanged("off"));
    };
  }, [dispatch, token]);

  return null;
}
