import * as z from "zod";
import { instant, rowId, success } from "../envelope.ts";
import { maxTagsPerTarget, tags } from "../tags.ts";
import { urlOf } from "../monitors/checks/url.ts";
import { nameOf } from "../text.ts";

const maxAgeMs = 24 * 3_600_000;
const maxLinkLength = 500;

/** A change recorded by a user or CI, such as a deployment, that may explain incidents. */
export const change = z.object({
  id: rowId,
  title: z.string(),
  link: z.string().optional(),
  tags: z.array(z.string()),
  at: instant,
  createdBy: z.string(),
});
export type Change = z.infer<typeof change>;

export const changeInput = z.strictObject({
  title: nameOf(200, "Title is required", "The title can have at most {max} characters"),
  link: urlOf()
    .refine((text) => text.length <= maxLinkLength, {
      message: "The address is too long (at most {max} characters)",
      params: { max: maxLinkLength },
    })
    .meta({ maxLength: maxLinkLength })
    .optional(),
  tags: tags.default([]).meta({
    description: `At most ${maxTagsPerTarget}. Only incidents of monitors with one of these tags show the change; without tags, all do.`,
  }),
  at: instant
    .refine((at) => Date.parse(at) <= Date.now(), "This time is in the future")
    .refine((at) => Date.parse(at) >= Date.now() - maxAgeMs, "This time is more than 24 hours ago")
    .optional()
    .meta({ description: "When the change was made, at most 24 hours ago. Defaults to now." }),
});
export type ChangeInput = z.input<typeof changeInput>;

export const changeAnswer = success({ change });
