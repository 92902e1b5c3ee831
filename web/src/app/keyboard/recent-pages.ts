import { pathWithin } from "../../lib/base-path.ts";

type RecentPage = { name: string; to: string };

const maxPages = 6;
let ownerId: number | undefined;
let pages: readonly RecentPage[] = [];

/** Remembers an opened page for the palette until the tab reloads. Pages are kept per user. */
export function rememberPage(userId: number, page: RecentPage): void {
  const before = ownerId === userId ? pages : [];
  ownerId = userId;
  pages = [page, ...before.filter(({ to }) => to !== page.to)].slice(0, maxPages + 1);
}

export function recentPages(userId: number | undefined): readonly RecentPage[] {
  if (userId === undefined || userId !== ownerId) return [];
  const here = pathWithin(location.pathname) + location.search;
  return pages.filter(({ to }) => to !== here).slice(0, maxPages);
}
