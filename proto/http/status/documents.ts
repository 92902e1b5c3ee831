import * as z from "zod";
import { impacts } from "./status.ts";

/** Of the public page's documents. */
export type PageLanguage = "zh-CN" | "en-US";
export const pageLanguages: readonly PageLanguage[] = ["zh-CN", "en-US"];

/**
 * Documents are published in parts, each one value of the bucket `status`: what changes together is one part. The page
 * comes last, for visitors fetch it when it arrives, and what it links to should be there by then.
 */
export const documentParts = ["json", "others", "incidents", "badges", "page"] as const;
export type DocumentPart = (typeof documentParts)[number];
export const documentsKey = (slug: string, part: DocumentPart) => `${slug}.documents.${part}`;

/** In every document of a page, also in those of pages that are locked or missing: what answers is Sonde. */
export const pageMark = '<meta name="generator" content="Sonde"';

/** The documents that no page has for itself: of pages that are locked or missing. Packed as a part is. */
export const neutralKey = "_.documents";

/** Names of documents. Of `page` and `json` there is a second form for when nothing newer arrives: `outdatedName`. */
export const documentNames = {
  json: "json",
  of: (kind: "page" | "history" | "embed" | "missing" | "feed" | NeutralKind, language: PageLanguage) =>
    `${kind}.${language}`,
  incident: (id: string, language: PageLanguage) => `incident.${id}.${language}`,
  badge: (kind: string, id: number, language: PageLanguage) => `badge.${kind}.${id}.${language}`,
};
export type FormKind = "notice" | "confirm" | "unsubscribe";
/**
 * What `neutralKey` has: the forms without a page's title and colours, and `locked` (blank `error`: a sentence over its
 * form), `open` (blank `token`). Their forms have no `action`: they are posted to the address where they are shown.
 */
export type NeutralKind = FormKind | "locked" | "open";
export const outdatedName = (name: string) => `${name}.outdated`;

/**
 * Placeholders for the texts of one visitor in the documents of forms: random, so that they equal no text of the page.
 */
const blanks = z.record(z.string(), z.string());

/**
 * What the gateway needs to serve the page, beside its documents: settings that become headers, and the data of
 * visitors' streams.
 */
const pageSummary = z.object({
  logoUrl: z.string().nullable(),
  searchable: z.boolean(),
  embedOrigins: z.array(z.string()),
  /** Ids of what the page shows. */
  monitors: z.array(z.int()),
  agents: z.array(z.int()),
  /** Of announcements that are open. */
  openImpacts: z.array(z.enum(impacts)),
  /** Changes whenever a visitor should fetch the page again; figures of the days that are shown are not in it. */
  content: z.string(),
});
export type PageSummary = z.infer<typeof pageSummary>;

/** The first line of a part; the documents' bytes follow one another. Parts are compressed by Brotli. */
export const documentsHeader = z.object({
  /** Of the part `page` alone. */
  summary: pageSummary.optional(),
  documents: z.array(
    z.object({ name: z.string(), etag: z.string(), sizeBytes: z.int().nonnegative(), blanks: blanks.optional() }),
  ),
});
export type DocumentsHeader = z.infer<typeof documentsHeader>;
