import { demoNowMs, demoSnapshot, demoStates } from "@sonde/status-page/testing/demo-status";
import type { DemoOptions } from "@sonde/status-page/testing/demo-documents";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openDemo, parseDemo, service } from "./page.testing.ts";

/** An event stream controlled by the test. */
class FakeStream extends EventTarget {
  static readonly CLOSED = 2;
  static opened: FakeStream[] = [];
  readyState = 0;
  readonly path: string;
  constructor(path: string) {
    super();
    this.path = path;
    FakeStream.opened.push(this);
  }
  close() {
    this.readyState = 2;
  }
  say(event: string, data: unknown) {
    this.dispatchEvent(new MessageEvent(event, { data: JSON.stringify(data) }));
  }
  open() {
    this.readyState = 1;
    this.dispatchEvent(new Event("open"));
  }
  fail({ forGood = false } = {}) {
    this.readyState = forGood ? 2 : 0;
    this.dispatchEvent(new Event("error"));
  }
}

const stream = () => FakeStream.opened.at(-1)!;
const text = (selector: string) => document.querySelector(selector)?.textContent?.replace(/\s+/g, " ").trim();
const news = () => text("#news");
let answers: DemoOptions = {};
const fetched = vi.fn<typeof fetch>(async () => new Response(parseDemo(answers).documentElement.outerHTML));
let stop = () => {};

