import type { meAnswer } from "@sonde/proto/http/auth";
import { type AnswerOf, apiBase, api } from "./api.ts";
import { sessionEnded, userFetched } from "./session.ts";
import type { AppStore } from "./store.ts";

export const meApi = api.injectEndpoints({
  endpoints: (build) => ({
    me: build.query<AnswerOf<typeof meAnswer>, void>({ query: () => "/auth/me" }),
  }),
});

/** Fetches the user of a stored token. On any failure clears both. */
export async function restoreSession({ dispatch, getState }: Pick<AppStore, "dispatch" | "getState">): Promise<void> {
  if (getState().session.status !== "restoring") return;
  const request = dispatch(meApi.endpoints.me.initiate(undefined, { forceRefetch: true }));
  try {
    const { user } = await request.unwrap();
    dispatch(userFetched(user));
  } catch (error) {
    console.error("Failed to fetch user information", error);
    dispatch(sessionEnded());
  } finally {
    request.unsubscribe();
  }
}

/** Ends the session in the browser at once, and notifies the server in the background. */
export function logout({ dispatch, getState }: Pick<AppStore, "dispatch" | "getState">): void {
  const { token } = getState().session;
  // Not a call of `api`: clearing the session resets its state and aborts its calls.
  void fetch(`${apiBase}/auth/logout`, {
    method: "POST",
    keepalive: true,
    headers: { authorization: `Bearer ${token}` },
  }).catch(() => undefined);
  dispatch(sessionEnded("logout"));
}
