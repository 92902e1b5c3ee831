type RecentPage = { name: string; to: string };

const maxPages = 6;
let ownerId: number | undefined;
let pages: readonly RecentPage[] = [];

/** Keeps a page that was opened, for the palette, as long as the tab is not loaded again. No user sees another's. */
export function rememberPage(userId: number, page: RecentPage): void {
  const before = ownerId === userId ? pages : [];
  ownerId = userId;
  pages = [page, ...before.filter(({ to }) => to !== page.to)].slice(0, maxPages + 1);
}

export function recentPages(userId: number | undefined): readonly RecentPage[] {
  if (userId === undefined || userId !== ownerId) return [];
  const here = location.pathname + location.search;
  return pages.filter(({ to }) => to !== here).slice(0, maxPages);
}
