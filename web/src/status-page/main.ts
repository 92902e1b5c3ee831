import "./status.css";
import { makeReady, watchBars } from "./bars.ts";
import { useLanguage, refresh } from "./refresh.ts";
import { live } from "./live.ts";
import { watchSubscribe } from "./subscribe.ts";
import { bindThemeButton } from "./page.ts";
import { localise } from "./times.ts";

const embedEveryMs = 60_000;

if (document.body.classList.contains("embed")) {
  // On other people's pages there may be very many of it: no stream of its own, and nothing while the page is hidden.
  setInterval(() => {
    if (document.visibilityState === "visible") refresh().catch(() => undefined);
  }, embedEveryMs);
} else {
  bindThemeButton();
  localise();
  makeReady();
  watchBars();
  watchSubscribe();
  useLanguage();
  if (document.querySelector("#overall") !== null) live();
}
