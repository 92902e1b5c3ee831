import * as z from "zod";
import { success } from "../envelope.ts";

export const maxImageBytes = 200_000;
export const imageTypes = ["image/png", "image/jpeg", "image/webp", "image/svg+xml"] as const;
export type ImageType = (typeof imageTypes)[number];

/** Random. Only those who may see the page, or change it, know it. */
export const imageId = z.string().regex(/^[\w-]{22}$/, "Upload the image first");

export const imageInput = z.strictObject({
  data: z
    .base64("Enter the image in base64")
    .max(4 * Math.ceil(maxImageBytes / 3), "The image can have at most 200 KB")
    .meta({ description: "A PNG, JPEG, WebP or SVG image of at most 200,000 bytes, in base64." }),
});
export const storedImage = z.object({ id: imageId, type: z.enum(imageTypes) });
export const imageAnswer = success({ image: storedImage });
