import { pageSlug, reservedSlugs } from "@sonde/proto/http/status/slugs";
import { defaultSlug, pagePath } from "@sonde/proto/http/status/snapshot";

/** `rest` is the path within the page, `home` its URL path on the requested host. */
export type PagePath = { slug: string; rest: string; home: string };

const canBeSlug = (text: string) => !reservedSlugs.has(text) && pageSlug.safeParse(text).success;

/** `null` if the path does not belong to a page. */
export function pagePathOf(path: string): PagePath | null {
  if (path === "/status") return { slug: defaultSlug, rest: "", home: path };
  if (!path.startsWith("/status/")) return null;
  const first = path.split("/", 3)[2]!;
  // The configuration is a screen of the web app.
  if (first === "config") return null;
  if (!canBeSlug(first)) return { slug: defaultSlug, rest: path.slice("/status".length), home: "/status" };
  return { slug: first, rest: path.slice("/status/".length + first.length), home: pagePath(first) };
}

/** For a page's own host, where the page starts at `/`. */
export function hostPathOf(slug: string, path: string): PagePath | null {
  if (path === "/") return { slug, rest: "", home: "/" };
  const isNamed = path === "/status" || path.startsWith("/status/");
  const found = isNamed ? pagePathOf(path) : { slug, rest: path };
  return found?.slug === slug ? { ...found, home: "/" } : null;
}
