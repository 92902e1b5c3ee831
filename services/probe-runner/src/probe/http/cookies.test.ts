import { expect, it } from "vitest";
import { createCookies } from "./cookies.ts";
import { destinationOf, type HopRequest } from "./request.ts";

const requestTo = (url: string, cookie?: string): HopRequest => ({
  destination: destinationOf(new URL(url)),
  method: "GET",
  headers: cookie === undefined ? [] : [{ name: "cookie", value: cookie }],
  body: undefined,
});

async function sent(from: string, lines: string[], url: string, own?: string): Promise<string | undefined> {
  const cookies = createCookies(() => Date.parse("2026-01-01"));
  await cookies.take(requestTo(from).destination, lines);
  return cookies.onto(requestTo(url, own)).headers.find(({ name }) => name.toLowerCase() === "cookie")?.value;
}

it.each<[string, string, string[], string, string | undefined]>([
  ["its host", "https://a.test/", ["s=1"], "https://a.test/x", "s=1"],
  ["its host at another port and scheme", "http://a.test:8080/", ["s=1"], "https://a.test/", "s=1"],
  ["no other host", "https://a.test/", ["s=1"], "https://b.test/", undefined],
  ["no host below, without Domain", "https://a.test/", ["s=1"], "https://www.a.test/", undefined],
  ["hosts of its Domain", "https://www.a.test/", ["s=1; Domain=.a.test"], "https://login.a.test/", "s=1"],
  ["no Domain of others", "https://www.a.test/", ["s=1; Domain=b.test"], "https://b.test/", undefined],
  ["no public suffix", "https://a.co.uk/", ["s=1; Domain=co.uk"], "https://b.co.uk/", undefined],
  ["no end of an address", "http://127.0.0.1/", ["s=1; Domain=0.0.1"], "http://127.0.0.1/", undefined],
  ["no plain HTTP, if it is Secure", "https://a.test/", ["s=1; Secure"], "http://a.test/", undefined],
  ["its path", "https://a.test/", ["s=1; Path=/in", "t=2; Path=/"], "https://a.test/in/x", "s=1; t=2"],
  ["no other path", "https://a.test/", ["s=1; Path=/in"], "https://a.test/inner", undefined],
  ["nothing once it ended", "https://a.test/", ["s=1", "s=; Max-Age=0"], "https://a.test/", undefined],
  [
    "nothing if it has ended",
    "https://a.test/",
    ["s=1; Expires=Wed, 31 Dec 2025 00:00:00 GMT"],
    "https://a.test/",
    undefined,
  ],
])("a cookie goes to %s", async (_where, from, lines, url, expected) => {
  expect(await sent(from, lines, url)).toBe(expected);
});

it("a server's cookie replaces the monitor's of the same name, and keeps its others", async () => {
  expect(await sent("https://a.test/", ["s=2"], "https://a.test/", "s=1; theme=dark")).toBe("theme=dark; s=2");
});
