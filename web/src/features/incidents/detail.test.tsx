import type { Incident, incidentStoryAnswer, TimelineEntry } from "@sonde/proto/http/incidents/incidents";
import { act, screen, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { z } from "zod";
import { changeLanguage } from "../../app/i18n.ts";
import { dispatchLive } from "../../app/live/events.ts";
import { admin, incident, monitor, monitors, result, viewer } from "../../testing/fixtures.ts";
import { renderApp, renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";

type Story = Omit<z.infer<typeof incidentStoryAnswer>, "success">;

const entry = (type: TimelineEntry["type"], text: string, rest: Partial<TimelineEntry> = {}): TimelineEntry => ({
  at: "2026-01-02T09:00:00Z",
  type,
  text,
  ...rest,
});
const refusal = "The domain example.com is not verified.";
const story: Story = {
  incident,
  timeline: [
    entry("failure", "Check failed (default): Expected status 200, got 503"),
    entry("opened", "The incident opened"),
    entry("delivery", "“Down” was not delivered to Mail", {
      status: "failed",
      attempts: [{ at: "2026-01-02T09:00:01Z", statusCode: 403, answer: refusal, durationMs: 210 }],
    }),
  ],
  channels: [
    { channelId: 1, channelName: "On-call", told: true, text: "Told at once." },
    {
      channelId: 2,
      channelName: "Night",
      told: false,
      text: "Held until the quiet hours end.",
      heldUntil: "2099-05-04T14:00:00.000Z",
    },
  ],
  nextReminderAt: "2099-01-02T09:30:00Z",
};

let asked: (string | null)[];
function serve(change: Partial<Story> = {}) {
  asked = [];
  on("get", "/incidents/m3", ({ request }) => {
    asked.push(request.headers.get("accept-language"));
    return ok({ ...story, ...change } as never);
  });
}

beforeEach(() => {
  serve();
  on("get", "/monitors/7/checks", () => ok({ checks: [] }));
  on("get", "/monitors/7", () => ok({ monitor: { ...monitor, note: "Call **ops**: https://wiki.example/shop" } }));
});

const open = async (as = admin, language: "en-US" | "zh-CN" = "en-US", render = renderScreen) => {
  const app = await render("/incidents/m3", { as, language });
  await screen.findByRole("heading", { level: 1, name: /Shop API/ });
  await screen.findByRole("heading", { level: 2, name: /^(?:Timeline|事件经过)$/ });
  return app;
};
const card = (name: string) =>
  within(screen.getByRole("heading", { level: 2, name }).closest("section") as HTMLElement);
/** Undo button of the newest toast. Older toasts may still be open. */
const undo = () => screen.getAllByRole("button", { name: "Undo" }).at(-1) as HTMLElement;
const tile = (name: string) => screen.getByText(name, { selector: "dt" }).nextElementSibling?.textContent;

describe("the incident page", () => {
  it("names what defers the next reminder, with its end", async () => {
    serve({ nextReminderAt: "2099-01-02T09:30:00Z", reminderDeferredBy: "silenced" });
    await open();
    expect(tile("Next reminder")).toMatch(/^After the silence ends, .*\d\d:\d\d$/);
    expect(screen.queryByText("None: reminders are off")).toBeNull();
  });

  it("describes the failure, its target, cause and start, and the next reminder", async () => {
    await open();
    expect(screen.getByRole("heading", { level: 1, name: "Shop API is down" })).toBeTruthy();
    expect(await screen.findByText("Status 503 is not the expected 200")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Shop API" }).getAttribute("href")).toBe("/monitors/7");
    expect(screen.getByRole("link", { name: "All incidents for Shop API" }).getAttribute("href")).toBe(
      "/incidents?target=monitor:7",
    );
    expect(screen.getByText(/^Started/).textContent).toContain("Jan 2");
    expect(screen.getByRole("button", { name: "Copy link" })).toBeTruthy();
    expect(tile("Next reminder")).toContain("2099");
  });

  it("says how many of the good checks for a recovery are in", async () => {
    serve({ recovery: { good: 2, of: 3 } });
    await open();
    expect(screen.getByText("2 of 3 good checks")).toBeTruthy();
  });

  it.each([
    ["stale", {}, "Shop API has no data"],
    ["offline", { closedAt: "2026-01-02T09:05:00Z", resolution: "recovered" }, "Shop API was offline"],
    ["partial", {}, "Shop API is down from some locations"],
    ["slow", {}, "Shop API is slow"],
    ["slow", { closedAt: "2026-01-02T09:05:00Z", resolution: "recovered" }, "Shop API was slow"],
    ["external", { severity: "critical" }, "Shop API reports an alert"],
    ["slo", { metric: "3" }, "Shop API spends an error budget too fast"],
    ["threshold", { metric: "disk:/data" }, "Shop API: disk /data is above its threshold"],
    ["threshold", { metric: "cpu", closedAt: "2026-01-02T09:05:00Z" }, "Shop API: CPU was above its threshold"],
  ] as const)("has a title for the kind %s", async (kind, rest, words) => {
    serve({ incident: { ...incident, kind, ...rest } as Incident });
    await open();
    expect(screen.getByRole("heading", { level: 1, name: words })).toBeTruthy();
  });

  it("shows the timeline with each attempt, its status code and the provider's response", async () => {
    await open();
    const steps = document.querySelectorAll("li[data-type]");
    expect([...steps].map((step) => step.getAttribute("data-type"))).toEqual(["failure", "opened", "delivery"]);
    expect(steps[0]?.textContent).toContain("Expected status 200, got 503");
    for (const part of ["403", refusal, "210\u00a0ms"]) expect(steps[2]?.textContent).toContain(part);
  });

  it("shows no attempt if Sonde sent nothing, because the sentence explains it", async () => {
    const unsent = { at: "2026-01-02T09:00:01Z", answer: "Not sent: the channel is disabled", durationMs: 0 };
    const sentence = `“Down” was not delivered to Mail: ${unsent.answer}`;
    serve({ timeline: [entry("delivery", sentence, { status: "failed", attempts: [unsent] })] });
    await open();
    expect(document.querySelector("li[data-type=delivery] ul")).toBeNull();
  });

  it("collapses many attempts except the last, with their number", async () => {
    const attempts = Array.from({ length: 5 }, (_, index) => ({
      at: `2026-01-02T09:00:0${index}Z`,
      answer: `answer ${index}`,
      durationMs: 1,
    }));
    serve({ timeline: [entry("delivery", "Tried again", { status: "pending", attempts })], omitted: 412 });
    await open();
    expect(screen.getAllByText("answer 4").length).toBeGreaterThan(0);
    expect(screen.getByText("All 5 attempts").closest("details")?.open).toBe(false);
    expect(screen.getByText("412 entries in between are not shown.")).toBeTruthy();
  });

  it("explains for each channel why it was notified or not, and links to the settings", async () => {
    await open();
    const told = card("Notifications");
    expect(told.getByText("Told at once.")).toBeTruthy();
    expect(told.getByText("Held until the quiet hours end.")).toBeTruthy();
    expect(told.getByText("Deferred until").querySelector("time")?.dateTime).toBe("2099-05-04T14:00:00.000Z");
    expect(told.getByRole("link").getAttribute("href")).toBe("/notifications/settings/monitor/7");
  });

  it("renders the monitor's note as Markdown", async () => {
    await open();
    expect(await screen.findByRole("heading", { level: 2, name: "Note for Shop API" })).toBeTruthy();
    expect((await screen.findByText("ops")).tagName).toBe("STRONG");
    expect(screen.getByRole("link", { name: "https://wiki.example/shop" })).toBeTruthy();
  });

  it("shows the evidence without waiting long for the note, which then comes last", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    on("get", "/monitors/7", async () => {
      await promise;
      return ok({ monitor: { ...monitor, note: "Call ops" } });
    });
    await open();
    const timeline = screen.getByRole("heading", { level: 2, name: "Timeline" });
    resolve();
    const note = await screen.findByRole("heading", { level: 2, name: "Note for Shop API" });
    expect(timeline.compareDocumentPosition(note)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  });

  it("updates with its incident and deliveries only", async () => {
    await open();
    const before = asked.length;
    serve({ timeline: [entry("closed", "It recovered")] });
    const delivery = { id: 11, channelId: 2, status: "delivered" } as const;
    act(() => dispatchLive([{ id: "1", name: "delivery", data: { ...delivery, incidentId: "m99" } }]));
    act(() => dispatchLive([{ id: "2", name: "delivery", data: { ...delivery, incidentId: "m3" } }]));
    expect(await screen.findByText("It recovered")).toBeTruthy();
    expect(asked.length + before).toBe(2);
    serve({ incident: { ...incident, closedAt: "2026-01-02T09:05:00Z", resolution: "recovered" } });
    const closed = { ...incident, closedAt: "2026-01-02T09:05:00Z" };
    act(() => dispatchLive([{ id: "3", name: "incident", data: { change: "closed", incident: closed } }]));
    expect(await screen.findByRole("heading", { name: "Shop API was down" })).toBeTruthy();
  });

  it("requests the story again when the language changes", async () => {
    await open();
    on("get", "/incidents/m3", ({ request }) => {
      const chinese = request.headers.get("accept-language") === "zh-CN";
      return ok({ ...story, timeline: [entry("opened", chinese ? "事件开始" : "It opened")] } as never);
    });
    await act(() => changeLanguage("zh-CN"));
    expect(await screen.findByText("事件开始")).toBeTruthy();
    expect(screen.getByRole("heading", { level: 1, name: "Shop API 出现故障" })).toBeTruthy();
  });
});

describe("evidence", () => {
  const evidence = {
    at: "2026-01-02T08:59:59Z",
    location: "default",
    status: { code: 503, line: "HTTP/1.1 503 Service Unavailable" },
    headers: [{ name: "retry-after", value: "30" }],
    body: "upstream is gone",
    expected: "status 200",
    addresses: ["192.0.2.7"],
    steps: [
      { name: "login", status: 200, ms: 12.34 },
      { status: 503, ms: 1500 },
    ],
    certificate: {
      subject: "CN=shop.example",
      issuer: "Example Root R1",
      validFrom: "2025-01-01T00:00:00Z",
      validTo: "2026-01-01T00:00:00Z",
      problem: "The certificate has expired",
    },
  };

  it("shows what the failed check received, and the latest on demand", async () => {
    serve({ evidence, latestEvidence: { ...evidence, status: { code: 500 }, body: "another page" } });
    const { user } = await open();
    const shown = card("Evidence");
    for (const part of [evidence.status.line, "status 200", "192.0.2.7", "upstream is gone", "CN=shop.example"])
      expect(shown.getByText(part)).toBeTruthy();
    expect(shown.getAllByRole("listitem").map(({ textContent }) => textContent?.replaceAll(/\s/g, " "))).toEqual([
      "1. login 200 12 ms",
      "2. 503 1.5 s",
    ]);
    expect(shown.getByText("The certificate has expired")).toBeTruthy();
    expect(shown.getByText("1 response header").closest("details")?.textContent).toContain("retry-after");
    await user.click(shown.getByRole("radio", { name: "Latest" }));
    expect(shown.getByText("another page")).toBeTruthy();
    expect(shown.getByText("500")).toBeTruthy();
  });

  it("can be copied as a command that repeats the request", async () => {
    serve({ evidence });
    const { user } = await open();
    vi.stubGlobal("isSecureContext", true);
    await user.click(await screen.findByRole("button", { name: "Copy as cURL" }));
    vi.unstubAllGlobals();
    expect(await navigator.clipboard.readText()).toMatch(/^curl 'https:/);
  });

  it("is not offered as a command for other kinds of monitors", async () => {
    serve({ evidence });
    on("get", "/monitors/7", () => ok({ monitor: { ...monitors.tcp, id: 7 } }));
    await open();
    await screen.findByRole("heading", { name: "Evidence" });
    expect(screen.queryByRole("button", { name: "Copy as cURL" })).toBeNull();
  });

  it("has no card if none was stored", async () => {
    await open();
    expect(screen.queryByRole("heading", { name: "Evidence" })).toBeNull();
  });

  it("includes a chart of the checks 15 minutes before and after the start", async () => {
    const check = { ...result, monitorId: 7, slot: "2026-01-02T08:50:00Z", startedAt: "2026-01-02T08:50:00Z" };
    const before: (string | null)[] = [];
    on("get", "/monitors/7/checks", ({ request }) => {
      before.push(new URL(request.url).searchParams.get("before"));
      const at = (time: string) => ({ ...check, slot: time, startedAt: time });
      return ok({
        checks: [
          { ...at("2026-01-02T09:00:00Z"), status: "down" },
          at("2026-01-02T08:50:00Z"),
          at("2026-01-02T08:40:00Z"),
        ],
      });
    });
    await open();
    expect(await screen.findByRole("img", { name: "2 checks, 1 failed" })).toBeTruthy();
    expect(before).toEqual(["2026-01-02T09:15:00.000Z"]);
  });
});

describe("unavailable data", () => {
  it.each([
    ["an unknown incident", "/incidents/m99"],
    ["an invalid address", "/incidents/12"],
  ])("is reported for %s, with a link back", async (_what, path) => {
    on("get", "/incidents/m99", () => fail(404, "not_found", "Incident does not exist"));
    await renderScreen(path, { as: admin });
    expect((await screen.findByRole("alert")).textContent).toBe("Incident does not exist");
    expect(screen.getByRole("link", { name: "All incidents" }).getAttribute("href")).toBe("/incidents");
  });

  it("is reported for the whole page, with a retry that works", async () => {
    on("get", "/incidents/m3", () => fail(503, "unavailable", "The monitors service is currently unavailable"));
    const { user } = await renderScreen("/incidents/m3", { as: admin });
    expect(await screen.findByText("The monitors service is currently unavailable")).toBeTruthy();
    serve();
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByRole("heading", { name: "Shop API is down" })).toBeTruthy();
  });

  it("is reported for the affected parts only", async () => {
    serve({ unavailable: ["notifications", "checks"], channels: [], nextReminderAt: undefined });
    await open();
    expect(screen.getByText("Checks before the incident can't be shown right now.")).toBeTruthy();
    expect(card("Notifications").getByText("Currently unavailable")).toBeTruthy();
    expect(screen.getByText("The incident opened")).toBeTruthy();
  });
});

describe("acknowledging", () => {
  /** Accepts the acknowledgement, and serves it with the incident afterwards. */
  function take() {
    const sent: unknown[] = [];
    on("post", "/incidents/m3/acknowledge", async ({ request }) => {
      const body = (await request.json()) as { note?: string };
      sent.push(body);
      const done = { ...incident, acknowledgedAt: "2026-01-02T09:10:00Z", acknowledgedBy: "ada", ...body };
      serve({ incident: done, nextReminderAt: undefined });
      return ok({ incident: done });
    });
    return sent;
  }

  it("takes one click, shows who did it and that no reminders follow, and can be undone", async () => {
    const sent = take();
    const { user } = await open();
    await user.click(screen.getByRole("button", { name: "Acknowledge" }));
    expect(await screen.findByText("Acknowledged by ada")).toBeTruthy();
    expect(sent).toEqual([{}]);
    expect(tile("Next reminder")).toBe("Stopped: acknowledged");
    expect(screen.queryByRole("button", { name: "Acknowledge" })).toBeNull();
    on("delete", "/incidents/m3/acknowledge", () => {
      serve();
      return ok({ incident });
    });
    await user.click(undo());
    expect(await screen.findByRole("button", { name: "Acknowledge" })).toBeTruthy();
    expect(screen.queryByText("Acknowledged by ada")).toBeNull();
  });

  it("works with the key A", async () => {
    const sent = take();
    const { user } = await open(admin, "en-US", renderApp);
    await user.keyboard("a");
    expect(await screen.findByText("Acknowledged by ada")).toBeTruthy();
    expect(sent).toEqual([{}]);
  });

  const openNote = async () => {
    serve({ incident: { ...incident, acknowledgedAt: "2026-01-02T09:10:00Z", acknowledgedBy: "ada" } });
    const app = await open();
    await app.user.click(screen.getByRole("button", { name: "Add note" }));
    await app.user.type(screen.getByLabelText("Note"), "On it.");
    return app;
  };

  it("accepts a note afterwards, which can be changed", async () => {
    const sent = take();
    const { user } = await openNote();
    await user.click(screen.getByRole("button", { name: "Save note" }));
    expect(await screen.findByRole("button", { name: "Edit note" })).toBeTruthy();
    expect(sent).toEqual([{ note: "On it." }]);
    expect(screen.getByText("On it.")).toBeTruthy();
  });

  it.each([
    [
      "the server's message next to the note",
      () =>
        fail(400, "invalid", "The request is not valid", [
          { path: "note", message: "The text is too long (maximum 2000 characters)" },
        ]),
      "The text is too long (maximum 2000 characters)",
    ],
    ["the fallback", () => new HttpResponse(null, { status: 500 }), "Failed to acknowledge the incident"],
  ])("shows %s on failure, and keeps the input", async (_what, answer, words) => {
    on("post", "/incidents/m3/acknowledge", answer);
    const { user } = await openNote();
    await user.click(screen.getByRole("button", { name: "Save note" }));
    expect(await screen.findByText(words)).toBeTruthy();
    expect((screen.getByLabelText("Note") as HTMLTextAreaElement).value).toBe("On it.");
  });

  it("warns before an unsent note is lost", async () => {
    const { user } = await openNote();
    await user.click(screen.getByRole("link", { name: "All incidents" }));
    expect((await screen.findByRole("dialog")).textContent).toContain("Leave without saving?");
  });

  it("is not offered to viewers or for closed incidents", async () => {
    on("get", "/auth/me", () => ok({ user: viewer }));
    const app = await open(viewer);
    expect(screen.getByText("Not acknowledged yet.")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Acknowledge" })).toBeNull();
    app.unmount();
    serve({ incident: { ...incident, closedAt: "2026-01-02T09:05:00Z" } });
    await open();
    expect(screen.queryByRole("button", { name: "Acknowledge" })).toBeNull();
  });
});
