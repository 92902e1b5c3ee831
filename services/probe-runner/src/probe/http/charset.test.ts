import { expect, it } from "vitest";
import { decodeBody } from "./charset.ts";

const cyrillic = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]);
const html = (head: string) => Buffer.concat([Buffer.from(`<!doctype html><html><head>${head}</head>`), cyrillic]);

it.each<[string, Buffer, string]>([
  ["<meta charset>", html('<meta charset="windows-1251">'), "text/html"],
  ["<META CHARSET> without quotes", html("<META CHARSET=windows-1251>"), "text/html"],
  [
    "http-equiv",
    html(`<meta content='text/html; charset=windows-1251' http-equiv="Content-Type">`),
    "text/html; something=else",
  ],
  ["the second of two", html('<meta name="a" content="charset=utf-8"><meta charset=windows-1251>'), "text/html"],
  ["one behind a comment", html('<!-- <meta charset="utf-8"> --><meta charset="cp1251">'), "text/html"],
  ["one behind an attribute", html(`<a title='<meta charset="utf-8">'><meta charset="cp1251">`), "text/html"],
  ["one without a content type", html('<meta charset="windows-1251">'), ""],
  ["a header whose charset is unknown", html('<meta charset="windows-1251">'), "text/html; charset=nonsense"],
  [
    "the declaration of XML",
    Buffer.concat([Buffer.from('<?xml version="1.0" encoding="windows-1251"?><a>'), cyrillic]),
    "application/rss+xml",
  ],
  ["the header before the page", html('<meta charset="utf-8">'), 'text/html; charset="windows-1251"'],
])("decodes a page by %s", (_what, bytes, contentType) => {
  expect(decodeBody(bytes, contentType)).toContain("Привет");
});

it.each<[string, Buffer, string]>([
  ["a BOM before all else", Buffer.from('\ufeff<meta charset="windows-1251">é'), "text/html; charset=windows-1251"],
  ["a BOM of UTF-16", Buffer.from("\ufeffé", "utf16le"), "text/html"],
  ["UTF-8 if the page says UTF-16, which it was not read by", Buffer.from('<meta charset="utf-16le">é'), "text/html"],
  ["UTF-8 if it says nothing", Buffer.from("<p>é"), "text/html"],
  ["UTF-8 if it says so too late", Buffer.from(`${" ".repeat(1024)}<meta charset="windows-1251">é`), "text/html"],
  ["UTF-8 if it is no markup", Buffer.from('{"a":"<meta charset=windows-1251>é"}'), "application/json"],
])("reads %s", (_what, bytes, contentType) => {
  expect(decodeBody(bytes, contentType)).toMatch(/é/);
});
