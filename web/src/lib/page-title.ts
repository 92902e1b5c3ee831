let title: string | null = null;
let downCount = 0;
const listeners = new Set<(title: string) => void>();

/** Names the page in the browser's tab, and passes it to those who announce it. */
export function setPageTitle(name: string): void {
  const next = name === "Sonde" ? name : `${name} · Sonde`;
  // The first page is read out by the browser itself.
  if (title !== null && next !== title) for (const listener of listeners) listener(name);
  title = next;
  write();
}

/** How many things are down now: stands before the title, `(3) Dashboard · Sonde`. */
export function setDownCount(count: number): void {
  downCount = count;
  write();
}

/** Receives the name of each page that comes; answers the function that stops it. */
export function onPageTitle(listener: (name: string) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function write() {
  document.title = downCount > 0 ? `(${downCount}) ${title ?? "Sonde"}` : (title ?? "Sonde");
}
