import * as z from "zod";
import { managedBy } from "../config/managed.ts";
import { instant, rowId, success } from "../envelope.ts";
import { network } from "../keys.ts";
import { nameOf } from "../text.ts";
import { email, newPassword } from "../users.ts";
import { accessModes } from "./access.ts";
import { statusConfigFields } from "./config.ts";
import { pageSlug } from "./slugs.ts";

/** At least two labels of letters, digits and hyphens; the last one is not numeric, to exclude IP addresses. */
const dnsName =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const name = (message: string) =>
  z
    .string()
    .max(253)
    .overwrite((text) => text.toLowerCase())
    .refine((text) => dnsName.test(text) && !text.endsWith(".localhost"), message);
const distinct = <Entry>(entries: Entry[]): Entry[] => [...new Set(entries)];

const hosts = z
  .array(name("Enter a host name such as status.example.com"))
  .max(5)
  .overwrite(distinct)
  .meta({ description: "Custom domains that serve only this page.", examples: [["status.example.com"]] });

const accessFields = {
  mode: z.enum(accessModes).meta({
    description: "`members`: users who are logged in to Sonde. `mail`: visitors with an emailed sign-in link.",
  }),
  domains: z
    .array(name("Enter a domain such as example.com"))
    .max(20)
    .overwrite(distinct)
    .meta({ description: "For mode `mail`: every address at these domains can view the page." }),
  addresses: z
    .array(email.overwrite((text) => text.toLowerCase()))
    .max(200)
    .overwrite(distinct)
    .meta({ description: "For mode `mail`: addresses that can view the page." }),
  allowFrom: z
    .array(network)
    .max(20)
    .meta({ description: "Networks that can view the page, in every mode; an empty list allows all." }),
};
const access = z
  .strictObject({
    ...accessFields,
    password: newPassword.meta({ description: "Stored as a hash. A new password signs out all visitors." }),
  })
  .partial();

/** Absent fields stay unchanged. */
export const pageChange = z.strictObject({ ...statusConfigFields, hosts, access }).partial();
export const pageInput = pageChange.extend({ slug: pageSlug, title: statusConfigFields.title });
export type PageChange = z.output<typeof pageChange>;
export type NewPage = z.output<typeof pageInput>;

const pageLink = z.object({
  id: rowId,
  name: z.string(),
  createdAt: instant,
  expiresAt: instant.optional(),
});
export type PageLink = z.infer<typeof pageLink>;

export const statusPage = z.object({
  slug: z.string(),
  ...statusConfigFields,
  hosts: z.array(z.string()),
  access: z.object({ ...accessFields, hasPassword: z.boolean() }),
  links: z.array(pageLink),
  url: z.string().meta({ description: "Address of the page; only a path if PUBLIC_URL is not set." }),
  updatedAt: instant.optional().meta({ description: "Absent if the page was never saved." }),
  managed: managedBy.optional(),
});
export type StatusPage = z.infer<typeof statusPage>;

export const listedPage = z.object({
  slug: z.string(),
  title: z.string(),
  mode: z.enum(accessModes),
  hosts: z.array(z.string()),
  url: z.string(),
});
export type ListedPage = z.infer<typeof listedPage>;

export const pageAnswer = success({ page: statusPage });
export const pagesAnswer = success({ pages: z.array(listedPage).meta({ description: "Default page first." }) });

export const pageLinkInput = z.strictObject({
  name: nameOf(100),
  expiresAt: instant.optional().meta({ description: "If absent, the link works until it is deleted." }),
});
export const pageLinksAnswer = success({ links: z.array(pageLink) });
export const newPageLink = z.object({
  link: pageLink,
  url: z.string().meta({ description: "The link, shown only once." }),
});
export const pageLinkAnswer = success(newPageLink.shape);

/** Password, or email address for a link; empty for members. */
export const unlockInput = z.strictObject({
  password: z.string().min(1).max(1024).optional(),
  email: email.optional(),
});
/** `url`: address of the unlocked page; absent if a link is mailed. */
export const unlockAnswer = success({ url: z.string().optional() });
