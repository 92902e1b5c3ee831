import * as z from "zod";

export const accessModes = ["public", "password", "members", "mail"] as const;
export type AccessMode = (typeof accessModes)[number];

/** A key of the bucket `status`. */
export const accessKey = (slug: string) => `${slug}.access`;

/**
 * Who may read a page, as JSON in the bucket: gateways decide from it, so that a private page survives its databases. Of
 * a page without one: the default page is public, any other is not there. One that cannot be read, as of a later
 * version, locks the page.
 */
export const pageAccess = z.object({
  /** Rises with each change. */
  revision: z.int(),
  mode: z.enum(accessModes),
  /** Host names at which this page alone answers. */
  hosts: z.array(z.string()),
  /** Of cookies and tickets: 32 bytes in base64, another after each change of mode or password. Absent: public. */
  key: z.string().optional(),
  /** Shared links. `hash`: SHA-256 of the token, base64url. */
  links: z.array(z.object({ id: z.int(), hash: z.string(), expiresAtMs: z.number().optional() })),
  /** Networks that may read it, whatever the mode; none: all. */
  allowFrom: z.array(z.string()),
});
export type PageAccess = z.infer<typeof pageAccess>;

/** Whether documents of a page are for some alone: sent as `private, no-store`, and to no search engine. */
export const isPrivate = ({ mode, allowFrom }: Pick<PageAccess, "mode" | "allowFrom">): boolean =>
  mode !== "public" || allowFrom.length > 0;
