import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { dispatchLive } from "../../../app/live/events.ts";
import { admin, bucket, historyPeriod, monitors, result, viewer } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";
import { chooseKind } from "../../../testing/user.ts";

const address = monitors.heartbeat.pingUrl;
const never = { status: "pending" as const, lastCheckedAt: null, lastRun: null, dueAt: null, deadlineAt: null };
const fresh = { ...monitors.heartbeat, ...never };
const start = {
  at: "2026-01-02T09:58:00Z",
  type: "start",
  from: "192.0.2.7",
  runId: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
};
const failure = {
  ...start,
  at: "2026-01-02T10:00:00Z",
  type: "fail",
  exitCode: 3,
  durationMs: 120_000,
  output: "disk full\n",
};

let withPings: typeof monitors.heartbeat;
let shown: object;
let monitorsAsked: number;
beforeEach(() => {
  withPings = { ...monitors.heartbeat, dueAt: inMinutes(10), deadlineAt: inMinutes(15) };
  shown = withPings;
  monitorsAsked = 0;
  on("get", "/monitors/7", () => {
    monitorsAsked += 1;
    return ok({ monitor: shown as never });
  });
  on("get", "/monitors/7/history", () =>
    ok({ range: "30d", step: 86_400, buckets: [bucket("2026-01-01T23:00:00Z", 1)], ...historyPeriod }),
  );
  on("get", "/monitors/7/checks", () => ok({ checks: [result] }));
  on("get", "/monitors/7/pings", () => ok({ pings: [failure, start] }));
});

function inMinutes(minutes: number) {
  return new Date(Date.now() + minutes * 60_000 + 500).toISOString();
}
async function open(as = admin) {
  const app = await renderScreen("/monitors/7", { as });
  await screen.findByRole("heading", { name: "Ping address" });
  await screen.findByRole("heading", { name: "Configuration" });
  return app;
}
const tile = (name: string) => screen.getByText(name, { selector: "dt" }).nextElementSibling?.textContent ?? "";

