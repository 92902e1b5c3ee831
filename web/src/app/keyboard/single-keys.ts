const storageKey = "singleKeys";
/** For pages whose storage is forbidden: the choice then lives as long as the page. */
let isOn = true;

/**
 * Whether shortcuts of one letter act. They can be turned off (WCAG 2.1.4): speech input types letters by itself. The
 * choice is kept in the tab's session storage; local storage holds the session, the language and the theme alone.
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
    // Private modes may refuse; see above.
  }
}
