import type { Language } from "@sonde/proto/http/messages";
import type { User } from "@sonde/proto/http/users";
import { act, render } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createBrowserRouter } from "react-router";
import { App, followSession } from "../app/app.tsx";
import { loadWords, type WordsPart, startI18n } from "../app/i18n.ts";
import { restoreSession } from "../app/me.ts";
import { routes } from "../app/routes.tsx";
import { createStore } from "../app/store.ts";
import { storageKeys } from "../app/storage.ts";

/** `words`: as on a first visit, before another screen has asked for more than this part. */
type Start = { as?: User; language?: Language; state?: unknown; words?: WordsPart };

/** The whole app at an address, as a visitor or as a user with a session, as the browser starts it. */
export async function renderApp(path: string, { as, language = "en-US", state, words = "whole" }: Start = {}) {
  if (as !== undefined) {
    localStorage.setItem(storageKeys.token, "a-token");
    localStorage.setItem(storageKeys.user, JSON.stringify(as));
  }
  window.history.replaceState({ usr: state, key: "test", idx: 0 }, "", path);
  const store = createStore();
  await startI18n(language);
  // A screen waits for its words once, when it is loaded; here it may be loaded since the test before.
  await loadWords(words);
  const router = createBrowserRouter(routes);
  followSession(store, router);
  const view = render(<App store={store} router={router} />);
  await act(() => restoreSession(store));
  return { ...view, store, router, user: userEvent.setup(), path: () => router.state.location.pathname };
}
