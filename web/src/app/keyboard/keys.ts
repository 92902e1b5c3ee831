import { showOverlay, shownOverlay, typeAhead } from "./overlay.ts";
import { goToSearch, moveToRow } from "./rows.ts";
import { areSingleKeysOn } from "./single-keys.ts";

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

/** Acts on a key pressed anywhere in the page, but not while someone types or uses a dialog or a menu. */
export function onKey(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, shiftKey, target, isComposing, defaultPrevented } = event;
  if (defaultPrevented || isComposing || altKey || !(target instanceof Element)) return;
  if (target.closest("input, textarea, select, [contenteditable=true]") !== null) return;
  if (document.querySelector("[role=dialog], [role=menu]") !== null) return;
  if (act()) event.preventDefault();

  function act(): boolean {
    if (shownOverlay() !== null) {
      const isLetter = key.length === 1 && !ctrlKey && !metaKey;
      if (isLetter) typeAhead(key);
      return isLetter;
    }
    if (ctrlKey || metaKey) {
      if (key.toLowerCase() !== "k" || shiftKey) return false;
      showOverlay("palette");
      return true;
    }
    // Tabs and sliders have their own use for arrows.
    const isFree =
      target === document.body ||
      (target as Element).matches("main, main :is(a, button:not([role=tab]), [role=region])");
    if (isFree && !shiftKey && Object.hasOwn(arrows, key)) return arrows[key]?.() ?? false;
    return areSingleKeysOn() && Object.hasOwn(singleKeys, key) && (singleKeys[key]?.() ?? false);
  }
}

/** The key that goes with K: Command on a Mac, Control elsewhere. */
export const commandKey = /mac|iphone|ipad/i.test(navigator.platform) ? "⌘" : "Ctrl";