describe("the heartbeat page", () => {
  it("shows the due time, runs and schedule, and nothing specific to checks", async () => {
    shown = { ...withPings, running: [{ runId: start.runId, since: new Date(Date.now() - 80_000).toISOString() }] };
    await open();
    expect(tile("Next due")).toMatch(/^(10|9) min/);
    expect(tile("Next due")).toContain("Down after");
    expect(tile("Last ping")).toContain("The last run took 2 min");
    expect(screen.getByText(/^1 min \d+ sec$/)).toBeTruthy();
    expect(screen.getByText("Exit code").nextElementSibling?.textContent).toBe("0");
    expect(screen.getByText("Time zone").nextElementSibling?.textContent).toBe("Europe/Berlin");
    for (const name of ["Interval", "Timeout", "Retries before down", "Locations", "Response time"])
      expect(screen.queryByText(name)).toBeNull();
    expect(screen.queryByRole("button", { name: /Check now/ })).toBeNull();
  });

  it("charts and lists the facts that the job reports", async () => {
    const asked: string[] = [];
    on("get", "/monitors/7/pings", ({ request }) => {
      asked.push(new URL(request.url).searchParams.get("only") ?? "all");
      return ok({
        pings: [
          { ...failure, facts: { rows: 1200, bytes: 5 } },
          { ...start, facts: { rows: 900 } },
        ],
      });
    });
    await open();
    expect(await screen.findByRole("heading", { name: "Rows" })).toBeTruthy();
    expect(screen.getByRole("heading", { name: "Bytes" })).toBeTruthy();
    expect(screen.queryByRole("heading", { name: "Files" })).toBeNull();
    expect(screen.getByText("rows 1,200 · bytes 5")).toBeTruthy();
    expect(asked).toContain("facts");
  });

  it("shows how late an overdue ping is", async () => {
    shown = { ...withPings, dueAt: inMinutes(-3) };
    await open();
    expect(tile("Next due")).toMatch(/^[23] min( \d+ sec)? late/);
  });

  it("lists pings with the job's data, and older ones page by page", async () => {
    const asked: (string | null)[] = [];
    const many = Array.from({ length: 30 }, (_, index) => ({
      ...start,
      at: new Date(Date.UTC(2026, 0, 2, 9, 30 - index)).toISOString(),
    }));
    on("get", "/monitors/7/pings", ({ request }) => {
      const before = new URL(request.url).searchParams.get("before");
      asked.push(before);
      return ok({ pings: before === null ? many : [failure] });
    });
    const { user } = await open();
    const table = await screen.findByRole("region", { name: "Pings" });
    await user.click(screen.getByRole("button", { name: "Show more" }));
    expect(await within(table).findByText("exit code 3")).toBeTruthy();
    expect(asked).toContain(many.at(-1)?.at);
    await user.click(within(table).getByRole("button", { name: /^Output of the ping/ }));
    expect(within(table).getByText(/disk full/)).toBeTruthy();
  });

  it("creates a new address after a confirmation, and shows how long the old one works", async () => {
    const until = inMinutes(24 * 60);
    on("post", "/monitors/7/ping-url", () => {
      shown = { ...withPings, pingUrl: `${address.slice(0, -1)}f`, previousUrlUntil: until };
      return ok({ monitor: shown as never });
    });
    const { user } = await open();
    await user.click(screen.getByRole("button", { name: "Replace address" }));
    const dialog = await screen.findByRole("dialog");
    expect(dialog.textContent).toContain("24 hours");
    await user.click(within(dialog).getByRole("button", { name: "Replace address" }));
    expect(await screen.findByText(`${address.slice(0, -1)}f`)).toBeTruthy();
    expect(screen.getByText(/The previous address works until/)).toBeTruthy();
  });

  it("shows viewers no address and no way to change it", async () => {
    shown = { ...withPings, pingUrl: "https://sonde.example/ping/••••••" };
    await open(viewer);
    expect(screen.getByText("https://sonde.example/ping/••••••")).toBeTruthy();
    for (const name of [/Copy/, "Replace address"]) expect(screen.queryByRole("button", { name })).toBeNull();
    expect(screen.queryByText("How to ping it")).toBeNull();
  });

  it("shows snippets while waiting for the first ping, and reports it when it arrives", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    shown = fresh;
    on("get", "/monitors/7/pings", () => ok({ pings: [] }));
    const { user } = await open();
    expect(await screen.findByText("Waiting for the first ping…")).toBeTruthy();
    expect(screen.getByRole("region", { name: "crontab" }).textContent).toContain(`"${address}/$?"`);
    await user.click(screen.getByRole("tab", { name: "systemd" }));
    expect(screen.getByRole("region", { name: "systemd" }).textContent).toContain(
      "OnCalendar=*-*-* 03:00:00 Europe/Berlin",
    );
    // Nothing is refetched before an event.
    const before = monitorsAsked;
    await act(() => vi.advanceTimersByTimeAsync(10_000));
    expect(monitorsAsked).toBe(before);
    shown = withPings;
    act(() =>
      dispatchLive([
        {
          id: null,
          name: "monitor",
          data: { id: 7, change: "state", at: new Date().toISOString(), status: "up" } as never,
        },
      ]),
    );
    expect(await screen.findByText("First ping received")).toBeTruthy();
    expect(tile("Next due")).toMatch(/^(10|9) min/);
  });

  it("is completely translated to Chinese", async () => {
    shown = fresh;
    await renderScreen("/monitors/7", { as: admin, language: "zh-CN" });
    expect(await screen.findByText("正在等待首次上报…")).toBeTruthy();
    await screen.findByRole("heading", { name: "上报地址" });
    shown = withPings;
    act(() =>
      dispatchLive([
        {
          id: null,
          name: "monitor",
          data: { id: 7, change: "state", at: new Date().toISOString(), status: "up" } as never,
        },
      ]),
    );
    expect(await screen.findByText("已收到首次上报")).toBeTruthy();
  });
});

