import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createBrowserRouter } from "react-router-dom";
import { App, followOtherTabs, followSession } from "./app/app.tsx";
import { startI18n } from "./app/i18n.ts";
import { restoreSession } from "./app/me.ts";
import { routes } from "./app/routes.tsx";
import { readStored } from "./app/storage.ts";
import { createStore } from "./app/store.ts";
import { startTheme } from "./app/theme.ts";
import { basePath } from "./lib/base-path.ts";
import { showTimesIn } from "./lib/format.ts";
import "./index.css";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");

startTheme();
showTimesIn(readStored("timeZone"));
const store = createStore();
await startI18n();
const router = createBrowserRouter(routes, { basename: basePath || "/" });
followSession(store, router);
followOtherTabs(store);
void restoreSession(store);
createRoot(root).render(
  <StrictMode>
    <App store={store} router={router} />
  </StrictMode>,
);
