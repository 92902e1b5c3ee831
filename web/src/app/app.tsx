import { Provider } from "react-redux";
import { type createBrowserRouter, RouterProvider } from "react-router";
import { Toaster } from "../ui/alert.tsx";
import { Live } from "./live/live.tsx";
import type { AppStore } from "./store.ts";

export type AppRouter = ReturnType<typeof createBrowserRouter>;

/** The whole app over its store and its router, which is made of `routes`. */
export function App({ store, router }: { store: AppStore; router: AppRouter }) {
  return (
    <Provider store={store}>
      <Live />
      {/* Without transitions a new screen shows its loading text at once, instead of the old screen while it is loaded. */}
      <RouterProvider router={router} useTransitions={false} />
      <Toaster />
    </Provider>
  );
}
