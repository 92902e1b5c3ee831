import type { PageLanguage } from "@sonde/proto/http/status/documents";
import type { PublicIncident, PublicMaintenance } from "@sonde/proto/http/status/status";
import type { PageSnapshot } from "@sonde/proto/http/status/snapshot";
import { html, write } from "@sonde/kit/http/html";
import { servingWords, type ServingWords } from "./words/serving.ts";

/** `content`: HTML; users' texts are rendered and safe. */
type FeedEntry = { id: string; title: string; published: string; updated: string; path: string; content: string };

/**
 * Incidents and maintenance as an Atom feed (RFC 4287). `publicUrl`: base of links; without it they are relative to the
 * feed's own address, since its host name is unknown. Ids are tag URIs (RFC 4151): they stay the same while PUBLIC_URL
 * does.
 */
export function makeFeed({
  snapshot,
  language,
  publicUrl,
}: {
  snapshot: PageSnapshot;
  language: PageLanguage;
  publicUrl: string | null;
}): string {
  const words = servingWords[language].feed;
  const link = (path: string) => `${publicUrl ?? ""}${path}`;
  const host = publicUrl === null ? "sonde.invalid" : new URL(publicUrl).hostname;
  const tag = (name: string) => `tag:${host},2026:status${name}`;
  const entries = [
    ...snapshot.incidents.map((incident) => ofIncident(incident, words)),
    ...snapshot.maintenance.map((maintenance) => ofMaintenance(maintenance, words, snapshot.builtAtMs)),
  ].toSorted((left, right) => right.updated.localeCompare(left.updated));
  const updated = entries[0]?.updated ?? new Date(snapshot.builtAtMs).toISOString();
  return writeXml(xml`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}">
<id>${tag("")}</id>
<title>${words.title(snapshot.page.title)}</title>
<updated>${updated}</updated>
<author><name>${snapshot.page.title}</name></author>
<link rel="self" type="application/atom+xml" href="${link("/api/status/feed.atom")}"/>
<link rel="alternate" type="text/html" href="${link("/status")}"/>
${entries.map((entry) => writeEntry(entry, tag, link))}</feed>
`);
}

const writeEntry = (
  { id, title, published, updated, path, content }: FeedEntry,
  tag: (name: string) => string,
  link: (path: string) => string,
): Xml => xml`<entry>
<id>${tag(`:${id}`)}</id>
<title>${title}</title>
<published>${published}</published>
<updated>${updated}</updated>
<link rel="alternate" type="text/html" href="${link(path)}"/>
<content type="html">${content}</content>
</entry>
`;

function ofIncident(incident: PublicIncident, words: ServingWords["feed"]): FeedEntry {
  const { id, kind, openedAt, closedAt, updates, postMortem } = incident;
  const names = incident.targets.map(({ name }) => name).join(", ");
  const automatic = kind === "offline" ? words.offline : words.down;
  const times = [`${words.opened}: ${instant(openedAt)}`];
  if (closedAt !== undefined) times.push(`${words.closed}: ${instant(closedAt)}`);
  return {
    id,
    title: incident.title ?? automatic(names || words.noName),
    published: openedAt,
    updated: newest([openedAt, closedAt, ...updates.map(({ at }) => at)]),
    path: `/status/incidents/${id}`,
    content: [
      names === "" ? "" : paragraph(words.affected(names)),
      ...updates.map(({ at, state, html: text }) => paragraph(`${words.states[state]} · ${instant(at)}`) + text),
      postMortem === undefined ? "" : paragraph(words.postMortem) + postMortem.html,
      ...(kind === "announced" ? [] : times.map(paragraph)),
    ].join("\n"),
  };
}

function ofMaintenance(maintenance: PublicMaintenance, words: ServingWords["feed"], nowMs: number): FeedEntry {
  const { id, name, note, start, end, status, targets } = maintenance;
  const names = targets.map((target) => target.name).join(", ");
  // A snapshot of the version before does not have when it was planned: no later than now, and than its beginning.
  const published = maintenance.createdAt ?? new Date(Math.min(Date.parse(start), nowMs)).toISOString();
  const begun = status === "scheduled" ? undefined : start;
  return {
    // Each time that a window recurs is an entry.
    id: `w${id}:${start}`,
    title: words.maintenance(name),
    published,
    // Its start and its end change the text of an entry (RFC 4287, 4.2.15).
    updated: newest([published, maintenance.updatedAt, begun, status === "ended" ? end : undefined]),
    path: "/status",
    content: [
      paragraph(words.from(instant(start), instant(end))),
      names === "" ? "" : paragraph(words.affected(names)),
      note?.html ?? "",
    ].join("\n"),
  };
}

const paragraph = (text: string): string => write(html`<p>${text}</p>`);
/** To the minute: `2026-01-31 12:00`. */
const instant = (iso: string): string => iso.slice(0, 16).replace("T", " ");
const newest = (instants: readonly (string | undefined)[]): string =>
  instants.reduce<string>((last, at) => (at !== undefined && at > last ? at : last), "");

const marker: unique symbol = Symbol("xml");

/** A text that is XML already; only `xml` makes one. */
type Xml = { readonly [marker]: string };
type Content = Xml | string | null | readonly Content[];

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };
/** What XML 1.0 (2.2) has no place for, not even escaped. */
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** XML from a template; inserted values are escaped, unless they are XML. Lists are joined, null is "". */
export function xml(parts: TemplateStringsArray, ...contents: Content[]): Xml {
  return { [marker]: String.raw({ raw: parts }, ...contents.map(textOf)) };
}

const writeXml = (document: Xml): string => document[marker];

function textOf(content: Content): string {
  if (content === null) return "";
  if (typeof content === "object") return marker in content ? content[marker] : content.map(textOf).join("");
  return content
    .toWellFormed()
    .replace(forbidden, "")
    .replace(/[&<>"']/g, (character) => entities[character]!);
}
