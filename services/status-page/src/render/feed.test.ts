import type { PublicIncident, PublicMaintenance } from "@sonde/proto/http/status/status";
import type { PageSnapshot } from "@sonde/proto/http/status/snapshot";
import { SaxesParser } from "saxes";
import { describe, expect, test } from "vitest";
import { fakeSnapshot } from "../testing/snapshot.ts";
import { makeFeed } from "./feed.ts";

type Element = { name: string; attributes: Record<string, string>; text: string; children: Element[] };

function parse(xml: string): Element {
  const root: Element = { name: "", attributes: {}, text: "", children: [] };
  const open = [root];
  const parser = new SaxesParser({ xmlns: true });
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, uri, attributes }) => {
    expect(uri).toBe("http://www.w3.org/2005/Atom");
    const own = Object.fromEntries(Object.entries(attributes).map(([key, { value }]) => [key, value]));
    const element = { name, attributes: own, text: "", children: [] };
    open.at(-1)!.children.push(element);
    open.push(element);
  });
  parser.on("text", (text) => void (open.at(-1)!.text += text));
  parser.on("closetag", () => void open.pop());
  parser.write(xml).close();
  return root.children[0]!;
}

const all = ({ children }: Element, name: string) => children.filter((child) => child.name === name);
const textIn = (element: Element, name: string) => all(element, name)[0]?.text;
const links = (element: Element) =>
  Object.fromEntries(all(element, "link").map(({ attributes: a }) => [a["rel"], a["href"]]));

const shop = { type: "monitor", id: 7, name: "Shop & <Sons>" } as const;
const announced: PublicIncident = {
  id: "p12",
  kind: "announced",
  title: "Payments <fail> & \u0007 wait ]]>",
  impact: "major",
  state: "monitoring",
  targets: [shop],
  openedAt: "2026-01-30T10:00:00.000Z",
  updates: [
    {
      at: "2026-01-30T11:00:00.000Z",
      state: "monitoring",
      text: "*Mended*",
      html: "<p><em>Mended</em> &amp; watched</p>",
    },
    { at: "2026-01-30T10:00:00.000Z", state: "investigating", text: "Looking", html: "<p>Looking</p>" },
  ],
  postMortem: { text: "Why", html: "<p>Because</p>" },
};
const automatic: PublicIncident = {
  id: "m5",
  kind: "down",
  targets: [shop],
  openedAt: "2026-01-29T10:00:00.000Z",
  closedAt: "2026-01-31T10:00:00.000Z",
  updates: [],
};
const maintenance: PublicMaintenance = {
  id: 3,
  name: "Upgrade",
  note: { text: "n", html: "<p>Short</p>" },
  status: "scheduled",
  start: "2026-02-07T02:00:00.000Z",
  end: "2026-02-07T03:00:00.000Z",
  timeZone: "Europe/Berlin",
  targets: [shop],
  createdAt: "2026-01-20T08:00:00.000Z",
  updatedAt: "2026-01-25T09:00:00.000Z",
};
const snapshot: PageSnapshot = { ...fakeSnapshot, incidents: [announced, automatic], maintenance: [maintenance] };
const feed = (
  of = snapshot,
  publicUrl: string | null = "https://status.example.com",
  language: "zh-CN" | "en-US" = "en-US",
) => parse(makeFeed({ snapshot: of, language, publicUrl }));
const entry = (of: Element, id: string) => all(of, "entry").find((one) => textIn(one, "id")?.includes(`:${id}`))!;

