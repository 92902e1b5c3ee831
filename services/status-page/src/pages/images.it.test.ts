import { AppError } from "@sonde/kit/errors";
import type { TimerClock } from "@sonde/kit/time/clock";
import { systemClock } from "@sonde/kit/time/clock";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openBed, type PageBed } from "../testing/bed.ts";
import { getImage, storeImage } from "./images.ts";
import { createPage, getPage, updatePage } from "./pages.ts";

let bed: PageBed;
let nowMs = Date.UTC(2026, 0, 1);
const clock: TimerClock = { ...systemClock, now: () => nowMs };
beforeEach(async () => {
  bed = await openBed({ clock });
});
afterEach(() => bed.db.destroy());

const upload = async (content: string) =>
  (await storeImage(bed, { data: Buffer.from(content, "latin1").toString("base64") })).image;
const svg = (title: string) => `<svg xmlns="http://www.w3.org/2000/svg"><title>${title}</title></svg>`;
const refused = async (made: Promise<unknown>) => {
  const error = await made.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) throw error;
  return [error.code, ...error.details.map(({ path, message }) => `${path}: ${message}`)];
};

test("a page shows an uploaded logo, whose id reveals nothing about its content", async () => {
  const { id, type } = await upload(svg("Acme"));
  expect(type).toBe("image/svg+xml");
  expect((await upload(svg("Acme"))).id).not.toBe(id);
  expect(await getImage(bed.db, id)).toEqual({ type, data: Buffer.from(svg("Acme")).toString("base64") });
  await createPage(bed, { slug: "acme", title: "Acme", logo: id, favicon: id });
  expect(await getPage(bed, "acme")).toMatchObject({ logo: id, favicon: id });
});

test("other content, and pictures with scripts, are refused with the reason", async () => {
  expect(await refused(upload("GIF89a"))).toEqual(["invalid", "data: Choose a PNG, JPEG, WebP or SVG image"]);
  const harmful = [svg("<script>alert(1)</script>"), svg("").replace("<title", "<g onload = 'x()'/><title")];
  for (const text of [...harmful, svg('<a href="javascript:x()"/>'), svg("<foreignObject/>")]) {
    expect(await refused(upload(text))).toEqual(["invalid", "data: An SVG image cannot contain scripts or HTML"]);
  }
});

test("a page cannot name an image that was not uploaded", async () => {
  const favicon = "a".repeat(22);
  expect(await refused(createPage(bed, { slug: "acme", title: "Acme", favicon }))).toEqual([
    "impossible",
    "favicon: Upload the image first",
  ]);
});

test("images that no page uses are deleted after a day", async () => {
  const [used, former, fresh] = [await upload(svg("used")), await upload(svg("former")), svg("fresh")];
  await createPage(bed, { slug: "acme", title: "Acme", logo: used.id, favicon: former.id });
  nowMs += 90_000_000;
  await updatePage(bed, { slug: "acme", favicon: null });
  await upload(fresh);
  expect((await getImage(bed.db, used.id)).type).toBe("image/svg+xml");
  expect(await refused(getImage(bed.db, former.id))).toEqual(["not_found"]);
});
