import type { Language } from "@sonde/proto/http/messages";
import type { User } from "@sonde/proto/http/users";
import { act, render } from "@testing-library/react";
import type { ReactNode } from "react";
import { Provider } from "react-redux";
import { createBrowserRouter, type RouteObject, RouterProvider } from "react-router-dom";
import { onTestFinished } from "vitest";
import { api } from "../app/api.ts";
import { App, type AppRouter, followSession } from "../app/app.tsx";
import { startI18n } from "../app/i18n.ts";
import { restoreSession } from "../app/me.ts";
import { routes } from "../app/routes.tsx";
import { type AppStore, createStore } from "../app/store.ts";
import { storageKeys } from "../app/storage.ts";
import { Toaster } from "../ui/alert.tsx";
import { setupUser } from "./user.ts";

type Start = { as?: User; language?: Language; state?: unknown };
type Frame = (store: AppStore, router: AppRouter) => ReactNode;

/** Renders the complete app at a path, for a visitor or a logged-in user. */
export function renderApp(path: string, start?: Start) {
  return open(path, routes, (store, router) => <App store={store} router={router} />, start);
}

/** Renders only the screen at a path, much faster than the complete app. */
export function renderScreen(path: string, start?: Start) {
  const screens = routes.flatMap(({ children }) => children ?? []);
  const frame: Frame = (store, router) => (
    <Provider store={store}>
      <RouterProvider router={router} useTransitions={false} />
      <Toaster />
    </Provider>
  );
  return open(path, screens, frame, start);
}

async function open(path: string, screens: RouteObject[], frame: Frame, { as, language = "en-US", state }: Start = {}) {
  if (as !== undefined) {
    localStorage.setItem(storageKeys.token, "a-token");
    localStorage.setItem(storageKeys.user, JSON.stringify(as));
  }
  window.history.replaceState({ usr: state, key: "test", idx: 0 }, "", path);
  const store = createStore();
  await startI18n(language);
  const router = createBrowserRouter(screens);
  const stopFollowing = followSession(store, router);
  onTestFinished(() => {
    stopFollowing();
    router.dispose();
    store.dispatch(api.util.resetApiState());
  });
  const view = render(frame(store, router));
  await act(() => restoreSession(store));
  return { ...view, store, router, user: setupUser(), path: () => router.state.location.pathname };
}
