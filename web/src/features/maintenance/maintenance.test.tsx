import type { Maintenance } from "@sonde/proto/http/status/maintenance";
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, describe, expect, it } from "vitest";
import { admin, agent, monitor, viewer } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";

const weekly: Maintenance = {
  id: 4,
  name: "Database upgrade",
  note: "The shop is **slow**.",
  monitors: [7],
  agents: [3],
  tags: [],
  start: "2099-03-29T00:00:30.000Z",
  end: "2099-03-29T02:00:00.000Z",
  timeZone: "Asia/Tokyo",
  rrule: "FREQ=WEEKLY;BYDAY=SU,MO;COUNT=5",
  public: false,
  status: "scheduled",
  next: { start: "2099-03-29T00:00:30.000Z", end: "2099-03-29T02:00:00.000Z" },
  upcoming: [
    { start: "2099-03-29T00:00:30.000Z", end: "2099-03-29T02:00:00.000Z" },
    { start: "2099-03-30T00:00:30.000Z", end: "2099-03-30T02:00:00.000Z" },
    { start: "2099-04-05T00:00:30.000Z", end: "2099-04-05T02:00:00.000Z" },
  ],
  createdAt: "2026-01-02T09:00:00.000Z",
  updatedAt: "2026-01-02T09:00:00.000Z",
};
const { rrule: _rule, ...once } = weekly;
const running: Maintenance = {
  ...once,
  id: 5,
  name: "Router",
  monitors: [7, 8, 9, 10, 11],
  status: "running",
  public: true,
};
const past: Maintenance = { ...once, id: 6, name: "Old disks", status: "ended", next: undefined, upcoming: [] };

let sent: unknown[];
const take = (method: "post" | "put" | "delete", path: string, answer: () => Response) =>
  on(method, path, async ({ request }) => {
    if (method !== "delete") sent.push(await request.json());
    return answer();
  });
const serve = (windows: Maintenance[]) =>
  on("get", "/maintenance", ({ request }) => {
    const status = new URL(request.url).searchParams.get("status");
    const found = windows.filter((window) => window.status === status);
    return ok({ maintenance: found, total: found.length } as never);
  });

beforeEach(() => {
  sent = [];
  serve([weekly, running, past]);
  on("get", "/maintenance/4", () => ok({ maintenance: weekly } as never));
  on("get", "/maintenance/5", () => ok({ maintenance: running } as never));
  on("get", "/monitors/:id", ({ params }) => ok({ monitor: { ...monitor, id: Number(params["id"]) } } as never));
  on("get", "/agents/3", () => ok({ agent } as never));
  on("get", "/monitors", () => ok({ monitors: [monitor], total: 1 } as never));
  on("get", "/agents", () => ok({ agents: [agent], total: 1 } as never));
  on("get", "/monitors/tags", () => ok({ tags: [{ name: "shop", monitors: 3 }], more: false } as never));
  on("get", "/agents/tags", () => ok({ tags: [{ name: "db", agents: 1 }] } as never));
});

const open = (params = "", as = admin) => renderScreen(`/maintenance${params}`, { as });
const field = (label: string) => screen.findByLabelText<HTMLInputElement>(new RegExp(`^${label}`));
const card = async (name: string) =>
  within((await screen.findByRole("heading", { level: 2, name })).closest("section") as HTMLElement);
const rowOf = async (name: string) => (await screen.findByRole("link", { name })).closest("li") as HTMLElement;

