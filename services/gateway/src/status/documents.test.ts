import { silentLog } from "@sonde/kit/service/log";
import { fakeClock } from "@sonde/kit/time/clock";
import type { PageStates } from "@sonde/proto/http/status-snapshot";
import { beforeEach, describe, expect, test } from "vitest";
import { createDirectMaker } from "../testing/direct-maker.ts";
import { type FakeView, fakeView } from "../testing/fake-public-page.ts";
import { fakeSnapshot, fakeStates } from "../testing/fake-status-page.ts";
import { createDocuments, type Documents } from "./documents.ts";
import type { Maker, Order } from "./maker.ts";
import type { Wanted } from "./wanted.ts";

const clock = fakeClock(fakeStates.atMs);
const direct = createDirectMaker();
const json: Wanted = { kind: "json" };
let view: FakeView;
let orders: Order[];
let costMs = 0;
let fault: Error | null;
let before: () => Promise<void>;

const maker: Maker = {
  ...direct,
  make: async (order) => {
    orders.push(order);
    await before();
    if (fault !== null) throw fault;
    return { ...(await direct.make(order)), costMs };
  },
};
const create = (options: { mostDocuments?: number; mostBytes?: number } = {}): Documents =>
  createDocuments({
    view,
    maker,
    clock,
    log: silentLog,
    around: { publicUrl: null, assets: { script: null, style: null } },
    ...options,
  });

beforeEach(async () => {
  [orders, costMs, fault, before] = [[], 0, null, async () => {}];
  view = fakeView();
  await view.tell({ snapshot: fakeSnapshot, states: fakeStates });
});

const tellStatus = (revision: number, status: PageStates["monitors"][string]["status"]) =>
  view.tell({ states: { ...fakeStates, revision, monitors: { 7: { status, sinceMs: fakeStates.atMs } } } });
const stateOf = async (documents: Documents) => {
  const document = await documents.get(json);
  return (JSON.parse(document!.bytes.toString()) as { status: { state: string } }).status.state;
};

describe("a document for one person", () => {
  const language = "en-US";

  test("of which strangers ask for many is made once, and carries each one's own token", async () => {
    const documents = create();
    const tokens = ["abc", "def", '"><script>alert(1)</script>$&'];
    const texts = await Promise.all(tokens.map((token) => documents.make({ kind: "confirm", token, language })));
    expect(orders).toHaveLength(1);
    expect(texts.map(({ text }) => /name="token" value="([^"]*)"/.exec(text)?.[1])).toEqual([
      "abc",
      "def",
      "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;$&amp;",
    ]);
  });

  test("says what it was given, escaped, wherever that is", async () => {
    const documents = create();
    const notice = { kind: "notice", language } as const;
    await documents.make({ ...notice, title: "One", text: "First." });
    const { text } = await documents.make({ ...notice, title: "A & B", text: "<b>" });
    expect(orders).toHaveLength(1);
    expect(text).toContain("<h1>A &amp; B</h1>");
    expect(text).toMatch(/<title>A &amp; B · /);
    expect(text).toContain("<p>&lt;b&gt;</p>");
    expect(text).not.toMatch(/First|[\da-f]{8}-[\da-f]{4}-4/);
  });

  test("is made anew when the page changed", async () => {
    const documents = create();
    const asked = { kind: "unsubscribe", token: "abc", language } as const;
    await documents.make(asked);
    const page = { ...fakeSnapshot.page, title: "Another title" };
    await view.tell({ snapshot: { ...fakeSnapshot, revision: 2, page } });
    expect((await documents.make(asked)).text).toContain("Another title");
  });
});

describe("a document", () => {
  test("is made once for all who ask, and again when the page changed", async () => {
    const documents = create();
    await Promise.all([documents.get(json), documents.get(json)]);
    await documents.get(json);
    expect(orders).toHaveLength(1);
    await tellStatus(2, "down");
    expect(await stateOf(documents)).toBe("down");
    await view.tell({ snapshot: { ...fakeSnapshot, revision: 2, monitors: [] } });
    expect(await stateOf(documents)).toBe("unknown");
    expect(orders).toHaveLength(3);
  });

  test("is at hand only while it holds", async () => {
    const documents = create();
    expect(documents.made(json)).toBeUndefined();
    const document = await documents.get(json);
    expect(documents.made(json)).toBe(document);
    await tellStatus(2, "down");
    expect(documents.made(json)).toBeUndefined();
  });

  test("that cost much is not made anew at each change of states, but soon after", async () => {
    const documents = create();
    costMs = 50;
    await documents.get(json);
    await tellStatus(2, "down");
    clock.advance(499);
    expect(await stateOf(documents)).toBe("operational");
    clock.advance(1);
    expect(await stateOf(documents)).toBe("down");
  });

  test("that cost much is made anew at once when something else than states changed", async () => {
    const documents = create();
    costMs = 50;
    await documents.get(json);
    await view.tell({ snapshot: { ...fakeSnapshot, revision: 2, monitors: [] } });
    expect(await stateOf(documents)).toBe("unknown");
  });

  test("is not made twice at a time because states changed meanwhile", async () => {
    const documents = create();
    const { promise, resolve } = Promise.withResolvers<void>();
    before = () => promise;
    const first = documents.get(json);
    await tellStatus(2, "down");
    const second = documents.get(json);
    resolve();
    expect(await second).toBe(await first);
    expect(orders).toHaveLength(1);
    expect(await stateOf(documents)).toBe("down");
  });

  test("stays as it was while it cannot be made anew, and is tried again", async () => {
    const documents = create();
    await documents.get(json);
    fault = new Error("no thread");
    for (const revision of [2, 3]) {
      await tellStatus(revision, "down");
      expect(await stateOf(documents)).toBe("operational");
    }
    fault = null;
    expect(await stateOf(documents)).toBe("down");
  });

  test("that could never be made is refused, and tried again", async () => {
    const documents = create();
    fault = new Error("no thread");
    await expect(documents.get(json)).rejects.toThrow("no thread");
    fault = null;
    expect(await stateOf(documents)).toBe("operational");
  });

  test("about what is not shown is null, and remembered", async () => {
    const documents = create();
    const missing: Wanted = { kind: "incident", id: "p5", language: "en-US" };
    expect(await documents.get(missing)).toBeNull();
    expect(await documents.get(missing)).toBeNull();
    expect(orders).toHaveLength(1);
  });
});

describe("what is kept", () => {
  const badge = (id: number): Wanted => ({ kind: "incident", id: `p${id}`, language: "en-US" });

  test("is bounded in number", async () => {
    const documents = create({ mostDocuments: 3 });
    for (const id of [1, 2, 3, 4]) await documents.get(badge(id));
    for (const id of [4, 3, 2]) await documents.get(badge(id));
    expect(orders).toHaveLength(4);
    await documents.get(badge(1));
    expect(orders).toHaveLength(5);
  });

  test("is bounded in bytes", async () => {
    const documents = create({ mostBytes: 2 * 500 });
    const languages = ["zh-CN", "en-US"] as const;
    const feeds = languages.map((language): Wanted => ({ kind: "feed", language }));
    for (const feed of [...feeds, ...feeds]) await documents.get(feed);
    // Each takes more than half of it: the second one drives the first out.
    expect(orders).toHaveLength(4);
    const roomy = create({ mostBytes: 100_000 });
    for (const feed of [...feeds, ...feeds]) await roomy.get(feed);
    expect(orders).toHaveLength(6);
  });
});
