import * as z from "zod";
import { success } from "./envelope.ts";
import { nameOf } from "./text.ts";

/** A named choice of filters, order and columns in the list of monitors. */
export const savedView = z.strictObject({
  name: nameOf(60).meta({ description: "Unique among your views." }),
  query: z
    .string()
    .max(2500)
    .regex(/^[\x21-\x7e]*$/)
    .meta({ description: "Parameters of the list's address, such as `status=down&tag=shop&sort=name`." }),
  columns: z.array(z.string().max(40)).max(20).optional(),
  shared: z.literal(true).optional().meta({ description: "Everyone sees it. Viewers cannot share." }),
});
export type SavedView = z.output<typeof savedView>;

const maxViews = 50;
/** Replaces all views of the user. */
export const viewsInput = z.strictObject({
  views: z
    .array(savedView)
    .max(maxViews, "At most {max} views are allowed")
    .refine((views) => new Set(views.map(({ name }) => name)).size === views.length, "This name is already taken"),
});

export const maxSharedViews = 200;
export const viewsAnswer = success({
  views: z.array(savedView),
  shared: z
    .array(z.object({ ...savedView.omit({ shared: true }).shape, by: z.string() }))
    .meta({ description: `Views that others share, at most ${maxSharedViews}.` }),
});
