import { language, scriptWords } from "./page.ts";

const dayMs = 86_400_000;
const isStrip = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>(".bars[data-from]") : null;

/**
 * Makes each strip of bars a single Tab stop: a read-only slider along time. A screen reader reads name, position and
 * the day's text together, and touch users swipe through the days instead of ninety elements. Without JavaScript the
 * strip is an image, and the list below it has the texts.
 */
export function initBars(root: ParentNode = document): void {
  for (const strip of root.querySelectorAll<HTMLElement>(".bars[data-from]")) {
    const bars = shownBars(strip);
    const known = strip.getAttribute("role") === "slider" ? Number(strip.getAttribute("aria-valuenow")) : bars.length;
    strip.setAttribute("role", "slider");
    strip.setAttribute("aria-readonly", "true");
    strip.setAttribute("aria-valuemin", "1");
    strip.tabIndex = 0;
    place(strip, bars, Math.min(known, bars.length) - 1);
  }
}

/** Listens for keys and pointers of all strips, including those added later. */
export function watchBars(): void {
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return hideTip();
    const strip = isStrip(event.target);
    if (strip === null) return;
    const bars = shownBars(strip);
    const at = Number(strip.getAttribute("aria-valuenow")) - 1;
    const last = bars.length - 1;
    const moves: Record<string, number> = {
      ArrowLeft: at - 1,
      ArrowDown: at - 1,
      ArrowRight: at + 1,
      ArrowUp: at + 1,
      PageDown: at - 7,
      PageUp: at + 7,
      Home: 0,
      End: last,
    };
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    place(strip, bars, Math.min(last, Math.max(0, next)));
    showTip(strip);
  });
  document.addEventListener("focusin", ({ target }) => {
    const strip = isStrip(target);
    if (strip?.matches(":focus-visible")) showTip(strip);
  });
  document.addEventListener("focusout", hideTip);
  for (const type of ["pointermove", "pointerdown"] as const) {
    document.addEventListener(type, (event) => {
      const strip = isStrip(event.target);
      if (strip === null) return event.pointerType === "mouse" || type === "pointerdown" ? hideTip() : undefined;
      const { left, width } = strip.getBoundingClientRect();
      const bars = shownBars(strip);
      const index = Math.floor(((event.clientX - left) / width) * bars.length);
      place(strip, bars, Math.min(bars.length - 1, Math.max(0, index)));
      showTip(strip);
    });
  }
}

/** Narrow windows hide older bars. */
const shownBars = (strip: HTMLElement): HTMLElement[] =>
  [...strip.querySelectorAll<HTMLElement>(":scope > i")].filter((bar) => getComputedStyle(bar).display !== "none");

function place(strip: HTMLElement, bars: readonly HTMLElement[], index: number): void {
  const { date, text } = dayOf(strip, bars, index);
  strip.setAttribute("aria-valuemax", String(bars.length));
  strip.setAttribute("aria-valuenow", String(index + 1));
  strip.setAttribute("aria-valuetext", `${date}${scriptWords().comma}${text}`);
}

/** A day's date and text. The text is in the list below the strip unless the day was perfect. */
function dayOf(strip: HTMLElement, bars: readonly HTMLElement[], index: number): { date: string; text: string } {
  const hidden = strip.children.length - bars.length;
  const atMs = Date.parse(strip.dataset["from"] ?? "") + (index + hidden) * dayMs;
  const style = { weekday: "short", year: "numeric", month: "short", day: "numeric", timeZone: "UTC" } as const;
  const date = new Intl.DateTimeFormat(language(), style).format(atMs);
  const dayItem = [...(strip.nextElementSibling?.querySelectorAll("li") ?? [])].find(
    ({ value, dataset }) => value <= index + hidden && index + hidden < value + Number(dataset["n"] ?? 1),
  );
  const text = dayItem?.querySelector("span")?.textContent;
  return { date, text: text ?? scriptWords().perfectDay };
}

function showTip(strip: HTMLElement): void {
  const bars = shownBars(strip);
  const index = Number(strip.getAttribute("aria-valuenow")) - 1;
  const bar = bars[index];
  if (bar === undefined) return;
  const tip = document.querySelector<HTMLElement>("#tip") ?? createTip();
  const { date, text } = dayOf(strip, bars, index);
  const [head, body] = [...tip.children];
  head!.textContent = date;
  body!.replaceChildren(
    ...text
      .split(scriptWords().comma)
      .map((part) => Object.assign(document.createElement("span"), { textContent: part })),
  );
  for (const other of document.querySelectorAll(".bars .at")) other.classList.remove("at");
  bar.classList.add("at");
  tip.hidden = false;
  const box = bar.getBoundingClientRect();
  const middle = box.left + box.width / 2;
  const half = tip.offsetWidth / 2;
  const left = Math.min(document.documentElement.clientWidth - half - 8, Math.max(half + 8, middle));
  tip.style.translate = `calc(${left + scrollX}px - 50%) calc(${box.top + scrollY - 8}px - 100%)`;
}

function createTip(): HTMLElement {
  const tip = Object.assign(document.createElement("div"), { id: "tip", hidden: true });
  tip.setAttribute("aria-hidden", "true");
  tip.append(document.createElement("b"), document.createElement("p"));
  document.body.append(tip);
  return tip;
}

function hideTip(): void {
  const tip = document.querySelector<HTMLElement>("#tip");
  if (tip === null || tip.hidden) return;
  tip.hidden = true;
  for (const bar of document.querySelectorAll(".bars .at")) bar.classList.remove("at");
}
