import { expect, test } from "vitest";
import { hostPathOf, pagePathOf } from "./paths.ts";

test.each([
  ["/status", ["default", "", "/status"]],
  ["/status/", ["default", "/", "/status"]],
  ["/status/history", ["default", "/history", "/status"]],
  ["/status/incidents/p1", ["default", "/incidents/p1", "/status"]],
  ["/status/open", ["default", "/open", "/status"]],
  ["/status/default/data.json", ["default", "/data.json", "/status"]],
  ["/status/Acme", ["default", "/Acme", "/status"]],
  ["/status/acme", ["acme", "", "/status/acme"]],
  ["/status/acme/", ["acme", "/", "/status/acme"]],
  ["/status/acme/badges/7.svg", ["acme", "/badges/7.svg", "/status/acme"]],
  ["/status/configuration", ["configuration", "", "/status/configuration"]],
])("%s belongs to the page %s", (path, [slug, rest, home]) => {
  expect(pagePathOf(path)).toEqual({ slug, rest, home });
});

test.each(["/status/config", "/status/config/preview", "/statuses", "/", "/monitors"])(
  "%s belongs to no page",
  (path) => {
    expect(pagePathOf(path)).toBeNull();
  },
);

test("a page's own host has the page at its root, and no other", () => {
  const rests = ["/", "/history", "/status/acme", "/status/acme/feed.atom", "//evil.example"].map(
    (path) => hostPathOf("acme", path)?.rest,
  );
  expect(rests).toEqual(["", "/history", "", "/feed.atom", "//evil.example"]);
  for (const path of ["/status", "/status/history", "/status/other", "/status/config"]) {
    expect(hostPathOf("acme", path)).toBeNull();
  }
  expect(hostPathOf("default", "/status/history")).toEqual({ slug: "default", rest: "/history", home: "/" });
  expect(hostPathOf("default", "/status/acme")).toBeNull();
});