beforeEach(async () => {
  vi.useFakeTimers({ now: demoNowMs });
  vi.stubGlobal("EventSource", FakeStream);
  vi.stubGlobal("fetch", fetched);
  FakeStream.opened = [];
  answers = {};
  fetched.mockClear();
  openDemo();
  history.replaceState(null, "", "/status");
  vi.resetModules();
  stop = (await import("./live.ts")).live();
  stream().open();
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("the stream", () => {
  it("is next to the page's feed, at any URL of the page", async () => {
    expect(stream().path).toBe("/api/status/events");
    stop();
    const feed = document.querySelector('link[type="application/atom+xml"]')!;
    feed.setAttribute("href", "https://sonde.example.com/status/acme/feed.atom");
    stop = (await import("./live.ts")).live();
    expect(stream().path).toBe("/status/acme/events");
  });
});

describe("a state change", () => {
  it("updates icon, text, the group's count, the sentence, the counts and the title", () => {
    stream().say("monitor", { id: 1, status: "down", since: "2026-11-22T11:40:00Z" });
    expect(service("m1").dataset["state"]).toBe("down");
    expect(service("m1").querySelector(".state use")?.getAttribute("href")).toBe("#i-ill");
    expect(service("m1").querySelector(".word")?.textContent).toBe("Down");
    expect(text(".group .count")).toBe("2 of 4 working");
    expect(text("#headline")).toBe("2 of 14 services are down");
    expect(text("#counts")).toMatch(/^8 of 14 working · 1 in maintenance/);
    expect(document.title).toBe("2 of 14 services are down · Acme Status");
  });

  it("of an agent does not affect a monitor with the same id", () => {
    stream().say("agent", { id: 1, status: "offline", since: "2026-11-22T11:40:00Z" });
    expect(service("a1").querySelector(".word")?.textContent).toBe("Offline");
    expect(service("m1").dataset["state"]).toBe("up");
  });

  it("of something that the page does not show is ignored", () => {
    const before = document.body.innerHTML;
    stream().say("monitor", { id: 99, status: "down", since: "2026-11-22T11:40:00Z" });
    vi.advanceTimersByTime(1000);
    expect(document.body.innerHTML).toBe(before);
  });

  it("that makes all well restores the page's name as title", () => {
    const incidents = demoSnapshot.incidents.filter(({ closedAt }) => closedAt !== undefined);
    openDemo({ snapshot: { ...demoSnapshot, incidents } });
    stream().say("monitor", { id: 4, status: "up", since: "2026-11-22T11:40:00Z" });
    stream().say("agent", { id: 3, status: "online", since: "2026-11-22T11:40:00Z" });
    expect(text("#headline")).toBe("All systems operational");
    expect(document.querySelector<HTMLElement>("#overall")?.dataset["look"]).toBe("operational");
    expect(document.title).toBe("Acme Status");
  });
});

describe("the live region", () => {
  it("announces simultaneous changes once, and then nothing until the next", () => {
    stream().say("monitor", { id: 1, status: "down", since: "2026-11-22T11:40:00Z" });
    stream().say("monitor", { id: 2, status: "down", since: "2026-11-22T11:40:00Z" });
    expect(news()).toBe("");
    vi.advanceTimersByTime(300);
    expect(news()).toBe("3 of 14 services are down, Website: Down, Checkout API: Down");
  });

  it("stays silent if nothing changed", () => {
    stream().say("status", {
      state: "degraded",
      ill: 1,
      total: 14,
      updatedAt: "2026-11-22T11:40:00Z",
      outdated: false,
    });
    vi.advanceTimersByTime(1000);
    expect(news()).toBe("");
  });

  it("lists a few services if many change", () => {
    for (const id of [1, 2, 3, 5, 6, 7, 8]) stream().say("monitor", { id, status: "down", since: "" });
    vi.advanceTimersByTime(300);
    expect(news()).toMatch(/Webhooks: Down|and 2 more changes$/);
  });
});

describe("the page", () => {
  it("is refetched once shortly after other changes, and updated in place", async () => {
    const website = service("m1");
    const group = document.querySelector<HTMLDetailsElement>(".group")!;
    group.open = false;
    answers = { snapshot: { ...demoSnapshot, page: { ...demoSnapshot.page, title: "Renamed" } } };
    stream().say("changed", {});
    stream().say("changed", {});
    expect(fetched).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1000);
    expect(fetched).toHaveBeenCalledTimes(1);
    expect(fetched.mock.calls[0]).toMatchObject(["/status", { headers: { "accept-language": "en-US" } }]);
    expect(text(".top h1")).toBe("Renamed");
    expect(service("m1")).toBe(website);
    expect(group.open).toBe(false);
  });

  it("announces what a refetch changed", async () => {
    answers = { states: { ...demoStates, monitors: { ...demoStates.monitors, 1: { status: "down", sinceMs: 0 } } } };
    stream().say("changed", {});
    await vi.advanceTimersByTimeAsync(2000);
    expect(news()).toBe("2 of 14 services are down, Website: Down");
  });

  it("keeps a state from a recent event until documents include it", async () => {
    stream().say("changed", {});
    stream().say("monitor", { id: 1, status: "maintenance", since: "2026-11-22T11:40:00Z" });
    await vi.advanceTimersByTimeAsync(1000);
    expect(fetched).toHaveBeenCalledTimes(1);
    expect(service("m1").dataset["state"]).toBe("maintenance");
    await vi.advanceTimersByTimeAsync(20_000);
    stream().say("changed", {});
    await vi.advanceTimersByTimeAsync(1000);
    expect(service("m1").dataset["state"]).toBe("up");
  });

  it("shows the document's states after the stream was interrupted", async () => {
    stream().say("monitor", { id: 1, status: "down", since: "2026-11-22T11:40:00Z" });
    stream().fail();
    stream().open();
    await vi.advanceTimersByTimeAsync(1000);
    expect(fetched).toHaveBeenCalledTimes(1);
    expect(service("m1").dataset["state"]).toBe("up");
  });

  it("is refetched when it becomes visible after a minute, and not before", async () => {
    document.dispatchEvent(new Event("visibilitychange"));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(fetched).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(31_000);
    document.dispatchEvent(new Event("visibilitychange"));
    await vi.advanceTimersByTimeAsync(0);
    expect(fetched).toHaveBeenCalledTimes(1);
  });

  it("stays unchanged if it cannot be fetched", async () => {
    fetched.mockRejectedValueOnce(new TypeError("Failed to fetch"));
    stream().say("changed", {});
    await vi.advanceTimersByTimeAsync(1000);
    expect(text(".top h1")).toBe("Acme Status");
  });
});

describe("the age of the data", () => {
  const outdated = () => !document.querySelector<HTMLElement>("#outdated")!.hidden;

  it("is described and increases", () => {
    stream().say("status", {
      state: "degraded",
      ill: 1,
      total: 14,
      updatedAt: new Date().toISOString(),
      outdated: false,
    });
    expect(text("#updated")).toBe("just now");
    vi.advanceTimersByTime(121_000);
    expect(text("#updated")).toBe("2 minutes ago");
  });

  it("causes a warning after three minutes without an event, until the next one", () => {
    vi.advanceTimersByTime(170_000);
    expect(outdated()).toBe(false);
    vi.advanceTimersByTime(20_000);
    expect(outdated()).toBe(true);
    stream().say("status", {
      state: "degraded",
      ill: 1,
      total: 14,
      updatedAt: new Date().toISOString(),
      outdated: false,
    });
    expect(outdated()).toBe(false);
  });

  it("causes a warning if the server reports it", () => {
    const updatedAt = new Date(Date.now() - 600_000).toISOString();
    stream().say("status", { state: "degraded", ill: 1, total: 14, updatedAt, outdated: true });
    expect(outdated()).toBe(true);
    expect(text("#outdated")).toContain("10 minutes ago");
  });
});

describe("a lost stream", () => {
  it("is shown, and missed data is refetched after reconnecting", async () => {
    stream().fail();
    expect(text("#live")).toBe("Reconnecting…");
    expect(FakeStream.opened).toHaveLength(1);
    stream().open();
    expect(text("#live")).toBe("Live");
    await vi.advanceTimersByTimeAsync(1000);
    expect(fetched).toHaveBeenCalledTimes(1);
  });

  it("that was rejected is retried with increasing delays", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 8; attempt++) {
      stream().fail({ forGood: true });
      const fromMs = Date.now();
      while (FakeStream.opened.length === attempt) await vi.advanceTimersByTimeAsync(1000);
      waits.push((Date.now() - fromMs) / 1000);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });
});
