import * as z from "zod";

export const accessModes = ["public", "password", "members", "mail"] as const;
export type AccessMode = (typeof accessModes)[number];

/** A key of the bucket `status`. */
export const accessKey = (slug: string) => `${slug}.access`;

/**
 * Who can view a page, as JSON in the bucket. Gateways decide with it, so private pages remain available without the
 * databases. Without an entry, the default page is public and any other does not exist. An unreadable entry, such as
 * one of a later version, locks the page.
 */
export const pageAccess = z.object({
  /** Increases with each change. */
  revision: z.int(),
  mode: z.enum(accessModes),
  /** Custom domains that serve only this page. */
  hosts: z.array(z.string()),
  /**
   * Key of cookies and tickets: 32 bytes in base64, replaced when the mode or password changes. Absent for public
   * pages.
   */
  key: z.string().optional(),
  /** Access links. `hash`: SHA-256 of the token in base64url. */
  links: z.array(z.object({ id: z.int(), hash: z.string(), expiresAtMs: z.number().optional() })),
  /** Networks that can view the page in every mode; an empty list allows all. */
  allowFrom: z.array(z.string()),
});
export type PageAccess = z.infer<typeof pageAccess>;

/**
 * Returns true if access to a page is restricted; its documents are then sent as `private, no-store` and not indexed.
 */
export const isPrivate = ({ mode, allowFrom }: Pick<PageAccess, "mode" | "allowFrom">): boolean =>
  mode !== "public" || allowFrom.length > 0;
