import { Provider } from "react-redux";
import { useRoutes } from "react-router-dom";
import { Toaster } from "../ui/toast.tsx";
import type { AppHistory } from "./history.ts";
import { Live } from "./live/live.tsx";
import { AppRouter } from "./router.tsx";
import { routes } from "./routes.tsx";
import type { Store } from "./store.ts";

/** The whole app over its store and its history. */
export function App({ store, history }: { store: Store; history: AppHistory }) {
  return (
    <Provider store={store}>
      <Live />
      <AppRouter history={history}>
        <Screens />
      </AppRouter>
      <Toaster />
    </Provider>
  );
}

function Screens() {
  return useRoutes(routes);
}
