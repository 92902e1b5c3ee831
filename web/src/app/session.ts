import { createSlice, type PayloadAction } from "@reduxjs/toolkit";
import type { User } from "@sonde/proto/http/users";
import { readStored, writeStored } from "./storage.ts";

/** Why a session is over: the server refused its token, or its user logged out in this tab. */
export type SessionEnd = "expired" | "logout";

/** `restoring`: a token is there, its user is being fetched. */
export type SessionState =
  | { status: "anonymous"; token: null; user: null; ended?: SessionEnd | undefined }
  | { status: "restoring"; token: string; user: null }
  | { status: "authenticated"; token: string; user: User };

/** The session within a state of the store, for the API client: the store's type is made of the client's, not known to it. */
export function sessionIn(state: unknown): SessionState {
  return (state as { session: SessionState }).session;
}

const anonymous: SessionState = { status: "anonymous", token: null, user: null };

/** The session as local storage has it: token and user restore it, a token alone is to be resolved. */
export function readSession(): SessionState {
  const token = readStored("token");
  if (token === null || token === "") return anonymous;
  const user = parseUser(readStored("user"));
  return user === null ? { status: "restoring", token, user: null } : { status: "authenticated", token, user };
}

export function storeSession(session: SessionState): void {
  writeStored("token", session.token);
  writeStored("user", session.user === null ? null : JSON.stringify(session.user));
}

function parseUser(text: string | null): User | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "id" in value && "username" in value ? (value as User) : null;
  } catch {
    return null;
  }
}

const slice = createSlice({
  name: "session",
  initialState: readSession,
  reducers: {
    loggedIn: (_state, { payload }: PayloadAction<{ token: string; user: User }>): SessionState => ({
      status: "authenticated",
      ...payload,
    }),
    userFetched: (state, { payload }: PayloadAction<User>): SessionState =>
      state.token === null ? anonymous : { status: "authenticated", token: state.token, user: payload },
    // The server's refusals of several calls come one after another; the first has the reason.
    sessionEnded: (state, { payload }: PayloadAction<SessionEnd | undefined>): SessionState =>
      state.status === "anonymous" ? state : { ...anonymous, ended: payload },
  },
});

export const sessionReducer = slice.reducer;
export const { loggedIn, userFetched, sessionEnded } = slice.actions;
