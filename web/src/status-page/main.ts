import "./status.css";
import { initBars, watchBars } from "./bars.ts";
import { useLanguage, refresh } from "./refresh.ts";
import { live } from "./live.ts";
import { watchSubscribe } from "./subscribe.ts";
import { bindThemeButton } from "./page.ts";
import { localise } from "./times.ts";

const embedEveryMs = 60_000;

if (document.body.classList.contains("embed")) {
  // Many pages may embed this document, so it opens no stream and does not refetch while hidden.
  setInterval(() => {
    if (document.visibilityState === "visible") refresh().catch(() => undefined);
  }, embedEveryMs);
} else {
  bindThemeButton();
  localise();
  initBars();
  watchBars();
  watchSubscribe();
  useLanguage();
  if (document.querySelector("#overall") !== null) live();
}
