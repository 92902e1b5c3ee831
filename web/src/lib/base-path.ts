// Also loaded where there is no document, such as in tests.
type Scope = {
  document?: { querySelector(selector: string): { getAttribute(name: string): string | null } | null };
  location?: { origin: string };
};
const { document, location } = globalThis as unknown as Scope;

/** Path of PUBLIC_URL without a trailing slash, which the gateway writes into documents; empty at the root of a host. */
export const basePath: string = document?.querySelector('meta[name="base-path"]')?.getAttribute("content") ?? "";

/** Address of this Sonde, as the browser reaches it. */
export const ownAddress: string = `${location?.origin ?? ""}${basePath}`;

/** The router's path of an address: without the base path. */
export const pathWithin = (pathname: string): string =>
  pathname.startsWith(basePath) ? pathname.slice(basePath.length) || "/" : pathname;