describe("the heartbeat form", () => {
  let sent: Record<string, unknown> | undefined;
  beforeEach(() => {
    sent = undefined;
    on("get", "/locations", () =>
      ok({
        locations: [
          { name: "eu", runners: 1, monitors: 0 },
          { name: "us", runners: 1, monitors: 0 },
        ],
      }),
    );
    const keep: Parameters<typeof on>[2] = async ({ request }) => {
      sent = (await request.json()) as Record<string, unknown>;
      return ok({ monitor: fresh as never });
    };
    on("post", "/monitors", keep);
    on("put", "/monitors/7", keep);
  });
  async function create() {
    const { user } = await renderScreen("/monitors/create", { as: admin });
    await screen.findByRole("heading", { name: "Add monitor" });
    await chooseKind(user, "Heartbeat");
    await user.type(await screen.findByLabelText(/^Name/), "Backup");
    return { user, save: () => user.click(screen.getByRole("button", { name: "Create monitor" })) };
  }

  it("asks only for the schedule and sends no settings of checks", async () => {
    const { user, save } = await create();
    await user.clear(screen.getByLabelText(/^Every/));
    await user.type(screen.getByLabelText(/^Every/), "6");
    await user.selectOptions(screen.getByLabelText("Unit"), "h");
    await user.click(screen.getByText("Advanced"));
    for (const name of [/^Interval/, /^Timeout/, /^Retries/, /^Keep the response/])
      expect(screen.queryByLabelText(name)).toBeNull();
    expect(screen.queryByRole("group", { name: "Locations" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Test" })).toBeNull();
    await user.type(screen.getByLabelText(/^Maximum run time/), "2h");
    await save();
    await waitFor(() =>
      expect(sent).toMatchObject({ type: "heartbeat", every: 360, cron: null, grace: 300, maxRuntime: 7200 }),
    );
    for (const name of ["interval", "timeout", "retries", "locations", "keepBody"])
      expect(sent).not.toHaveProperty(name);
  });

  it("shows the next runs of a cron expression, or why it is invalid", async () => {
    on("get", "/schedule", ({ request }) => {
      const { searchParams } = new URL(request.url);
      return searchParams.get("cron") === "0 3 * * *"
        ? ok({ next: ["2031-03-04T02:00:00Z", "2031-03-05T02:00:00Z"] })
        : fail(400, "invalid", "The request is not valid", [
            { path: "cron", message: "This cron expression never matches" },
          ]);
    });
    const { user, save } = await create();
    await user.click(screen.getByRole("radio", { name: "On a cron schedule" }));
    await user.type(screen.getByLabelText(/^Cron/), "0 3 30 2 *");
    expect(await screen.findByText("This cron expression never matches")).toBeTruthy();
    await user.clear(screen.getByLabelText(/^Cron/));
    await user.type(screen.getByLabelText(/^Cron/), "0 3 * * *");
    await waitFor(() => expect(document.querySelectorAll("time[datetime^='2031-03']")).toHaveLength(2));
    await user.clear(screen.getByLabelText("Time zone"));
    await user.type(screen.getByLabelText("Time zone"), "Europe/Berlin");
    await save();
    await waitFor(() => expect(sent).toMatchObject({ cron: "0 3 * * *", timeZone: "Europe/Berlin", every: null }));
  });

  it("shows errors at their fields", async () => {
    const { user, save } = await create();
    await user.clear(screen.getByLabelText(/^Every/));
    await user.clear(screen.getByLabelText(/^Grace period$/));
    await user.type(screen.getByLabelText(/^Grace period$/), "soon");
    await save();
    await waitFor(() => expect(screen.getByLabelText(/^Every/).getAttribute("aria-invalid")).toBe("true"));
    expect(screen.getByLabelText(/^Grace period$/).getAttribute("aria-invalid")).toBe("true");
    expect(sent).toBeUndefined();
  });
});

describe("a list with heartbeats", () => {
  it("shows their schedule and last ping, and offers no check", async () => {
    const hourly = {
      ...withPings,
      cron: undefined,
      target: "every 60 min",
      lastCheckedAt: new Date(Date.now() - 125_000).toISOString(),
    };
    on("get", "/monitors", () => ok({ monitors: [hourly as never], total: 1 }));
    const { user } = await renderScreen("/monitors", { as: admin });
    const row = (await screen.findByRole("link", { name: "Shop API" })).closest("tr")!;
    expect(within(row).getByText("every 1 hr")).toBeTruthy();
    expect(within(row).getByText("2 minutes ago")).toBeTruthy();
    await user.click(within(row).getByRole("checkbox"));
    expect(await screen.findByRole("button", { name: "Edit" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Check now" })).toBeNull();
  });
});
