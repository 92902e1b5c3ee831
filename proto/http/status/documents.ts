import * as z from "zod";
import { type PageLanguage, pageLanguages, usualLanguages } from "./languages.ts";
import { impacts } from "./status.ts";

export { type PageLanguage, pageLanguages } from "./languages.ts";

/**
 * Documents are published in parts, one value of the bucket `status` each, grouped by what changes together. The page
 * is last: visitors fetch it when it arrives, and the documents it links to must exist by then.
 */
export const documentParts = ["json", "others", "incidents", "badges", "page"] as const;
export type DocumentPart = (typeof documentParts)[number];
/** `images` has uploaded images, which are not rendered. */
export const publishedParts = ["images", ...documentParts] as const;
export type PublishedPart = (typeof publishedParts)[number];
export const documentsKey = (slug: string, part: PublishedPart) => `${slug}.documents.${part}`;

/** Contained in every document, including those of locked or missing pages, to show that Sonde responds. */
export const pageMark = '<meta name="generator" content="Sonde"';

/** Key of the documents shared by all pages, for locked or missing ones. Packed like a part. */
export const neutralKey = "_.documents";

/** Document names. `page` and `json` have a second version for when data is outdated: `outdatedName`. */
export const documentNames = {
  json: "json",
  style: "style",
  of: (kind: "page" | "history" | "embed" | "missing" | "feed" | NeutralKind, language: PageLanguage) =>
    `${kind}.${language}`,
  incident: (id: string, language: PageLanguage) => `incident.${id}.${language}`,
  image: (id: string) => `image.${id}`,
  badge: (kind: string, id: number, language: PageLanguage) => `badge.${kind}.${id}.${language}`,
};
export type FormKind = "notice" | "confirm" | "unsubscribe";
/**
 * Documents under `neutralKey`: the forms without a page's title and colours, `locked` (blank `error`: message above
 * the form) and `open` (blank `token`). Their forms have no `action` and post to the address where they are shown.
 */
export type NeutralKind = FormKind | "locked" | "open";
export const outdatedName = (name: string) => `${name}.outdated`;

/** Placeholders in form documents for texts of one visitor; random, so that no text of the page equals them. */
const blanks = z.record(z.string(), z.string());

/** Data the gateway needs besides the documents: settings that become headers, and data for visitors' streams. */
const pageSummary = z.object({
  logoUrl: z.string().nullable(),
  searchable: z.boolean(),
  embedOrigins: z.array(z.string()),
  /** The first one is the default. Pages published by the previous version lack it. */
  languages: z.array(z.enum(pageLanguages)).default(usualLanguages),
  /** True if the page's style sheet contains images. */
  hasImages: z.boolean().default(false),
  /** Ids of the monitors and agents shown. */
  monitors: z.array(z.int()),
  agents: z.array(z.int()),
  /** Impacts of open announcements. */
  openImpacts: z.array(z.enum(impacts)),
  /** Changes when visitors should fetch the page again; daily figures do not affect it. */
  content: z.string(),
});
export type PageSummary = z.infer<typeof pageSummary>;

/** First line of a part, followed by the bytes of all documents. Parts are compressed with Brotli. */
export const documentsHeader = z.object({
  /** Only in the part `page`. */
  summary: pageSummary.optional(),
  documents: z.array(
    z.object({
      name: z.string(),
      etag: z.string(),
      sizeBytes: z.int().nonnegative(),
      blanks: blanks.optional(),
      /** Media type of an image. */
      type: z.string().optional(),
    }),
  ),
});
export type DocumentsHeader = z.infer<typeof documentsHeader>;