describe("maintenance windows", () => {
  it("are listed as active, scheduled and past, in their time zone and the user's", async () => {
    await open();
    const row = await rowOf("Database upgrade");
    await waitFor(() => expect(row.textContent).toContain("Shop API"));
    expect(row.textContent).toContain("Scheduled");
    expect(row.textContent).toContain("every week: Mon, Sun, 5 times");
    expect(row.textContent).toContain("Not on the page");
    expect(row.textContent).toMatch(/9:00.*11:00.*\(Asia\/Tokyo\)/);
    expect(row.textContent).toMatch(/your time: /);
    expect(row.textContent).toMatch(/then Mar 30 .* · Apr 5 /);
    expect(within(row).queryByRole("button", { name: /^End now/ })).toBeNull();
    expect((await card("Running")).getByRole("link", { name: "Router" })).toBeTruthy();
    expect((await rowOf("Router")).textContent).toContain("and 3 more");
    expect((await card("Past")).getByRole("link", { name: "Old disks" })).toBeTruthy();
  });

  it("explain their purpose if there are none", async () => {
    serve([]);
    await open();
    expect(await screen.findByText("No maintenance scheduled")).toBeTruthy();
    const add = screen.getByRole("link", { name: "Schedule maintenance" });
    expect(add.getAttribute("href")).toBe("/maintenance?plan=new");
  });

  it("are ended and deleted after a confirmation", async () => {
    take("post", "/maintenance/5/end", () => {
      serve([weekly, { ...running, status: "ended" }, past]);
      return ok({ maintenance: { ...running, status: "ended" } } as never, "Maintenance ended");
    });
    take("delete", "/maintenance/4", () => {
      serve([past]);
      return ok({}, "Maintenance successfully deleted");
    });
    const { user } = await open();
    await user.click(await screen.findByRole("button", { name: "End now: Router" }));
    let dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByText(/“Router”/)).toBeTruthy();
    await user.click(dialog.getByRole("button", { name: "End now" }));
    expect(await screen.findByText("Maintenance ended")).toBeTruthy();
    expect(await screen.findByText("No maintenance is running.")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Delete: Database upgrade" }));
    dialog = within(await screen.findByRole("dialog"));
    await user.click(dialog.getByRole("button", { name: "Delete" }));
    expect(await screen.findByText("Maintenance successfully deleted")).toBeTruthy();
    expect(await screen.findByText("Nothing is scheduled.")).toBeTruthy();
  });

  it("show why one could not be ended", async () => {
    take("post", "/maintenance/5/end", () => fail(422, "impossible", "This maintenance is not in progress"));
    const { user } = await open();
    await user.click(await screen.findByRole("button", { name: "End now: Router" }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.click(dialog.getByRole("button", { name: "End now" }));
    expect(await dialog.findByText("This maintenance is not in progress")).toBeTruthy();
  });

  it("are read-only for viewers", async () => {
    const { user } = await open("", viewer);
    await user.click(await screen.findByRole("link", { name: "Database upgrade" }));
    expect((await field("Name")).matches(":disabled")).toBe(true);
    expect((await field("Note")).value).toBe("The shop is **slow**.");
    expect(screen.queryByRole("button", { name: /Save|Cancel|End|Delete|Remove all|Now,/ })).toBeNull();
  });

  it("cannot be planned by viewers", async () => {
    await open("?plan=new", viewer);
    expect(await screen.findByRole("link", { name: "Database upgrade" })).toBeTruthy();
    expect(screen.queryByRole("link", { name: "Schedule maintenance" })).toBeNull();
  });

  it("can be requested again after a failure", async () => {
    on("get", "/maintenance", () => new HttpResponse(null, { status: 500 }));
    const { user } = await open();
    const again = await screen.findByRole("button", { name: "Try again" });
    serve([weekly]);
    await user.click(again);
    expect(await screen.findByRole("link", { name: "Database upgrade" })).toBeTruthy();
  });
});

describe("planning maintenance", () => {
  it("sends targets and times, in the selected time zone", async () => {
    take("post", "/maintenance", () => ok({ maintenance: weekly } as never, "Maintenance scheduled"));
    const { user } = await open("?plan=new");
    await user.type(await field("Name"), " Upgrade ");
    await user.type(await field("Covers"), "web");
    await user.click(await screen.findByRole("option", { name: /web-1/ }));
    await user.type(await field("Note"), "Be **patient**.");
    expect((await screen.findByText("patient")).tagName).toBe("STRONG");
    await user.click(await field("Show on the status page"));
    await user.clear(await field("Time zone"));
    await user.type(await field("Time zone"), "Europe/Berlin");
    await user.clear(await field("Start"));
    await user.type(await field("Start"), "2099-03-29T01:00");
    await user.clear(await field("End"));
    await user.type(await field("End"), "2099-03-29T05:00");
    await user.click(await screen.findByRole("radio", { name: "Every month" }));
    await user.selectOptions(await field("On"), "the last Sunday");
    await user.selectOptions(await field("Ends"), "until");
    await user.type(await field("Last day"), "2099-12-31");
    await user.click(screen.getByRole("button", { name: "Schedule" }));
    expect(await screen.findByText("Maintenance scheduled")).toBeTruthy();
    expect(location.pathname + location.search).toBe("/maintenance");
    expect(sent).toEqual([
      {
        name: "Upgrade",
        note: "Be **patient**.",
        monitors: [],
        agents: [3],
        tags: [],
        start: "2099-03-29T00:00:00.000Z",
        // Clocks are set forward in between.
        end: "2099-03-29T03:00:00.000Z",
        timeZone: "Europe/Berlin",
        rrule: "FREQ=MONTHLY;BYDAY=-1SU;UNTIL=20991231",
        public: false,
      },
    ]);
  });

  it("recurs on weekdays, by default the one of the start", async () => {
    take("post", "/maintenance", () => ok({ maintenance: weekly } as never));
    const { user } = await open("?plan=new");
    await user.type(await field("Name"), "Upgrade");
    await user.type(await field("Covers"), "web");
    await user.click(await screen.findByRole("option", { name: /web-1/ }));
    await user.clear(await field("Start"));
    await user.type(await field("Start"), "2099-03-29T01:00");
    await user.clear(await field("End"));
    await user.type(await field("End"), "2099-03-29T05:00");
    await user.click(await screen.findByRole("radio", { name: "Every week" }));
    expect(screen.getByRole<HTMLInputElement>("checkbox", { name: "Sunday" }).checked).toBe(true);
    await user.click(screen.getByRole("checkbox", { name: "Tuesday" }));
    await user.click(screen.getByRole("button", { name: "Schedule" }));
    await waitFor(() => expect(sent).toMatchObject([{ rrule: "FREQ=WEEKLY;BYDAY=TU,SU" }]));
  });

  it("covers tags alone, and takes them back", async () => {
    take("post", "/maintenance", () => ok({ maintenance: weekly } as never));
    const { user } = await open("?plan=new");
    await user.type(await field("Name"), "Upgrade");
    await user.click(await screen.findByRole("button", { name: "shop" }));
    await user.click(screen.getByRole("button", { name: "db" }));
    await user.click(screen.getByRole("button", { name: "shop", pressed: true }));
    await user.click(screen.getByRole("button", { name: "Schedule" }));
    await waitFor(() => expect(sent).toMatchObject([{ monitors: [], agents: [], tags: ["db"] }]));
  });

  it("starts now for an hour with one click", async () => {
    const { user } = await open("?plan=new");
    const before = Math.floor(Date.now() / 60_000) * 60_000;
    await user.click(await screen.findByRole("button", { name: "Now, for 1 hour" }));
    const [start, end] = [await field("Start"), await field("End")].map(({ value }) => new Date(value).getTime());
    expect(start).toBeGreaterThanOrEqual(before);
    expect(start).toBeLessThanOrEqual(Date.now());
    expect((end ?? 0) - (start ?? 0)).toBe(3_600_000);
  });

  it("moves the end with the start, until an end is chosen", async () => {
    const { user } = await open("?plan=new");
    const choose = async (name: string, time: string) => {
      await user.clear(await field(name));
      await user.type(await field(name), time);
    };
    await choose("Start", "2099-03-29T02:00");
    expect((await field("End")).value).toBe("2099-03-29T03:00");
    await choose("End", "2099-03-29T04:00");
    await choose("Start", "2099-03-29T01:30");
    expect((await field("End")).value).toBe("2099-03-29T04:00");
  });

  it("shows missing fields without a request", async () => {
    const { user } = await open("?plan=new");
    await user.clear(await field("End"));
    await user.type(await field("End"), "2001-01-01T00:00");
    await user.click(await screen.findByRole("radio", { name: "Custom rule" }));
    await user.click(screen.getByRole("button", { name: "Schedule" }));
    for (const text of [
      "Name is required",
      "Choose at least one monitor, agent or tag",
      "The end must be after the start",
      "Enter a recurrence such as FREQ=WEEKLY;BYDAY=SU, without dates",
    ])
      expect(await screen.findByText(text)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "shop" }));
    await waitFor(() => expect(screen.queryByText("Choose at least one monitor, agent or tag")).toBeNull());
    expect(sent).toEqual([]);
  });

  it("shows the server's errors next to the fields, and keeps the input", async () => {
    const errors = [
      { path: "rrule", message: "It can recur at most once a day" },
      { path: "agents.0", message: "There is no agent with ID 3" },
      { path: "tags.0", message: "More than 1000 monitors have this tag" },
    ];
    take("post", "/maintenance", () => fail(422, "impossible", "The request is not valid", errors));
    const { user } = await open("?plan=new");
    await user.type(await field("Name"), "Upgrade");
    await user.type(await field("Covers"), "web");
    await user.click(await screen.findByRole("option", { name: /web-1/ }));
    await user.click(await screen.findByRole("radio", { name: "Custom rule" }));
    await user.type(await field("Rule"), "FREQ=HOURLY");
    await user.click(screen.getByRole("button", { name: "Schedule" }));
    expect(await screen.findByText("It can recur at most once a day")).toBeTruthy();
    expect(screen.getByText("There is no agent with ID 3")).toBeTruthy();
    expect(screen.getByText("More than 1000 monitors have this tag")).toBeTruthy();
    expect((await field("Rule")).value).toBe("FREQ=HOURLY");
  });
});

