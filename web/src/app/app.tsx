import { Provider } from "react-redux";
import { useRoutes } from "react-router-dom";
import type { AppHistory } from "../lib/history.ts";
import { AppRouter } from "../lib/router.tsx";
import { Toaster } from "../ui/toast.tsx";
import { Live } from "./live/live.tsx";
import { paths } from "./paths.ts";
import { routes } from "./routes.tsx";
import type { Store } from "./store.ts";

/** The whole app over its store and its history. */
export function App({ store, history }: { store: Store; history: AppHistory }) {
  return (
    <Provider store={store}>
      <Live />
      {/* A session that ended must reach /login: nothing could be saved any more. */}
      <AppRouter history={history} neverHeld={paths.login}>
        <Screens />
      </AppRouter>
      <Toaster />
    </Provider>
  );
}

function Screens() {
  return useRoutes(routes);
}
