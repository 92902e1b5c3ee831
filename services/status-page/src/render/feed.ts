import type { PageLanguage } from "@sonde/proto/http/status/documents";
import type { PublicIncident, PublicMaintenance } from "@sonde/proto/http/status/status";
import { defaultSlug, pagePath, type PageSnapshot } from "@sonde/proto/http/status/snapshot";
import { html, html as xml, write } from "@sonde/kit/http/html";
import { pathIn, words } from "./view.ts";
import type { PageWords } from "./words/en-US.ts";

/** `content`: HTML; users' texts are rendered and safe. */
type FeedEntry = { id: string; title: string; published: string; updated: string; path: string; content: string };

/**
 * Renders incidents and maintenance as an Atom feed (RFC 4287). Without `publicUrl` links are relative to the feed,
 * since its host name is unknown. Ids are tag URIs (RFC 4151), which are stable while PUBLIC_URL is.
 */
export function makeFeed({
  snapshot,
  language,
  publicUrl,
  slug = defaultSlug,
}: {
  snapshot: PageSnapshot;
  slug?: string | undefined;
  language: PageLanguage;
  publicUrl: string | null;
}): string {
  const labels = words[language];
  const link = (path: string) => `${publicUrl ?? ""}${pathIn({ slug }, path)}`;
  const host = publicUrl === null ? "sonde.invalid" : new URL(publicUrl).hostname;
  const tag = (name: string) => `tag:${host},2026:${pagePath(slug).slice(1)}${name}`;
  const self = slug === defaultSlug ? `${publicUrl ?? ""}/api/status/feed.atom` : link("/status/feed.atom");
  const entries = [
    ...snapshot.incidents.map((incident) => ofIncident(incident, labels)),
    ...snapshot.maintenance.map((maintenance) => ofMaintenance(maintenance, labels, snapshot.builtAtMs)),
  ].toSorted((left, right) => right.updated.localeCompare(left.updated));
  const updated = entries[0]?.updated ?? new Date(snapshot.builtAtMs).toISOString();
  return toXml(
    write(xml`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}">
<id>${tag("")}</id>
<title>${labels.atom.title(snapshot.page.title)}</title>
<updated>${updated}</updated>
<author><name>${snapshot.page.title}</name></author>
<link rel="self" type="application/atom+xml" href="${self}"/>
<link rel="alternate" type="text/html" href="${link("/status")}"/>
${entries.map((entry) => writeEntry(entry, tag, link))}</feed>
`),
  );
}

const writeEntry = (
  { id, title, published, updated, path, content }: FeedEntry,
  tag: (name: string) => string,
  link: (path: string) => string,
) => xml`<entry>
<id>${tag(`:${id}`)}</id>
<title>${title}</title>
<published>${published}</published>
<updated>${updated}</updated>
<link rel="alternate" type="text/html" href="${link(path)}"/>
<content type="html">${content}</content>
</entry>
`;

function ofIncident(incident: PublicIncident, { atom, ...labels }: PageWords): FeedEntry {
  const { id, kind, openedAt, closedAt, updates, postMortem } = incident;
  const names = incident.targets.map(({ name }) => name).join(labels.listComma);
  const times = [`${labels.began}: ${instant(openedAt)}`];
  if (closedAt !== undefined) times.push(`${atom.closed}: ${instant(closedAt)}`);
  return {
    id,
    title: incident.title ?? atom.automatic[kind === "announced" ? "down" : kind](names || labels.aService),
    published: openedAt,
    updated: newest([openedAt, closedAt, ...updates.map(({ at }) => at)]),
    path: `/status/incidents/${id}`,
    content: [
      names === "" ? "" : paragraph(atom.affected(names)),
      ...updates.map(({ at, state, html: text }) => paragraph(`${labels.updates[state]} · ${instant(at)}`) + text),
      postMortem === undefined ? "" : paragraph(labels.postMortem) + postMortem.html,
      ...(kind === "announced" ? [] : times.map(paragraph)),
    ].join("\n"),
  };
}

function ofMaintenance(maintenance: PublicMaintenance, { atom, listComma }: PageWords, nowMs: number): FeedEntry {
  const { id, name, note, start, end, status, targets } = maintenance;
  const names = targets.map((target) => target.name).join(listComma);
  // A snapshot of the previous version lacks this; it is at most now, and at most the start.
  const published = maintenance.createdAt ?? new Date(Math.min(Date.parse(start), nowMs)).toISOString();
  const begun = status === "scheduled" ? undefined : start;
  return {
    // Each occurrence of a recurring window is an entry.
    id: `w${id}:${start}`,
    title: atom.maintenance(name),
    published,
    // Start and end change an entry's text (RFC 4287, 4.2.15).
    updated: newest([published, maintenance.updatedAt, begun, status === "ended" ? end : undefined]),
    path: "/status",
    content: [
      paragraph(atom.from(instant(start), instant(end))),
      names === "" ? "" : paragraph(atom.affected(names)),
      note?.html ?? "",
    ].join("\n"),
  };
}

const paragraph = (text: string): string => write(html`<p>${text}</p>`);
/** To the minute: `2026-01-31 12:00`. */
const instant = (iso: string): string => iso.slice(0, 16).replace("T", " ");
const newest = (instants: readonly (string | undefined)[]): string =>
  instants.reduce<string>((last, at) => (at !== undefined && at > last ? at : last), "");

/** Characters that XML 1.0 (2.2) excludes even if escaped. */
// oxlint-disable-next-line no-control-regex -- the pattern matches them on purpose
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const toXml = (text: string): string => text.toWellFormed().replace(forbidden, "");
