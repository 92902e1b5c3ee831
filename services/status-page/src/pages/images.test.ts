import { expect, test } from "vitest";
import { imageTypeOf } from "./images.ts";

const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>';

test.each([
  ["PNG", "\x89PNG\r\n\x1A\n....", "image/png"],
  ["JPEG", "\xFF\xD8\xFF\xE0....", "image/jpeg"],
  ["WebP", "RIFF\x10\0\0\0WEBPVP8 ", "image/webp"],
  ["SVG", svg, "image/svg+xml"],
  [
    "SVG after a declaration and comments",
    `<?xml version="1.0"?>\n<!-- a > b --><!DOCTYPE svg>\n<!---->${svg}`,
    "image/svg+xml",
  ],
  ["GIF", "GIF89a....", null],
  ["HTML", `<!doctype html>${svg}`.replace("<svg", "<body><svg"), null],
  ["text that mentions svg", `see ${svg}`, null],
  ["nothing", "", null],
])("%s is recognised by its content", (_name, content, type) => {
  expect(imageTypeOf(Buffer.from(content, "latin1"))).toBe(type);
});

test("a file of unfinished comments is refused without delay", () => {
  expect(imageTypeOf(Buffer.from("<!--".repeat(50_000)))).toBeNull();
});
