import { AppError, impossible, invalid } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import type { StatusConfig } from "@sonde/proto/http/status/config";
import type { ImageType } from "@sonde/proto/http/status/images";
import { randomBytes } from "node:crypto";
import type { Context } from "../context.ts";

export type StoredImage = { id: string; type: ImageType; bytes: Buffer };

/** Gives users an early error. The gateway's policy protects visitors: it forbids all scripts. */
const scripted = /<(?:\w+:)?(?:script|foreignObject)|\son\w+\s*=|javascript:/i;
const maxImages = 300;
/** How long an image may wait to be used by a page. */
const unusedMs = 86_400_000;

/** Stores an image until a page uses it, or for a day. @throws AppError `invalid`, `impossible` */
export async function storeImage(
  { db, clock }: Pick<Context, "db" | "clock">,
  { data }: { data: string },
): Promise<{ image: Omit<StoredImage, "bytes"> }> {
  const bytes = Buffer.from(data, "base64");
  const type = imageTypeOf(bytes);
  if (type === null) throw invalid([{ path: "data", message: "Choose a PNG, JPEG, WebP or SVG image" }]);
  if (type === "image/svg+xml" && scripted.test(bytes.toString())) {
    throw invalid([{ path: "data", message: "An SVG image cannot contain scripts or HTML" }]);
  }
  // Random: an id derived from the content would reveal who uses a known logo.
  const image = { id: randomBytes(16).toString("base64url"), type };
  const nowMs = Math.round(clock.now());
  await db.transaction(async (trx) => {
    // Concurrent uploads would each count the images without the others.
    await trx.raw("lock table page_images in share row exclusive mode");
    await trx("page_images")
      .where("uploaded_at_ms", "<", nowMs - unusedMs)
      .whereRaw("not exists (select 1 from pages where page_images.id in (config->>'logo', config->>'favicon'))")
      .delete();
    const [{ count } = { count: 0 }] = await trx("page_images").count<{ count: number }[]>();
    if (Number(count) >= maxImages)
      throw new AppError("impossible", "Too many images were uploaded. Try again tomorrow");
    await trx("page_images").insert({ ...image, bytes, uploaded_at_ms: nowMs });
  });
  return { image };
}

/** Decides by content: names and declared types are not reliable. */
export function imageTypeOf(bytes: Buffer): ImageType | null {
  const starts = (text: string, at = 0) => bytes.subarray(at, at + text.length).equals(Buffer.from(text, "latin1"));
  if (starts("\x89PNG\r\n\x1A\n")) return "image/png";
  if (starts("\xFF\xD8\xFF")) return "image/jpeg";
  if (starts("RIFF") && starts("WEBP", 8)) return "image/webp";
  const beginning = bytes.toString("utf8", 0, 4096).replace(/<!--[^]*?-->/g, "");
  const isSvg = /^\uFEFF?\s*(?:<\?xml[^>]*>\s*)?(?:<!DOCTYPE[^>]*>\s*)?<svg[\s>/]/i.test(beginning);
  return isSvg ? "image/svg+xml" : null;
}

export const imagesOf = ({ logo, favicon }: Pick<StatusConfig, "logo" | "favicon">): string[] =>
  [...new Set([logo, favicon])].filter((id) => id !== null);

export const loadImages = (db: Database, ids: readonly string[]): Promise<StoredImage[]> =>
  db<StoredImage>("page_images").whereIn("id", ids).orderBy("id").select("id", "type", "bytes");

/** @throws AppError `not_found` */
export async function getImage(db: Database, id: string): Promise<{ type: ImageType; data: string }> {
  const [image] = await loadImages(db, [id]);
  if (image === undefined) throw new AppError("not_found", "Image does not exist");
  return { type: image.type, data: image.bytes.toString("base64") };
}

/**
 * Restarts the time that the images may be unused, so that a concurrent upload does not delete them.
 * @throws AppError `impossible` for newly chosen images that do not exist
 */
export async function useImages(
  { db, clock }: Pick<Context, "db" | "clock">,
  after: StatusConfig,
  before: StatusConfig | undefined,
): Promise<void> {
  const found = await db("page_images")
    .whereIn("id", imagesOf(after))
    .update({ uploaded_at_ms: Math.round(clock.now()) }, ["id"]);
  const known = new Set<string | null>([null, ...found.map(({ id }) => id as string)]);
  const missing = (["logo", "favicon"] as const).filter(
    (path) => after[path] !== before?.[path] && !known.has(after[path]),
  );
  if (missing.length > 0) throw impossible(missing.map((path) => ({ path, message: "Upload the image first" })));
}
