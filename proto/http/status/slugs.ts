import * as z from "zod";

const slugPattern = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;
export const pageSlug = z
  .string()
  .regex(slugPattern, "Use 1 to 40 lowercase letters, digits and hyphens, starting and ending with a letter or digit")
  .meta({ description: "URL slug of the page; it never changes.", examples: ["acme"] });

export const maxPages = 50;

export const onPages = z
  .array(pageSlug)
  .max(maxPages)
  .overwrite((slugs) => [...new Set(slugs)])
  .nullable()
  .meta({ description: "Slugs of the pages that show it; null means all pages that show one of its targets." });

/** `/status/<one of these>` is a document of the default page. */
export const reservedSlugs: ReadonlySet<string> = new Set([
  ..."config history embed incidents feed badges events subscribe confirm unsubscribe open unlock".split(" "),
  ..."maintenance announcements subscribers missing".split(" "),
]);
