import { Idiomorph } from "idiomorph";
import { initBars } from "./bars.ts";
import { announceChanges, showLatestStates } from "./states.ts";
import { language, bindThemeButton, readStored, writeStored } from "./page.ts";
import { localise } from "./times.ts";

/** Attributes that the script or the visitor set. They are not in the server's document. */
const clientAttributes: readonly [selector: string, names: readonly string[]][] = [
  ["details", ["open"]],
  [".bars[data-from]", ["role", "tabindex", "aria-readonly", "aria-valuemin", "aria-valuemax", "aria-valuenow"]],
  ["#theme", ["hidden", "title", "data-theme", "data-ready"]],
  ["#live", ["hidden"]],
  ["time", ["title"]],
];

let refreshedAtMs = Date.now();
let underway: Promise<void> | null = null;
let isWantedAgain = false;

/** Milliseconds since the document was fetched. */
export const ageMs = (): number => Date.now() - refreshedAtMs;

/** Refetches the document and changes this one in place. A call during a refetch causes another one after it. */
export async function refresh(wanted = language()): Promise<void> {
  isWantedAgain = underway !== null;
  underway ??= fetchAndMorph(wanted).finally(() => (underway = null));
  await underway;
  if (!isWantedAgain) return;
  isWantedAgain = false;
  await refresh(wanted);
}

async function fetchAndMorph(wanted: string): Promise<void> {
  // The server has the URL without a query in memory.
  const answer = await fetch(location.pathname, {
    headers: { accept: "text/html", "accept-language": wanted },
    cache: "no-cache",
  });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  refreshedAtMs = Date.now();
  if (scriptOf(fresh) !== scriptOf(document)) return location.reload();
  announceChanges();
  morph(fresh);
  showLatestStates();
}

/** Another script name means another release, whose documents this script may not understand. */
const scriptOf = (of: Document) => of.querySelector("script[src]")?.getAttribute("src") ?? null;

/** Applies a newer document. Keeps what is open, focused or typed. */
export function morph(fresh: Document): void {
  document.title = fresh.title;
  document.documentElement.lang = fresh.documentElement.lang;
  document.documentElement.style.cssText = fresh.documentElement.style.cssText;
  void Idiomorph.morph(document.body, fresh.body, {
    morphStyle: "outerHTML",
    restoreFocus: true,
    callbacks: {
      beforeAttributeUpdated: (name, element) =>
        !clientAttributes.some(([selector, names]) => names.includes(name) && element.matches(selector)),
      beforeNodeRemoved: (node) => !(node instanceof Element && node.id === "tip"),
      beforeNodeMorphed: (old, fresh) => {
        // Idiomorph adds a new element while it is empty. The visitor cannot have opened or closed it.
        const areDetails = old instanceof HTMLDetailsElement && fresh instanceof HTMLDetailsElement;
        if (areDetails && !old.hasChildNodes()) old.open = fresh.open;
        return !(old instanceof HTMLFormElement && isTouched(old)) && !isNews(old);
      },
    },
  });
  bindThemeButton();
  localise();
  initBars();
}

/** The live region has announcements of this script. The server's is empty. */
const isNews = (node: Node) => node instanceof Element && node.id === "news";

function isTouched(form: HTMLFormElement): boolean {
  return (
    form.contains(document.activeElement) ||
    [...form.querySelectorAll("input")].some(
      ({ type, value, checked }) => checked || (type === "email" && value !== ""),
    )
  );
}

/** Applies the stored language if the URL does not specify one. */
export function useLanguage(): void {
  document.addEventListener("click", ({ target }) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a.language") : null;
    if (link !== null) writeStored("language", link.hreflang);
  });
  const stored = readStored("language");
  const isNamed = new URLSearchParams(location.search).has("lang");
  const isOffered = [...document.querySelectorAll<HTMLAnchorElement>("a.language")].some(
    ({ hreflang }) => hreflang === stored,
  );
  if (isNamed || stored === null || !isOffered) return;
  refresh(stored).catch(() => undefined);
}
