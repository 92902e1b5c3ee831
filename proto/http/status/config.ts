import * as z from "zod";
import { managedBy } from "../config/managed.ts";
import { rowId, rowIds, success } from "../envelope.ts";
import type { FormField } from "../form.ts";
import { nameOf, textOf } from "../text.ts";
import { targetTypes } from "../monitors/targets.ts";
import { imageId } from "./images.ts";
import { pageLanguages, usualLanguages } from "./languages.ts";

export const themeModes = ["light", "dark", "auto"] as const;
/** Maximum number of monitors and agents in total. */
export const maxTargets = 500;
const maxGroups = 50;
const maxOrigins = 20;
const maxCssBytes = 20_000;

const ids = rowIds(maxTargets);

const httpUrl = z
  .string()
  .max(2048)
  .refine(
    (text) => URL.canParse(text) && ["http:", "https:"].includes(new URL(text).protocol),
    "Enter an http or https address",
  );

/** Returns true if an origin is a single site without characters that have a meaning in Content-Security-Policy. */
export const isPlainOrigin = (text: string): boolean => /^https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/.test(text);

/** An origin as in Content-Security-Policy: `https://example.com`, without a path. */
const origin = z
  .string()
  .max(300)
  .refine(
    (text) => URL.canParse(text) && new URL(text).origin === text && isPlainOrigin(text),
    "Enter an origin such as https://example.com, without a path",
  );

const group = z.strictObject({
  name: nameOf(60),
  monitors: ids.default([]),
  agents: ids.default([]),
});

export const statusConfigFields = {
  title: nameOf(100, "Title is required", "The title can have at most {max} characters"),
  description: textOf({ max: 500 }),
  logo: imageId.nullable().meta({ description: "Id of an uploaded image, which replaces `logoUrl`; null for none." }),
  logoUrl: httpUrl.nullable().meta({ description: "Image URL; null for none." }),
  favicon: imageId.nullable().meta({ description: "Id of an uploaded image; null for the logo, or Sonde's icon." }),
  theme: z.strictObject({
    mode: z.enum(themeModes).default("auto"),
    accent: z
      .string()
      .regex(/^#[\dA-Fa-f]{6}$/, "Enter a color such as #2563eb")
      .default("#2563eb"),
  }),
  monitors: ids.meta({ description: "API services on the page, in order." }),
  agents: ids.meta({ description: "Agents on the page, in order." }),
  groups: z.array(group).max(maxGroups).meta({
    description: "Named groups, in order. Services outside all groups are listed under the heading of their kind.",
  }),
  names: z
    .array(
      z.strictObject({
        type: z.enum(targetTypes),
        id: rowId,
        name: nameOf(100),
      }),
    )
    .max(maxTargets)
    .meta({ description: "Display names of monitors and agents on the page." }),
  languages: z
    .array(z.enum(pageLanguages))
    .min(1, "Enter at least one language")
    .overwrite((languages) => [...new Set(languages)])
    .meta({ description: "Languages for visitors; the first is the default. More languages take longer to publish." }),
  footer: textOf({ max: 2000 }).meta({ description: "Markdown." }),
  css: z
    .string()
    .refine((css) => new TextEncoder().encode(css).length <= maxCssBytes, "The CSS can have at most 20 KB")
    .meta({
      description: "Style sheet, at most 20 KB. It must not load anything, except images in `data:` addresses.",
    }),
  showResponseTimes: z.boolean(),
  showIncidents: z.boolean().meta({ description: "Also lists incidents without an announcement." }),
  searchable: z.boolean().meta({ description: "Allows search engines to index the page." }),
  embedOrigins: z
    .array(origin)
    .max(maxOrigins)
    .overwrite((origins) => [...new Set(origins)])
    .meta({ description: "Origins that may embed the page in a frame." }),
  subscriptions: z.strictObject({
    enabled: z.boolean().default(false),
    channelId: rowId
      .nullable()
      .default(null)
      .meta({ description: "Id of the smtp or resend channel that sends the emails." }),
  }),
};

/** Complete configuration of a page. */
export const statusConfig = z.strictObject(statusConfigFields);
export type StatusConfig = z.output<typeof statusConfig>;

/** Fields with their own form components; all others are drawn from `pageForm`. */
type OwnField = "logo" | "favicon" | "theme" | "monitors" | "agents" | "groups" | "names" | "subscriptions";
export type PageSetting = Exclude<keyof StatusConfig, OwnField>;
type SettingField = Omit<FormField, "name"> & { card: "general" | "logo" | "appearance" | "visibility" };

/** Card and input type of each setting, in form order. */
export const pageForm: Record<PageSetting, SettingField> = {
  title: { card: "general", input: "text" },
  description: { card: "general", input: "paragraph" },
  footer: { card: "general", input: "paragraph" },
  languages: { card: "general", input: "list", placeholder: "en-US" },
  logoUrl: { card: "logo", input: "url", placeholder: "https://example.com/logo.svg" },
  showResponseTimes: { card: "appearance", input: "switch" },
  showIncidents: { card: "appearance", input: "switch" },
  css: { card: "appearance", input: "lines", placeholder: ".top { border-bottom: 2px solid #f60 }" },
  searchable: { card: "visibility", input: "switch" },
  embedOrigins: { card: "visibility", input: "list", placeholder: "https://example.com" },
};

/** Absent fields stay unchanged. */
export const statusConfigInput = z.strictObject(statusConfigFields).partial();
export type StatusConfigInput = z.output<typeof statusConfigInput>;

export const defaultStatusConfig: StatusConfig = {
  title: "Sonde",
  description: "",
  logo: null,
  logoUrl: null,
  favicon: null,
  theme: { mode: "auto", accent: "#2563eb" },
  monitors: [],
  agents: [],
  groups: [],
  names: [],
  languages: usualLanguages,
  footer: "",
  css: "",
  showResponseTimes: true,
  showIncidents: true,
  searchable: true,
  embedOrigins: [],
  subscriptions: { enabled: false, channelId: null },
};

/**
 * Returns the first error across fields, with its path: too many targets, or a group with targets that are not on the
 * page or in another group.
 */
export function configFault(config: StatusConfig): {
  path: (string | number)[];
  message: "Too many entries (maximum {max})" | "This is not shown on the page" | "This is already in another group";
  params: { max: number };
} | null {
  const params = { max: maxTargets };
  if (config.monitors.length + config.agents.length > maxTargets) {
    return { path: ["monitors"], message: "Too many entries (maximum {max})", params };
  }
  const taken = new Set<string>();
  for (const [index, one] of config.groups.entries()) {
    for (const key of ["monitors", "agents"] as const) {
      for (const [at, target] of one[key].entries()) {
        const path = ["groups", index, key, at];
        if (!config[key].includes(target)) return { path, message: "This is not shown on the page", params };
        if (taken.has(`${key}:${target}`)) return { path, message: "This is already in another group", params };
        taken.add(`${key}:${target}`);
      }
    }
  }
  return null;
}

export const statusConfigAnswer = success({
  config: z.object(statusConfigFields),
  managed: managedBy.optional(),
  publicUrl: z.string().meta({ description: "Address of the page; only a path if PUBLIC_URL is not set." }),
});
/** `slug` of the page to preview: the default page if absent, a new page if unknown. */
export const statusPreviewInput = statusConfigInput.extend({ slug: z.string().max(100).optional() });
/** The rendered page with an unsaved configuration. */
export const statusPreviewAnswer = success({ html: z.string() });
