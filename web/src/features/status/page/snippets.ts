import type { BadgeKind } from "@sonde/proto/http/status/status";

export type SnippetForm = "markdown" | "html";

export const feedPath = "/api/status/feed.atom";
const embedPath = "/status/embed";

/** A badge's path on this server. */
export const badgePath = (monitor: number, kind: BadgeKind) => `/api/status/badges/${monitor}.svg?kind=${kind}`;

const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign] ?? sign);
const escapeMarkdown = (text: string) => text.replace(/[\\[\]]/g, (sign) => `\\${sign}`);

/**
 * A badge that leads to the page, for a README or a web page.
 * @param page the page's whole address
 * @param alt the text where images are not shown
 */
export function badgeSnippet(page: string, monitor: number, kind: BadgeKind, form: SnippetForm, alt: string): string {
  const image = new URL(badgePath(monitor, kind), page).href;
  return form === "markdown"
    ? `[![${escapeMarkdown(alt)}](${image})](${page})`
    : `<a href="${escapeHtml(page)}"><img src="${escapeHtml(image)}" alt="${escapeHtml(alt)}"></a>`;
}

/** One line of status for another site's footer. */
export const embedSnippet = (page: string, title: string): string =>
  `<iframe src="${escapeHtml(new URL(embedPath, page).href)}" title="${escapeHtml(title)}" width="320" height="48" style="border: 0"></iframe>`;
