import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { describe, expect, it } from "vitest";
import { dispatchLive } from "../../app/live/events.ts";
import { admin, dashboard, incident } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";

const tile = (name: string) => screen.getByText(name, { selector: "dt" }).nextElementSibling?.textContent;

/** Waits for both parts of the page: problems, and the rest. */
const loaded = async () => {
  await screen.findByRole("heading", { name: /^(?:Needs attention|需要关注)/ });
  return screen.getAllByText("Shop API")[0];
};

describe("the dashboard", () => {
  it("shows totals and uptime, with a link to each state's list", async () => {
    on("get", "/dashboard", () => ok({ ...dashboard }));
    await renderScreen("/dashboard", { as: admin });
    expect(await loaded()).toBeTruthy();
    expect(tile("Total monitors")).toBe("41 down");
    expect(tile("Active monitors")).toBe("31 paused");
    expect(tile("Uptime")).toContain("99.50%");
    expect((await screen.findByRole("link", { name: "Down 1" })).getAttribute("href")).toBe("/monitors?status=down");
  });

  it("shows why files of a mounted folder were not applied, with a link to the sources", async () => {
    const problem = "monitors.yaml:7: url is missing";
    on("get", "/dashboard", () => ok({ ...dashboard, sourceProblems: [{ source: "prod-git", problem }] }));
    await renderScreen("/dashboard", { as: admin });
    const alert = within((await screen.findByText("Files from prod-git were not applied")).closest("[role=alert]")!);
    expect(alert.getByText(problem)).toBeTruthy();
    expect(alert.getByRole("link", { name: "Configuration sources" }).getAttribute("href")).toBe("/settings/sources");
  });

  it("shows ten open incidents with target, cause and duration, even if many others ended", async () => {
    const open = Array.from({ length: 10 }, (_, index) => ({
      ...incident,
      id: `m${index + 10}`,
      target: { ...incident.target, name: `Shop ${index}` },
      cause: `Status 50${index} is not the expected 200`,
    }));
    const recent = Array.from({ length: 10 }, (_, index) => ({ ...incident, id: `m${index + 30}` }));
    on("get", "/dashboard", () => ok({ ...dashboard, incidents: 14, open, recent }));
    await renderScreen("/dashboard", { as: admin });
    const list = (await screen.findByRole("link", { name: "Shop 0" })).closest("ul");
    const rows = within(list!).getAllByRole("listitem");
    expect(rows).toHaveLength(10);
    await waitFor(() =>
      rows.forEach((row, index) =>
        expect(row.textContent).toMatch(new RegExp(`Shop ${index}.*50${index}.*for \\d+ days`)),
      ),
    );
    expect(within(rows[3]!).getByRole("link").getAttribute("href")).toBe("/incidents/m13");
    expect(screen.getByRole("link", { name: "Show 4 more" }).getAttribute("href")).toBe("/incidents?open=true");
  });

  it("shows acknowledged incidents last and dimmed, and acknowledges in the row", async () => {
    const worked = { ...incident, acknowledgedAt: "2026-01-02T09:10:00Z", acknowledgedBy: "grace" };
    let open = [
      { ...worked, id: "m8", target: { ...incident.target, id: 8, name: "Search" } },
      { ...incident, id: "a1", kind: "threshold" as const, target: { type: "agent" as const, id: 1, name: "db-1" } },
      incident,
    ];
    on("get", "/dashboard", () => ok({ ...dashboard, incidents: 3, open }));
    const sent: string[] = [];
    on("post", "/incidents/:id/acknowledge", ({ params }) => {
      sent.push(String(params["id"]));
      open = open.map((each) => (each.id === params["id"] ? { ...worked, id: each.id, target: each.target } : each));
      return ok({ incident: worked as never });
    });
    const { user } = await renderScreen("/dashboard", { as: admin });
    const names = () =>
      [...document.querySelectorAll("li[data-row]")].map((row) => [
        row.querySelector("a")?.textContent,
        row.hasAttribute("data-dimmed"),
      ]);
    await screen.findByRole("link", { name: "Search" });
    expect(names()).toEqual([
      ["Shop API", false],
      ["db-1", false],
      ["Search", true],
    ]);
    const row = screen.getByRole("link", { name: "Shop API" }).closest("li") as HTMLElement;
    await user.click(within(row).getByRole("button", { name: "Acknowledge" }));
    await waitFor(() => expect(names().at(-1)?.[1] && names()[0]?.[0] === "db-1").toBe(true));
    expect(sent).toEqual(["m3"]);
    expect(screen.getByRole("button", { name: "Undo" })).toBeTruthy();
  });

  it("shows an outage of many monitors as one row that is acknowledged at once", async () => {
    const open = Array.from({ length: 60 }, (_, index) => ({
      ...incident,
      id: `m${index + 10}`,
      target: { ...incident.target, id: index + 10, name: `Host ${index}` },
      cause: "The connection was refused",
    }));
    on("get", "/dashboard", () => ok({ ...dashboard, incidents: 60, open, attention: [] }));
    let sent: unknown;
    on("post", "/incidents/bulk", async ({ request }) => {
      sent = await request.json();
      return ok({ incidents: open as never, failed: [] });
    });
    const { user } = await renderScreen("/dashboard", { as: admin });
    const link = await screen.findByRole("link", { name: "60 monitors" });
    expect(link.getAttribute("href")).toBe(
      "/incidents?open=true&acknowledged=false&search=The%20connection%20was%20refused",
    );
    expect(document.querySelectorAll("li[data-row]")).toHaveLength(1);
    await user.click(screen.getByRole("button", { name: "Acknowledge all" }));
    expect(await screen.findByText(/^60 incidents acknowledged/)).toBeTruthy();
    expect(sent).toEqual({ ids: open.map(({ id }) => id), action: "acknowledge" });
  });

  it("reports that all is well, and still shows recent checks and response times", async () => {
    const [monitor] = dashboard.attention;
    const attention = [{ ...monitor!, status: "up" as const }];
    const agents = { total: 2, online: 2, connecting: 0, offline: 0 };
    const monitors = { ...dashboard.monitors, up: 3, down: 0 };
    on("get", "/dashboard", () =>
      ok({ ...dashboard, monitors, agents, incidents: 0, open: [], recent: [], attention }),
    );
    await renderScreen("/dashboard", { as: admin });
    expect(await screen.findByRole("heading", { name: "All clear" })).toBeTruthy();
    expect(screen.getByRole("link", { name: "3 monitors up" }).getAttribute("href")).toBe("/monitors?status=up");
    expect(screen.getByRole("link", { name: "2 agents online" }).getAttribute("href")).toBe("/agents?status=online");
    expect(await screen.findByRole("heading", { name: "Latest changes" })).toBeTruthy();
    const row = screen.getByRole("row", { name: /Shop API/ });
    expect(row.textContent).toMatch(/123\sms.*456\sms.*91\.25%/);
    expect(within(row).getAllByRole("img", { name: "Latest 2 checks: 1 failed, 0 without data" })).toHaveLength(2);
    expect(screen.queryByText("Needs attention")).toBeNull();
  });

  it("does not report unknown states as well", async () => {
    const monitors = { ...dashboard.monitors, down: 1 };
    on("get", "/dashboard", () => ok({ ...dashboard, monitors, incidents: 0, open: [], attention: [] }));
    await renderScreen("/dashboard", { as: admin });
    expect(await screen.findByRole("heading", { name: "No open incidents" })).toBeTruthy();
  });

  it("does not report that all is well while agent incidents are unknown", async () => {
    on("get", "/dashboard", () =>
      ok({
        ...dashboard,
        agents: null,
        incidents: null,
        open: [],
        attention: [],
        unavailable: ["agents", "incidents", "open"],
      }),
    );
    await renderScreen("/dashboard", { as: admin });
    const card = (await screen.findByRole("heading", { name: /^Needs attention/ })).closest("section");
    expect(card?.textContent).toContain("Currently unavailable");
    expect(screen.queryByText("All clear")).toBeNull();
  });

  it("lists only unhealthy monitors if there are any", async () => {
    const [down] = dashboard.attention;
    const attention = [
      down!,
      { ...down!, id: 8, name: "Blog", status: "up" as const, stale: true },
      { ...down!, id: 9, name: "Cart", status: "up" as const },
    ];
    on("get", "/dashboard", () => ok({ ...dashboard, attention }));
    await renderScreen("/dashboard", { as: admin });
    const card = (await screen.findByRole("heading", { name: /^Needs attention/ })).closest("section")!;
    expect(within(card).getByRole("link", { name: "Blog" }).getAttribute("href")).toBe("/monitors/8");
    expect(within(card).queryByRole("link", { name: "Cart" })).toBeNull();
    expect(within(card).getAllByText("No data").length).toBeGreaterThan(0);
  });

  it("shows which monitors became slower, with a link to all of them", async () => {
    const p95 = { last: 900, usual: 320, change: 181, slower: true };
    const slower = { total: 5, worst: [{ monitorId: 7, name: "Checkout", p95 }] };
    on("get", "/dashboard", () => ok({ ...dashboard, slower }));
    await renderScreen("/dashboard", { as: admin });
    const card = within((await screen.findByRole("heading", { name: "Getting slower 5" })).closest("section")!);
    expect(card.getByRole("link", { name: "Checkout" }).getAttribute("href")).toBe("/monitors/7");
    expect(card.getByText("p95 rose from 320 ms to 900 ms")).toBeTruthy();
    expect(card.getByText("320 ms → 900 ms")).toBeTruthy();
    const list = "/monitors?slower=true&sort=-p95Change";
    expect(card.getByRole("link", { name: "Show all" }).getAttribute("href")).toBe(list);
  });

  it("has no card for slower monitors if there are none, or if they are unknown", async () => {
    on("get", "/dashboard", () => ok({ ...dashboard }));
    const { unmount } = await renderScreen("/dashboard", { as: admin });
    await loaded();
    expect(screen.queryByRole("heading", { name: /Getting slower/ })).toBeNull();
    unmount();
    on("get", "/dashboard", () => ok({ ...dashboard, slower: null, unavailable: ["slower"] }));
    await renderScreen("/dashboard", { as: admin });
    await loaded();
    expect(screen.queryByRole("heading", { name: /Getting slower/ })).toBeNull();
  });

  it("shows the number of expiring certificates with their list and days left", async () => {
    const soonest = [
      { monitorId: 7, name: "Shop API", expiresAt: new Date(Date.now() - 3 * 86_400_000).toISOString() },
      { monitorId: 8, name: "Mail", expiresAt: new Date(Date.now() + 3 * 86_400_000).toISOString() },
    ];
    on("get", "/dashboard", () => ok({ ...dashboard, certificates: { total: 12, soonest } }));
    await renderScreen("/dashboard", { as: admin });
    const card = (await screen.findByRole("heading", { name: /Expiring certificates/ })).closest("section")!;
    expect(within(card).getByRole("link", { name: "12" }).getAttribute("href")).toBe("/monitors?status=expiring");
    expect(within(card).getByRole("link", { name: "Mail" }).getAttribute("href")).toBe("/monitors/8");
    expect([...card.querySelectorAll("time")].map((time) => time.textContent)).toEqual([
      "expired 3 days ago",
      "expires in 3 days",
    ]);
  });

  it("shows the worst agents with their usage, and marks figures of an offline agent as outdated", async () => {
    const agents = { total: 2, online: 1, connecting: 0, offline: 1 };
    const lastSeen = "2026-01-02T10:00:00Z";
    const worstAgents = [
      { id: 3, name: "db-1", status: "offline" as const, lastSeen, cpu: null, memory: 40, disk: 50 },
      { id: 4, name: "web-1", status: "online" as const, lastSeen, cpu: 95.5, memory: 41, disk: 51 },
    ];
    on("get", "/dashboard", () => ok({ ...dashboard, agents, worstAgents }));
    await renderScreen("/dashboard", { as: admin });
    const row = (await screen.findByRole("link", { name: "db-1" })).closest("li");
    expect(row?.textContent).toBe("db-1OfflineCPU –Memory 40%Disk 50%");
    expect(screen.getByRole("link", { name: "web-1" }).closest("li")?.textContent).toContain("CPU 95.5%");
  });

  it("links each total to its list", async () => {
    on("get", "/dashboard", () => ok({ ...dashboard }));
    await renderScreen("/dashboard", { as: admin });
    await screen.findByText("Total monitors");
    const to = (name: string) =>
      [...screen.getByText(name, { selector: "dt" }).parentElement!.querySelectorAll("a")].map((link) =>
        link.getAttribute("href"),
      );
    expect(to("Total monitors")).toEqual(["/monitors", "/monitors?status=down"]);
    expect(to("Active monitors")).toEqual(["/monitors?status=active", "/monitors?status=paused"]);
    expect(to("Uptime")).toEqual(["/monitors?sort=uptime"]);
    expect(to("Open incidents")).toEqual(["/incidents?open=true"]);
  });

  it("offers two first steps in an empty installation, next to zero totals", async () => {
    const nothing = { total: 0, active: 0, up: 0, down: 0, slow: 0, stale: 0, pending: 0, paused: 0 };
    on("get", "/dashboard", () =>
      ok({ ...dashboard, monitors: nothing, incidents: 0, recent: [], uptime: { h24: null, d30: null } }),
    );
    await renderScreen("/dashboard", { as: admin });
    expect((await screen.findByRole("link", { name: "Add a monitor" })).getAttribute("href")).toBe("/monitors/create");
    expect(screen.getByRole("link", { name: "Add an agent" }).getAttribute("href")).toBe("/agents/create");
    expect(["Total monitors", "Active monitors", "Open incidents"].map(tile)).toEqual(["0", "0", "0"]);
    expect(tile("Uptime")).toMatch(/^–last 24 hours/);
  });

  it("shows available parts while another is unavailable", async () => {
    on("get", "/dashboard", () =>
      ok({ ...dashboard, agents: null, incidents: null, uptime: null, unavailable: ["agents", "uptime", "incidents"] }),
    );
    await renderScreen("/dashboard", { as: admin });
    expect(await loaded()).toBeTruthy();
    expect(tile("Total monitors")).toBe("41 down");
    expect(tile("Uptime")).toBe("–Currently unavailable");
    expect(tile("Open incidents")).toBe("–Currently unavailable");
    const agents = screen.getByRole("heading", { name: "Agents" }).closest("section, div.rounded-lg");
    expect(agents?.textContent).toContain("Currently unavailable");
  });

  it.each([
    ["en-US", "Some incidents can't be shown right now."],
    ["zh-CN", "部分事件暂时无法显示。"],
  ] as const)(
    "reports that some incidents are missing while monitors or agents are unavailable (%s)",
    async (language, words) => {
      on("get", "/dashboard", () =>
        ok({ ...dashboard, incidents: null, unavailable: ["agents", "incidents", "recent", "open"] }),
      );
      await renderScreen("/dashboard", { as: admin, language });
      expect(await loaded()).toBeTruthy();
      expect(screen.getByText(words)).toBeTruthy();
    },
  );

  it("shows agents while monitors are unavailable", async () => {
    const agents = { total: 5, online: 3, connecting: 1, offline: 1 };
    const unavailable = ["monitors", "incidents", "recent"];
    on("get", "/dashboard", () =>
      ok({ ...dashboard, agents, monitors: null, incidents: null, recent: null, unavailable }),
    );
    await renderScreen("/dashboard", { as: admin });
    expect(await screen.findByRole("link", { name: "Online 3" })).toBeTruthy();
    expect(tile("Total monitors")).toBe("–Currently unavailable");
    expect(screen.queryByText("No incidents")).toBeNull();
  });

  it("shows the number of agents by state, linked to their lists, and updates it", async () => {
    let agents = { total: 5, online: 3, connecting: 1, offline: 1 };
    on("get", "/dashboard", () => ok({ ...dashboard, agents }));
    await renderScreen("/dashboard", { as: admin });
    const online = await screen.findByRole("link", { name: "Online 3" });
    expect(online.getAttribute("href")).toBe("/agents?status=online");
    expect(screen.getByRole("heading", { name: "Agents 5" })).toBeTruthy();
    const at = "2026-01-02T10:00:00Z";
    const change = { id: 3, change: "state", status: "offline", previousStatus: "online", at } as const;
    agents = { total: 5, online: 2, connecting: 1, offline: 2 };
    act(() => dispatchLive([{ id: "1-9", name: "agent", data: change }]));
    expect(await screen.findByRole("link", { name: "Offline 2" })).toBeTruthy();
    expect(screen.getByRole("link", { name: "Online 2" })).toBeTruthy();
  });

  it("shows how often the target of an incident went down again", async () => {
    on("get", "/dashboard", () => ok({ ...dashboard, open: [{ ...incident, flaps: 3 }] }));
    await renderScreen("/dashboard", { as: admin });
    expect(await screen.findByText(/flapping: went down again 3 times/)).toBeTruthy();
  });

  it("counts stale monitors as no data, and lists locations without runners", async () => {
    const monitors = { total: 200, active: 200, up: 0, down: 0, slow: 0, stale: 200, pending: 0, paused: 0 };
    on("get", "/dashboard", () => ok({ ...dashboard, monitors }));
    on("get", "/locations", () =>
      ok({
        locations: [
          { name: "eu1", runners: 0, monitors: 200 },
          { name: "us1", runners: 1, monitors: 0 },
          { name: "cn1", runners: 1, monitors: 3, trouble: "names" },
        ],
      }),
    );
    await renderScreen("/dashboard", { as: admin });
    const link = await screen.findByRole("link", { name: "No data 200" });
    expect(link.getAttribute("href")).toBe("/monitors?status=stale");
    expect(screen.getByRole("link", { name: "Up 0" })).toBeTruthy();
    expect(await screen.findByText("No probe runner at eu1. Monitors aren't checked there.")).toBeTruthy();
    expect(screen.getByText(/^The probe runner at cn1 can't resolve host names/)).toBeTruthy();
  });

  it.each([
    [
      "the server's message, which names the unavailable service",
      () => fail(503, "unavailable", "The metrics service is currently unavailable"),
      "The metrics service is currently unavailable",
    ],
    ["the fallback", () => new HttpResponse(null, { status: 500 }), "Failed to fetch data"],
  ])("shows %s, and refreshes", async (_what, answer, words) => {
    on("get", "/dashboard", answer);
    const { user } = await renderScreen("/dashboard", { as: admin });
    expect(await screen.findByText(words)).toBeTruthy();
    on("get", "/dashboard", () => ok({ ...dashboard }));
    await user.click(screen.getByRole("button", { name: "Refresh" }));
    expect(await loaded()).toBeTruthy();
  });

  it("shows that it refreshes only after a click, not for live events", async () => {
    let answered = 0;
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    on("get", "/dashboard", async () => {
      answered += 1;
      if (answered === 3) await held;
      return ok({ ...dashboard });
    });
    const { user } = await renderScreen("/dashboard", { as: admin });
    await loaded();
    const at = "2026-01-02T10:00:00Z";
    const change = { id: 9, change: "state", status: "down", previousStatus: "up", at } as const;
    const words: string[] = [];
    const button = screen.getByRole("button", { name: "Refresh" });
    const observer = new MutationObserver(() => words.push(button.textContent ?? ""));
    observer.observe(button, { childList: true, subtree: true, characterData: true });
    act(() => dispatchLive([{ id: "1-4", name: "monitor", data: change }]));
    await waitFor(() => expect(answered).toBe(2));
    expect(words).toEqual([]);
    await user.click(button);
    expect(await screen.findByText("Refreshing…")).toBeTruthy();
    release();
    expect(await screen.findByText("Refresh")).toBeTruthy();
    observer.disconnect();
  });

  it("shows which request failed and why", async () => {
    on("get", "/dashboard", () => HttpResponse.error());
    await renderScreen("/dashboard", { as: admin });
    const failed = await screen.findByText("Failed to fetch data");
    expect(failed.nextElementSibling?.textContent).toBe("Can't reach the Sonde server. It may be restarting.");
    expect(screen.getByRole("alert").contains(failed)).toBe(true);
  });

  it("applies live events", async () => {
    on("get", "/dashboard", () => ok({ ...dashboard }));
    await renderScreen("/dashboard", { as: admin });
    await screen.findByText("Needs attention");
    const closed = { ...incident, closedAt: "2026-01-02T09:05:00Z", resolution: "recovered" as const };
    act(() => dispatchLive([{ id: "1-3", name: "incident", data: { change: "closed", incident: closed } }]));
    await waitFor(() => expect(tile("Open incidents")).toBe("0All clear"));
    expect(screen.getByText("Recovered")).toBeTruthy();
  });
});
