import { configureStore, createListenerMiddleware, isAnyOf } from "@reduxjs/toolkit";
import { api } from "./api.ts";
import { liveReducer } from "./live/state.ts";
import { loggedIn, sessionEnded, sessionReducer, storeSession, userFetched } from "./session.ts";

/** The app's one store. `storeSession` follows every change of the session. */
export function createStore() {
  const listener = createListenerMiddleware();
  const store = configureStore({
    reducer: { session: sessionReducer, live: liveReducer, [api.reducerPath]: api.reducer },
    middleware: (defaults) => defaults().prepend(listener.middleware).concat(api.middleware),
  });
  listener.startListening({
    matcher: isAnyOf(loggedIn, userFetched, sessionEnded),
    effect: (action) => {
      storeSession(store.getState().session);
      // Nobody sees what another account had loaded.
      if (sessionEnded.match(action) || loggedIn.match(action)) store.dispatch(api.util.resetApiState());
    },
  });
  return store;
}

export type Store = ReturnType<typeof createStore>;
export type RootState = ReturnType<Store["getState"]>;
export type AppDispatch = Store["dispatch"];
