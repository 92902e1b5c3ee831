import { configureStore, isAnyOf, type Middleware, createSlice, type PayloadAction } from "@reduxjs/toolkit";
import { api } from "./api.ts";
import { loggedIn, sessionEnded, sessionIn, sessionReducer, storeSession, userFetched } from "./session.ts";

export type LiveStatus = "off" | "connecting" | "connected" | "lost";

const live = createSlice({
  name: "live",
  initialState: { status: "off" as LiveStatus },
  reducers: {
    liveStatusChanged: (state, { payload }: PayloadAction<LiveStatus>) => {
      state.status = payload;
    },
  },
});
export const { liveStatusChanged } = live.actions;

const changesSession = isAnyOf(loggedIn, userFetched, sessionEnded);

/** Persists session changes, and clears cached data when the account changes. */
const followSession: Middleware =
  ({ getState, dispatch }) =>
  (next) =>
  (action) => {
    const answer = next(action);
    if (changesSession(action)) storeSession(sessionIn(getState()));
    if (sessionEnded.match(action) || loggedIn.match(action)) dispatch(api.util.resetApiState());
    return answer;
  };

export function createStore() {
  return configureStore({
    reducer: { session: sessionReducer, live: live.reducer, [api.reducerPath]: api.reducer },
    middleware: (defaults) => defaults().prepend(followSession).concat(api.middleware),
  });
}

export type AppStore = ReturnType<typeof createStore>;
export type RootState = ReturnType<AppStore["getState"]>;
export type AppDispatch = AppStore["dispatch"];