describe("changing a window", () => {
  it("shows the stored values, and sends unchanged times exactly as stored", async () => {
    take("put", "/maintenance/4", () => ok({ maintenance: weekly } as never, "Maintenance updated"));
    const { user } = await open("?window=4");
    expect((await field("Start")).value).toBe("2099-03-29T09:00");
    expect((await screen.findByRole<HTMLInputElement>("radio", { name: "Every week" })).checked).toBe(true);
    expect((await field("Occurrences")).value).toBe("5");
    await user.click(await screen.findByRole("button", { name: "Remove Shop API" }));
    await user.click(screen.getByRole("button", { name: "Save changes" }));
    expect(await screen.findByText("Maintenance updated")).toBeTruthy();
    expect(sent).toMatchObject([
      { monitors: [], agents: [3], start: weekly.start, end: weekly.end, rrule: "FREQ=WEEKLY;BYDAY=SU,MO;COUNT=5" },
    ]);
  });

  it("explains the effect on an active window", async () => {
    await open("?window=5");
    expect(await screen.findByText(/^Running now/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Now, for 1 hour" })).toBeNull();
  });

  it("reports a deleted window", async () => {
    on("get", "/maintenance/9", () => fail(404, "not_found", "Maintenance does not exist"));
    await open("?window=9");
    expect(await screen.findByText("Maintenance does not exist")).toBeTruthy();
    expect(screen.getByRole("link", { name: "All maintenance" }).getAttribute("href")).toBe("/maintenance");
  });
});

describe("former addresses", () => {
  it.each([
    ["/status/config?tab=maintenance", "/maintenance", ""],
    ["/status/config?tab=maintenance&window=4", "/maintenance", "?window=4"],
    ["/status/config?slug=acme&tab=maintenance&plan=monitor:7", "/maintenance", "?plan=monitor%3A7"],
  ])("lead from %s to the new one", async (from, pathname, search) => {
    await renderScreen(from, { as: admin });
    await waitFor(() => expect([location.pathname, location.search]).toEqual([pathname, search]));
  });
});
