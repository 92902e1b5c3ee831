/** The keys that the app keeps in local storage, and no others. */
export const storageKeys = {
  token: "token",
  user: "user",
  language: "language",
  theme: "theme",
  timeZone: "timeZone",
  /** As whom someone without an account acknowledged last, by the link of a message. */
  acknowledgeAs: "acknowledgeAs",
} as const;
type StorageKey = keyof typeof storageKeys;

export function readStored(key: StorageKey): string | null {
  try {
    return localStorage.getItem(storageKeys[key]);
  } catch {
    return null;
  }
}

/** Stores a text, or removes it with null. Forbidden storage is no fault: the value then lives as long as the page. */
export function writeStored(key: StorageKey, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(storageKeys[key]);
    else localStorage.setItem(storageKeys[key], value);
  } catch {
    // Private modes may refuse; see above.
  }
}
