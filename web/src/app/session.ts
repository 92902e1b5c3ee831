import { createSlice, type PayloadAction } from "@reduxjs/toolkit";
import type { User } from "@sonde/proto/http/users";
import { readStored, writeStored } from "./storage.ts";

/** Why a session ended: the server rejected its token, or the user logged out in this tab. */
export type SessionEnd = "expired" | "logout";

/** `restoring`: a token is stored, and its user is being fetched. */
export type SessionState =
  | { status: "anonymous"; token: null; user: null; ended?: SessionEnd | undefined }
  | { status: "restoring"; token: string; user: null }
  | { status: "authenticated"; token: string; user: User };

/** The session in a store state. Untyped, because the store's type depends on the API client that calls this. */
export function sessionIn(state: unknown): SessionState {
  return (state as { session: SessionState }).session;
}

const anonymous: SessionState = { status: "anonymous", token: null, user: null };

/** Reads the session from local storage. A token without a user must still be resolved. */
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
    // Several rejected calls may follow one another. The first has the reason.
    sessionEnded: (state, { payload }: PayloadAction<SessionEnd | undefined>): SessionState =>
      state.status === "anonymous" ? state : { ...anonymous, ended: payload },
  },
});

export const sessionReducer = slice.reducer;
export const { loggedIn, userFetched, sessionEnded } = slice.actions;
