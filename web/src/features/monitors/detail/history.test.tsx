import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { admin, bucket, historyPeriod, incident, monitor, result } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { ok, on } from "../../../testing/server.ts";

const period = { ...historyPeriod, previous: { ...historyPeriod.summary, failures: 3, p50: 60 } };
let historiesAsked: Record<string, string>[];

beforeEach(() => {
  historiesAsked = [];
  on("get", "/monitors/7", () => ok({ monitor }));
  on("get", "/monitors/7/history", ({ request }) => {
    const asked = Object.fromEntries(new URL(request.url).searchParams);
    const { range = "", step: wanted } = asked;
    historiesAsked.push(asked);
    const [step, starts] =
      range === "30d" && wanted === undefined
        ? [86_400, ["2026-01-01T23:00:00Z", "2026-01-02T23:00:00Z"]]
        : [300, ["2026-01-02T09:50:00Z", "2026-01-02T09:55:00Z"]];
    const buckets = [bucket(starts[0] as string, 0), bucket(starts[1] as string, 10, 9)];
    return ok({ range, step, buckets, ...period });
  });
  on("get", "/monitors/7/checks", () => ok({ checks: [result] }));
  on("get", "/monitors/7/incidents", () => ok({ incidents: [incident], total: 1 }));
});

async function open() {
  const app = await renderScreen("/monitors/7", { as: admin });
  await screen.findByRole("heading", { name: "Shop API" });
  await screen.findByRole("heading", { name: "Configuration" });
  return app;
}

describe("the history of a monitor", () => {
  it("draws comparisons grey while the monitor is down", async () => {
    const badge = () => screen.getByText("+50%").className;
    const up = await open();
    await screen.findByText("Coverage");
    expect(badge()).toContain("text-warn-ink");
    up.unmount();
    on("get", "/monitors/7", () => ok({ monitor: { ...monitor, status: "down" } }));
    await open();
    await screen.findByText("Coverage");
    expect(badge()).toContain("text-muted");
  });

  it("lists the checks of a selected bar, zooms to it, and returns", async () => {
    const asked: Record<string, string>[] = [];
    on("get", "/monitors/7/checks", ({ request }) => {
      asked.push(Object.fromEntries(new URL(request.url).searchParams));
      // The whole range has another status code than its parts.
      return ok({ checks: [{ ...result, statusCode: asked.at(-1)?.["from"] === undefined ? 418 : 200 }] });
    });
    const { user } = await open();
    expect(await screen.findByRole("cell", { name: "418" })).toBeTruthy();
    const bars = await screen.findByRole("slider", { name: "State over the last 24 hours" });
    act(() => bars.focus());
    await user.keyboard("{Home}{ArrowRight}{Enter}");
    await waitFor(() => expect(asked).toHaveLength(2));
    const period = { from: "2026-01-02T09:55:00.000Z", until: "2026-01-02T10:00:00.000Z" };
    expect(asked.at(-1)).toMatchObject({ from: period.from, before: period.until });
    const seconds = Object.values(period).map((at) => Date.parse(at) / 1000);
    expect(location.search).toBe(`?bar=${seconds.join("-")}`);
    expect(bars.querySelectorAll(".outline-ink")).toHaveLength(1);
    expect(await screen.findByRole("cell", { name: "200" })).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Zoom in" }));
    expect(location.search).toBe(`?zoom=${seconds.join("-")}`);
    await waitFor(() => expect(historiesAsked.at(-1)).toMatchObject(period));
    expect(await screen.findAllByText("Compared with the previous period of the same length")).not.toHaveLength(0);
    await user.click(screen.getByRole("button", { name: "Back to 24 hours" }));
    expect(location.search).toBe("");
    expect(await screen.findByRole("cell", { name: "418" })).toBeTruthy();
  });

  it("marks incidents and changes on the axis, and describes each", async () => {
    on("get", "/monitors/7/history", () =>
      ok({
        range: "24h",
        step: 300,
        buckets: [bucket("2026-01-02T09:50:00Z", 5), bucket("2026-01-02T09:55:00Z", 5)],
        ...period,
        changes: [{ at: "2026-01-02T09:52:00Z", kinds: ["interval", "locations"] }],
      }),
    );
    const { openedAt, closedAt } = { openedAt: "2026-01-02T09:51:00Z", closedAt: "2026-01-02T09:53:00Z" };
    on("get", "/monitors/7/incidents", () => ok({ incidents: [{ ...incident, openedAt, closedAt }], total: 1 }));
    await open();
    expect(await screen.findByText("1 incident")).toBeTruthy();
    const marks = (kind: string) => [...document.querySelectorAll<HTMLElement>(`summary [data-mark="${kind}"]`)];
    expect(marks("incident").map(({ style }) => [style.left, style.width])).toEqual([["10%", "20%"]]);
    expect(marks("change").map(({ style }) => style.left)).toEqual(["20%"]);
    const list = screen.getByText("Interval changed, Locations changed").closest("ul") as HTMLElement;
    expect(within(list).getByRole("link", { hidden: true }).getAttribute("href")).toBe(`/incidents/${incident.id}`);
  });

  it("compares the locations of a monitor that has several", async () => {
    on("get", "/monitors/7", () => ok({ monitor: { ...monitor, locations: ["berlin", "tokyo"] } }));
    const figures = { checks: 60, failures: 0, uptime: 100, p50: 20, p95: 30 };
    on("get", "/monitors/7/history/locations", () =>
      ok({
        from: "2026-01-02T09:50:00Z",
        step: 300,
        locations: [
          { name: "berlin", ...figures, times: [20, 21] },
          { name: "tokyo", ...figures, failures: 3, uptime: 95, p50: 200, times: [200, null] },
        ],
      }),
    );
    await open();
    const table = await screen.findByRole("region", { name: "Metrics by location" });
    const rows = within(table).getAllByRole("row").slice(1);
    expect(rows.map(({ textContent }) => textContent)).toEqual([
      "berlin100%06020\u00a0ms30\u00a0ms",
      "tokyo95.00%360200\u00a0ms30\u00a0ms",
    ]);
    expect(screen.getByRole("slider", { name: /Response time \(p50\) by location/ })).toBeTruthy();
  });
});
