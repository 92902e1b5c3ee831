import { Provider } from "react-redux";
import { type createBrowserRouter, RouterProvider } from "react-router-dom";
import { Toaster } from "../ui/alert.tsx";
import { Live } from "./live/live.tsx";
import type { AppStore } from "./store.ts";
import { paths } from "./paths.ts";
import type { LoginState } from "./guards.tsx";
import { readSession, sessionEnded } from "./session.ts";
import { storageKeys } from "./storage.ts";

export type AppRouter = ReturnType<typeof createBrowserRouter>;

export function App({ store, router }: { store: AppStore; router: AppRouter }) {
  return (
    <Provider store={store}>
      <Live />
      {/* Without transitions a new screen shows its loading state at once, instead of the old screen until it is loaded. */}
      <RouterProvider router={router} useTransitions={false} />
      <Toaster />
    </Provider>
  );
}

/** Redirects to /login whenever a session ends, by a 401 or a logout. */
export function followSession(store: AppStore, router: AppRouter): () => void {
  let before = store.getState().session;
  return store.subscribe(() => {
    const { session } = store.getState();
    if (session === before) return;
    const ended = before.status !== "anonymous" && session.status === "anonymous";
    before = session;
    const { pathname, search, hash } = router.state.location;
    if (!ended || pathname === paths.login) return;
    const state: LoginState = { from: pathname + search + hash, expired: session.ended === "expired" };
    void router.navigate(paths.login, { replace: true, state });
  });
}

/** Logging out in one tab logs out all tabs. */
export function followOtherTabs(store: AppStore): void {
  addEventListener("storage", ({ key }) => {
    if (key !== null && key !== storageKeys.token) return;
    if (readSession().token === null && store.getState().session.token !== null) store.dispatch(sessionEnded());
  });
}
