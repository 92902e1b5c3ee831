import { createShared, useShared } from "../../lib/hooks.ts";
import { paths } from "../paths.ts";

const singleKeys: Record<string, () => boolean> = {
  "/": goToSearch,
  j: () => moveToRow(1),
  k: () => moveToRow(-1),
  "?": () => {
    showOverlay("shortcuts");
    return true;
  },
};
const arrows: Record<string, () => boolean> = { ArrowDown: () => moveToRow(1), ArrowUp: () => moveToRow(-1) };

export const goKeys = { d: paths.dashboard, m: paths.monitors, i: paths.incidents, a: paths.agents } as const;
const goWithinMs = 1500;
let goUntilMs = 0;

/** Letters that press the control with this letter in `aria-keyshortcuts` (`ui/hotkeys.ts`). */
const pressKeys = ["c", "e", "a", "p", "x"];

/**
 * Handles a key pressed anywhere in the page, except while the user types or uses a dialog or menu.
 * @param go opens a page of the app
 */
export function onKey(event: KeyboardEvent, go: (to: string) => void): void {
  const { key, ctrlKey, metaKey, altKey, shiftKey, target, isComposing, defaultPrevented } = event;
  if (defaultPrevented || isComposing || altKey || !(target instanceof Element)) return;
  if (target.closest("input:not([type=checkbox]), textarea, select, [contenteditable=true]") !== null) return;
  if (document.querySelector("[role=dialog], [role=menu]") !== null) return;
  if (act()) event.preventDefault();

  function act(): boolean {
    if (overlay.read() !== null) {
      const isLetter = key.length === 1 && !ctrlKey && !metaKey;
      // The palette's field does not have the focus yet.
      if (isLetter) ahead += key;
      return isLetter;
    }
    if (ctrlKey || metaKey) {
      if (key.toLowerCase() !== "k" || shiftKey) return false;
      showOverlay("palette");
      return true;
    }
    // Tabs and sliders use arrow keys themselves.
    const isFree =
      target === document.body ||
      (target as Element).matches("main, main :is(a, button:not([role=tab]), [role=region])");
    if (isFree && !shiftKey && Object.hasOwn(arrows, key)) return arrows[key]?.() ?? false;
    return areSingleKeysOn() && letter();
  }

  function letter(): boolean {
    const isAfterG = Date.now() < goUntilMs;
    goUntilMs = key === "g" ? Date.now() + goWithinMs : 0;
    if (key === "g") return true;
    if (isAfterG && Object.hasOwn(goKeys, key)) {
      go(goKeys[key as keyof typeof goKeys]);
      return true;
    }
    if (pressKeys.includes(key)) return event.repeat || press(key);
    return Object.hasOwn(singleKeys, key) && (singleKeys[key]?.() ?? false);
  }
}

/** Presses the control for a letter in the focused row, otherwise on the page. Returns false if there is none. */
function press(key: string): boolean {
  const selector = `[aria-keyshortcuts="${key.toUpperCase()}"]:not(:disabled, [aria-disabled=true])`;
  const row = document.activeElement?.closest(rowSelector);
  const found =
    row?.querySelector<HTMLElement>(selector) ??
    [...document.querySelectorAll<HTMLElement>(`main ${selector}`)].find(
      (element) => element.closest(rowSelector) === null && element.checkVisibility?.() !== false,
    );
  // In a row the link keeps the focus, so that arrow keys continue from there.
  if (row == null) found?.focus();
  found?.click();
  return found !== undefined;
}

/** The modifier key for K: Command on a Mac, Control elsewhere. */
export const commandKey = /mac|iphone|ipad/i.test(navigator.platform) ? "⌘" : "Ctrl";

type Overlay = "palette" | "shortcuts" | "silence";

const overlay = createShared<Overlay | null>(null);
let ahead = "";
let opener: Element | null = null;

export function showOverlay(next: Overlay | null): void {
  ahead = "";
  if (next !== null) opener = document.activeElement;
  overlay.set(next);
}

export const openedFrom = () => opener;

export const useOverlay = () => useShared(overlay);

export function typedAhead(): string {
  return ahead;
}

export function typeAhead(text: string): void {
  ahead = text;
}

const rowSelector = "main :is(tbody tr, [data-row])";

/** Moves the focus to the next or previous row, or from outside to the first. Returns true if it moved. */
function moveToRow(step: 1 | -1): boolean {
  const rows = [...document.querySelectorAll(rowSelector)];
  const links = rows.map((row) => row.querySelector<HTMLElement>("a[href]")).filter((link) => link !== null);
  const from = document.activeElement?.closest(rowSelector);
  const at = links.findIndex((link) => link.closest(rowSelector) === from);
  const next = at === -1 && step === -1 ? undefined : links[at + step];
  next?.focus();
  return next !== undefined;
}

function goToSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>("main [role=search] input");
  field?.focus();
  field?.select();
  return field !== null;
}

const storageKey = "singleKeys";
/** Fallback if storage is blocked: the setting then lasts as long as the page. */
let isOn = true;

/**
 * Returns whether single-letter shortcuts are on. Users can turn them off (WCAG 2.1.4), for example for speech input.
 * The setting is in session storage; local storage has only session, language and theme.
 */
export function areSingleKeysOn(): boolean {
  try {
    return sessionStorage.getItem(storageKey) !== "off";
  } catch {
    return isOn;
  }
}

export function setSingleKeys(on: boolean): void {
  isOn = on;
  try {
    if (on) sessionStorage.removeItem(storageKey);
    else sessionStorage.setItem(storageKey, "off");
  } catch {
    // Private modes may block storage; `isOn` has the setting.
  }
}
