import { configureStore, isAnyOf, type Middleware } from "@reduxjs/toolkit";
import { api } from "./api.ts";
import { liveReducer } from "./live/state.ts";
import { loggedIn, sessionEnded, sessionIn, sessionReducer, storeSession, userFetched } from "./session.ts";

const changesSession = isAnyOf(loggedIn, userFetched, sessionEnded);

/** Keeps each change of the session in the browser. No account sees what another had loaded. */
const followSession: Middleware =
  ({ getState, dispatch }) =>
  (next) =>
  (action) => {
    const answer = next(action);
    if (changesSession(action)) storeSession(sessionIn(getState()));
    if (sessionEnded.match(action) || loggedIn.match(action)) dispatch(api.util.resetApiState());
    return answer;
  };

/** The app's one store. */
export function createStore() {
  return configureStore({
    reducer: { session: sessionReducer, live: liveReducer, [api.reducerPath]: api.reducer },
    middleware: (defaults) => defaults().prepend(followSession).concat(api.middleware),
  });
}

export type AppStore = ReturnType<typeof createStore>;
export type RootState = ReturnType<AppStore["getState"]>;
export type AppDispatch = AppStore["dispatch"];