describe("the feed", () => {
  test("has what RFC 4287 requires of a feed and each entry, once", () => {
    const root = feed();
    expect(root.name).toBe("feed");
    for (const name of ["id", "title", "updated", "author"]) expect(all(root, name), name).toHaveLength(1);
    expect(all(all(root, "author")[0]!, "name")).toHaveLength(1);
    const entries = all(root, "entry");
    expect(entries).toHaveLength(3);
    for (const one of entries) {
      for (const name of ["id", "title", "updated", "content"]) expect(all(one, name), name).toHaveLength(1);
      expect(textIn(one, "id")).toMatch(/^tag:status\.example\.com,2026:status:/);
      for (const name of ["updated", "published"]) expect(textIn(one, name)).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    }
    expect(new Set(entries.map((one) => textIn(one, "id"))).size).toBe(3);
    const updated = entries.map((one) => textIn(one, "updated") ?? "");
    expect(updated).toEqual(updated.toSorted((left, right) => right.localeCompare(left)));
    expect(textIn(root, "updated")).toBe(updated[0]);
  });

  test("contains an announcement with its updates and post-mortem, as escaped HTML", () => {
    const one = entry(feed(), "p12");
    expect(textIn(one, "title")).toBe("Payments <fail> &  wait ]]>");
    expect(textIn(one, "published")).toBe("2026-01-30T10:00:00.000Z");
    expect(textIn(one, "updated")).toBe("2026-01-30T11:00:00.000Z");
    const content = textIn(one, "content")!;
    expect(all(one, "content")[0]!.attributes).toEqual({ type: "html" });
    expect(content).toContain("<p><em>Mended</em> &amp; watched</p>");
    expect(content).toContain("Shop &amp; &lt;Sons&gt;");
    expect(content.indexOf("Mended")).toBeLessThan(content.indexOf("Looking"));
    expect(content).toContain("<p>Because</p>");
  });

  test("contains an automatic incident with only its services and times", () => {
    const one = entry(feed(), "m5");
    expect(textIn(one, "title")).toBe("Shop & <Sons> is down");
    expect(textIn(one, "updated")).toBe("2026-01-31T10:00:00.000Z");
    expect(textIn(one, "content")).toContain("2026-01-29 10:00");
  });

  test("says of a slow service that its performance is degraded", () => {
    const slow = { ...snapshot, incidents: [{ ...automatic, kind: "slow" as const }] };
    expect(textIn(entry(feed(slow), "m5"), "title")).toBe("Shop & <Sons> has degraded performance");
    expect(textIn(entry(feed(slow, null, "zh-CN"), "m5"), "title")).toBe("Shop & <Sons> 性能下降");
  });

  test("contains each occurrence of maintenance as an entry that is updated when it begins and ends", () => {
    const at = (status: PublicMaintenance["status"], changes: Partial<PublicMaintenance> = {}) =>
      entry(feed({ ...snapshot, maintenance: [{ ...maintenance, status, ...changes }] }), "w3");
    expect(textIn(at("scheduled"), "title")).toBe("Maintenance: Upgrade");
    expect(textIn(at("scheduled"), "id")).toBe(textIn(at("ended"), "id"));
    expect(textIn(at("scheduled"), "updated")).toBe(maintenance.updatedAt);
    expect(textIn(at("running"), "updated")).toBe(maintenance.start);
    expect(textIn(at("ended"), "updated")).toBe(maintenance.end);
    for (const status of ["scheduled", "running", "ended"] as const) {
      expect(textIn(at(status), "published")).toBe(maintenance.createdAt);
      const updatedAt = "2026-02-10T00:00:00.000Z";
      expect(textIn(at(status, { updatedAt }), "updated")).toBe(updatedAt);
    }
  });

  test("dates maintenance of an older snapshot no later than the snapshot", () => {
    const { createdAt: _created, updatedAt: _updated, ...old } = maintenance;
    const one = entry(feed({ ...snapshot, maintenance: [old] }), "w3");
    const builtAt = new Date(snapshot.builtAtMs).toISOString();
    expect([textIn(one, "published"), textIn(one, "updated")]).toEqual([builtAt, builtAt]);
  });

  test("has absolute links with PUBLIC_URL, and relative ones without", () => {
    expect(links(feed())).toEqual({
      self: "https://status.example.com/api/status/feed.atom",
      alternate: "https://status.example.com/status",
    });
    expect(links(entry(feed(), "p12"))).toEqual({ alternate: "https://status.example.com/status/incidents/p12" });
    expect(links(entry(feed(snapshot, null), "p12"))).toEqual({ alternate: "/status/incidents/p12" });
  });

  test("can be Chinese", () => {
    const root = feed(snapshot, null, "zh-CN");
    expect(root.attributes["xml:lang"]).toBe("zh-CN");
    expect(textIn(entry(root, "m5"), "title")).toContain("发生故障");
  });

  test("is valid without entries", () => {
    const root = feed({ ...fakeSnapshot, page: { ...fakeSnapshot.page, title: "A & B" } });
    expect(all(root, "entry")).toEqual([]);
    expect(textIn(root, "title")).toContain("A & B");
    expect(textIn(root, "updated")).toBe(new Date(fakeSnapshot.builtAtMs).toISOString());
  });
});
