import { pageSlug, reservedSlugs } from "@sonde/proto/http/status/slugs";
import { defaultSlug, pagePath } from "@sonde/proto/http/status/snapshot";

/** A path as one of a page: `rest` is what follows the page's own address, which is `home` under the host that was asked. */
export type PagePath = { slug: string; rest: string; home: string };

const canBeSlug = (text: string) => !reservedSlugs.has(text) && pageSlug.safeParse(text).success;

/** The page at a path of the installation's own hosts; null: the path is none of a page, but the app's, or the API's. */
export function pagePathOf(path: string): PagePath | null {
  if (path === "/status") return { slug: defaultSlug, rest: "", home: path };
  if (!path.startsWith("/status/")) return null;
  const first = path.split("/", 3)[2]!;
  // Its configuration is a screen of the web app.
  if (first === "config") return null;
  if (!canBeSlug(first)) return { slug: defaultSlug, rest: path.slice("/status".length), home: "/status" };
  return { slug: first, rest: path.slice("/status/".length + first.length), home: pagePath(first) };
}

/** The same under a host of one page, which begins at `/`; null: there is nothing. */
export function hostPathOf(slug: string, path: string): PagePath | null {
  if (path === "/") return { slug, rest: "", home: "/" };
  const isNamed = path === "/status" || path.startsWith("/status/");
  const found = isNamed ? pagePathOf(path) : { slug, rest: path };
  return found?.slug === slug ? { ...found, home: "/" } : null;
}
