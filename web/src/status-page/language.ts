import { language, readStored, writeStored } from "./page.ts";
import { refresh } from "./refresh.ts";

/** A language that the reader chose once holds where the address names none. */
export function useLanguage(): void {
  document.addEventListener("click", ({ target }) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a.language") : null;
    if (link !== null) writeStored("language", link.hreflang);
  });
  const stored = readStored("language");
  const isNamed = new URLSearchParams(location.search).has("lang");
  if (isNamed || stored === language() || (stored !== "zh-CN" && stored !== "en-US")) return;
  refresh(stored).catch(() => undefined);
}
