export const storageKeys = {
  token: "token",
  user: "user",
  language: "language",
  theme: "theme",
  timeZone: "timeZone",
  /** Name under which a visitor without an account last acknowledged an alert by its link. */
  acknowledgeAs: "acknowledgeAs",
  /** Ids of the users who are done with the dashboard's first steps, separated by commas. */
  firstSteps: "firstSteps",
} as const;
type StorageKey = keyof typeof storageKeys;

export function readStored(key: StorageKey): string | null {
  try {
    return localStorage.getItem(storageKeys[key]);
  } catch {
    return null;
  }
}

/** Stores a text, or removes it if `null`. If storage is blocked, the value lasts as long as the page. */
export function writeStored(key: StorageKey, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(storageKeys[key]);
    else localStorage.setItem(storageKeys[key], value);
  } catch {
    // Private modes may block storage; see above.
  }
}
