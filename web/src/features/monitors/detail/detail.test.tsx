import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, describe, expect, it } from "vitest";
import { dispatchLive } from "../../../app/live/events.ts";
import { admin, bucket, historyPeriod, incident, monitor, monitors, result } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";

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

function entry(name: string): string {
  const card = screen.getByRole("heading", { name: "Configuration" }).closest("section") as HTMLElement;
  return within(card).getByText(name, { selector: "dt" }).nextElementSibling?.textContent ?? "";
}

describe("the monitor page", () => {
  it("shows the configuration: method, interval, timeout, expected status, creation, headers, body", async () => {
    await open();
    expect(entry("Method")).toBe("GET");
    expect(entry("Interval")).toBe("5 min");
    expect(entry("Timeout")).toBe("10\u00a0s");
    expect(entry("Expected status code")).toBe("200-204");
    expect(entry("Created")).toMatch(/Jan 1, 2026/);
    expect(entry("Headers")).toBe("X-Api-Key: ••••••");
    expect(entry("Body")).toBe("No body");
  });

  it("shows the description below the name as text, never as markup", async () => {
    on("get", "/monitors/7", () => ok({ monitor: { ...monitor, description: "Orders\n<b>and</b> payments" } }));
    await open();
    expect(screen.getByText(/^Orders/).textContent).toBe("Orders\n<b>and</b> payments");
  });

  it("shows what a tcp, dns or tls monitor checks, with its certificate; links only web addresses", async () => {
    on("get", "/monitors/7", () => ok({ monitor: monitors.tcp }));
    const tcp = await open();
    expect(screen.getByText("tcp://cache.example:6379").closest("a")).toBeNull();
    expect([entry("Monitor type"), entry("Port"), entry("Send"), entry("Expected response")]).toEqual([
      "TCP",
      "6379",
      "PING\r\n",
      "+PONG",
    ]);
    tcp.unmount();

    on("get", "/monitors/7", () => ok({ monitor: monitors.dns }));
    const dns = await open();
    expect([entry("Record type"), entry("Resolver")]).toEqual(["MX", "192.0.2.53"]);
    expect(entry("Expected values")).toBe("10 mail.shop.example20 spare.shop.example");
    dns.unmount();

    on("get", "/monitors/7", () => ok({ monitor: monitors.tls }));
    const tls = await open();
    expect([entry("Server name (SNI)"), entry("STARTTLS")]).toEqual(["mail.example", "SMTP"]);
    expect(entry("Certificate issued by")).toBe("Example Root R1");
    expect(entry("Certificate expires")).toMatch(/Mar 1, 2026/);
    tls.unmount();

    on("get", "/monitors/7", () => ok({ monitor }));
    await open();
    expect(screen.getByRole("link", { name: monitor.target }).getAttribute("href")).toBe(monitor.target);
  });

  it("shows normal and failure instead of the list's up and down", async () => {
    const { user: _user } = await open();
    expect(document.querySelector('[data-state="up"]')?.textContent).toBe("Normal");
  });

  it("distinguishes no data from down in bars and table, and omits no slot", async () => {
    const { user } = await open();
    const bars = await screen.findByRole("slider", { name: "State over the last 24 hours" });
    expect([...bars.querySelectorAll("[data-cell]")].map((cell) => cell.getAttribute("data-cell"))).toEqual([
      "noData",
      "partial",
    ]);
    await user.click(screen.getByRole("tab", { name: "History table" }));
    const rows = within(await screen.findByRole("table"))
      .getAllByRole("row")
      .slice(1);
    expect(rows).toHaveLength(2);
    expect(rows[0]?.textContent).toContain("90.00%");
    expect(rows[0]?.textContent).toContain("Status 503 is not the expected 200");
    expect(rows[1]?.textContent).toContain("No data");
    const heads = screen.getAllByRole("columnheader").map(({ textContent }) => textContent);
    expect(heads).toEqual(["Time", "Response time", "Checks", "Availability", "Last check", "Error"]);
  });

  it("marks maintenance next to the name, in bars, chart legend, steps and single checks", async () => {
    on("get", "/monitors/7", () => ok({ monitor: { ...monitor, inMaintenance: true } }));
    on("get", "/monitors/7/history", () =>
      ok({
        range: "24h",
        step: 300,
        ...period,
        buckets: [
          { ...bucket("2026-01-02T09:45:00Z", 0), coverage: null },
          { ...bucket("2026-01-02T09:50:00Z", 0), coverage: null, inMaintenance: true },
          { ...bucket("2026-01-02T09:55:00Z", 10, 9), inMaintenance: true },
        ],
      }),
    );
    on("get", "/monitors/7/checks", () =>
      ok({
        checks: [
          { ...result, inMaintenance: true },
          { ...result, startedAt: "2026-01-02T09:59:00Z" },
        ],
      }),
    );
    const { user } = await open();
    const head = screen.getByRole("heading", { name: "Shop API" }).parentElement as HTMLElement;
    expect(within(head).getByText("In maintenance")).toBeTruthy();
    const bars = await screen.findByRole("slider", { name: "State over the last 24 hours" });
    expect([...bars.querySelectorAll("[data-cell]")].map((cell) => cell.getAttribute("data-cell"))).toEqual([
      "notDue",
      "maintenance",
      "partial",
    ]);
    expect(bars.querySelectorAll('[data-mark="maintenance"]')).toHaveLength(1);
    const legend = screen.getByText("p95", { selector: "li" }).closest("ul") as HTMLElement;
    expect(within(legend).getByText("In maintenance")).toBeTruthy();
    await user.click(screen.getByRole("tab", { name: "History table" }));
    // Days that were neither due nor in maintenance have no row.
    const rows = () => within(screen.getByRole("table")).getAllByRole("row").slice(1);
    expect(rows()).toHaveLength(2);
    for (const row of rows()) expect(within(row).getByText("In maintenance")).toBeTruthy();
    expect(rows()[1]?.textContent).not.toContain("No data");
    await user.click(screen.getByRole("tab", { name: "Latest checks" }));
    await screen.findByRole("columnheader", { name: "Status code" });
    expect(rows().map((row) => within(row).queryByText("In maintenance") !== null)).toEqual([true, false]);
  });

  it("shows ranges from an hour to a month, the month in days of a named zone with an hourly chart", async () => {
    const { user } = await open();
    await user.click(screen.getByRole("radio", { name: "30 days" }));
    expect(await screen.findByRole("slider", { name: "State over the last 30 days" })).toBeTruthy();
    expect(location.search).toBe("?range=30d");
    await user.click(screen.getByRole("tab", { name: "History table" }));
    // Jan 2, 23:00 UTC is Jan 3 in Berlin.
    expect(await screen.findByRole("cell", { name: "Jan 3, 2026" })).toBeTruthy();
    expect(screen.getByText(/days in Europe\/Berlin/)).toBeTruthy();
    expect(screen.getByRole("columnheader", { name: "Time (Europe/Berlin)" })).toBeTruthy();
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
    const ofMonth = historiesAsked.filter(({ range }) => range === "30d");
    expect(ofMonth).toEqual(
      expect.arrayContaining([
        { range: "30d", timeZone },
        { range: "30d", timeZone, step: "1h" },
      ]),
    );
    await user.click(screen.getByRole("radio", { name: "1 hour" }));
    expect(await screen.findByRole("slider", { name: "State over the last 1 hour" })).toBeTruthy();
    await user.click(screen.getByRole("radio", { name: "24 hours" }));
    await user.click(screen.getByRole("tab", { name: "Latest checks" }));
    expect(location.search).toBe("");
  });

  it("starts with 24 hours and the latest checks, also for a new monitor, unless the URL says otherwise", async () => {
    on("get", "/monitors/7", () => ok({ monitor: { ...monitor, createdAt: new Date().toISOString() } }));
    const young = await open();
    expect(screen.getByRole("radio", { name: "24 hours" })).toHaveProperty("checked", true);
    expect(screen.getAllByRole("tab").map(({ textContent }) => textContent)).toEqual([
      "Latest checks",
      "History table",
      "Incidents",
      "Changes",
    ]);
    expect(await screen.findByRole("columnheader", { name: "Status code" })).toBeTruthy();
    young.unmount();
    await renderScreen("/monitors/7?range=7d&chart=phases&tab=incidents", { as: admin });
    expect(await screen.findByRole("radio", { name: "7 days" })).toHaveProperty("checked", true);
    expect(screen.getByRole("radio", { name: "Phases" })).toHaveProperty("checked", true);
    expect(screen.getByRole("tab", { name: "Incidents" }).getAttribute("aria-selected")).toBe("true");
  });

  it("shows four figures of the range, compared with the previous period if there is one", async () => {
    const app = await open();
    const figure = (name: string) => screen.getAllByText(name, { selector: "dt" })[0]?.nextElementSibling?.textContent;
    await screen.findByText("Coverage");
    const against = "Compared with the previous 24 hours";
    expect(["p50", "p95", "Failures", "Coverage"].map(figure)).toEqual([
      `90\u00a0ms+50%${against}`,
      `150\u00a0ms0%${against}`,
      `1−2${against}`,
      `99.50%0 points${against}`,
    ]);
    app.unmount();
    on("get", "/monitors/7/history", () =>
      ok({ range: "24h", step: 300, buckets: [bucket("2026-01-02T09:55:00Z", 10)], ...period, previous: null }),
    );
    await open();
    await screen.findByText("Coverage");
    expect(["p50", "p95", "Failures", "Coverage"].map(figure)).toEqual(["90\u00a0ms", "150\u00a0ms", "1", "99.50%"]);
  });

  it("expands a check with phases, attempt, lateness and location", async () => {
    on("get", "/monitors/7/checks", () =>
      ok({ checks: [{ ...result, manual: false, location: "tokyo", attempt: 2, lateness: 1234 }] }),
    );
    const { user } = await open();
    await user.click(screen.getByRole("tab", { name: "Latest checks" }));
    const toggle = await screen.findByRole("button", { name: /Details of the check at/ });
    expect(toggle.getAttribute("aria-expanded")).toBe("false");
    await user.click(toggle);
    const details = document.getElementById(toggle.getAttribute("aria-controls") ?? "") as HTMLElement;
    const entryOf = (name: string) =>
      within(details).getByText(name, { selector: "dt" }).nextElementSibling?.textContent;
    expect(entryOf("Attempt")).toBe("2");
    expect(entryOf("Started late by")).toBe("1.23\u00a0s");
    expect(entryOf("Location")).toBe("tokyo");
    expect(entryOf("First byte")).toBe("50\u00a0ms");
    await user.click(toggle);
    expect(document.body.contains(details)).toBe(false);
  });

  it("loads older checks page by page, and can show failures only", async () => {
    const asked: Record<string, string>[] = [];
    const at = (minutes: number) => new Date(Date.UTC(2026, 0, 2, 10) - minutes * 60_000).toISOString();
    on("get", "/monitors/7/checks", ({ request }) => {
      const params = Object.fromEntries(new URL(request.url).searchParams);
      asked.push(params);
      const from = params["before"] === undefined ? 0 : 30;
      const count = params["failed"] === "true" ? 1 : from === 0 ? 30 : 5;
      const checks = Array.from({ length: count }, (_, index) => ({
        ...result,
        slot: at(from + index),
        startedAt: at(from + index),
      }));
      return ok({ checks });
    });
    const { user } = await open();
    await user.click(screen.getByRole("tab", { name: "Latest checks" }));
    const toggles = () => screen.getAllByRole("button", { name: /Details of the check at/ });
    await waitFor(() => expect(toggles()).toHaveLength(30));
    await user.click(screen.getByRole("button", { name: "Show more" }));
    await waitFor(() => expect(toggles()).toHaveLength(35));
    expect(asked.at(-1)).toMatchObject({ before: at(29) });
    expect(screen.queryByRole("button", { name: "Show more" })).toBeNull();
    await user.click(screen.getByRole("checkbox", { name: "Failures only" }));
    await waitFor(() => expect(toggles()).toHaveLength(1));
    expect(location.search).toBe("?failed=true");
    expect(asked.at(-1)).toMatchObject({ failed: "true" });
  });

  it("runs a check, shows its progress and result, and 'Check failed' if it could not run", async () => {
    const { user } = await open();
    on("post", "/monitors/7/check", () =>
      ok(
        { result: { ...result, status: "down", error: { kind: "status", message: "Status 500" } }, monitor },
        "Monitor check completed",
      ),
    );
    await user.click(screen.getByRole("button", { name: "Check now" }));
    const panel = await screen.findByRole("region", { name: "Result" });
    expect(panel.textContent).not.toContain("Monitor check completed");
    // Announced once to screen readers, and without a success message.
    expect(screen.getAllByText("The check failed").map((each) => each.closest("[role=status]") !== null)).toEqual([
      true,
      false,
    ]);
    expect(document.querySelector(".border-up\\/45.bg-up-soft")).toBeNull();
    expect(panel.textContent).toContain("The check failed");
    expect(panel.textContent).toContain("Status 500");
    for (const figure of ["5 ms", "10 ms", "25 ms", "50 ms", "100 ms"])
      expect(panel.textContent).toContain(figure.replace(" ", "\u00a0"));

    on("post", "/monitors/7/check", () => new HttpResponse(null, { status: 503 }));
    await user.click(screen.getByRole("button", { name: "Check now" }));
    expect((await screen.findByRole("alert")).textContent).toBe("Check failed");

    const errors = [{ path: "check", message: "Too many checks by hand" }];
    on("post", "/monitors/7/check", () =>
      HttpResponse.json({ success: false, message: "Check failed", code: "unavailable", errors }, { status: 503 }),
    );
    await user.click(screen.getByRole("button", { name: "Check now" }));
    expect(await screen.findByText(/Too many checks by hand/)).toBeTruthy();
  });

  it("shows the failed attempts of a manual check during retries, also of other users", async () => {
    await open();
    const checking = (data: object) =>
      act(() => dispatchLive([{ id: null, name: "monitor", data: { id: 7, change: "checking", ...data } }]));
    checking({ attempt: 1, attempts: 3 });
    expect(screen.getByText("Checking…").closest("[role=status]")).toBeTruthy();
    checking({ attempt: 2, attempts: 3, failed: "Status 500" });
    expect(await screen.findByText("Attempt 1 of 3 failed, checking again…")).toBeTruthy();
    expect(await screen.findByText("Status 500")).toBeTruthy();
    checking({ id: 8, ended: true });
    expect(screen.getByText("Attempt 1 of 3 failed, checking again…")).toBeTruthy();
    checking({ ended: true });
    expect(screen.queryByText("Attempt 1 of 3 failed, checking again…")).toBeNull();
  });

  it("explains why the state differs from a manual check", async () => {
    const paused = { ...monitor, status: "paused", paused: true, nextCheckAt: null };
    on("get", "/monitors/7", () => ok({ monitor: paused }));
    const { user } = await open();
    on("post", "/monitors/7/check", () =>
      ok({ result: { ...result, attempt: 2 }, monitor: paused }, "Monitor check completed"),
    );
    await user.click(screen.getByRole("button", { name: "Check now" }));
    const panel = await screen.findByRole("region", { name: "Result" });
    expect(panel.textContent).toContain("The monitor is paused, so its state does not change.");
    expect(panel.textContent).toContain("Attempt 2 of 2");
  });

  it("pauses, and shows a failure", async () => {
    const { user } = await open();
    on("post", "/monitors/bulk", () => new HttpResponse(null, { status: 500 }));
    await user.click(screen.getByRole("button", { name: "Pause" }));
    expect((await screen.findByRole("alert")).textContent).toBe("Failed to update monitor");
    on("post", "/monitors/bulk", () => ok({ done: [7], failed: [] }));
    on("get", "/monitors/7", () => ok({ monitor: { ...monitor, status: "paused", paused: true, nextCheckAt: null } }));
    await user.click(await screen.findByRole("button", { name: "Pause" }));
    expect(await screen.findByRole("button", { name: "Resume" })).toBeTruthy();
    expect(screen.getByText("No checks while paused")).toBeTruthy();
  });

  it("shows incidents and adds new ones", async () => {
    const { user } = await open();
    await user.click(screen.getByRole("tab", { name: "Incidents" }));
    expect(await within(screen.getByRole("tabpanel")).findByText(incident.cause)).toBeTruthy();
    on("get", "/monitors/7/incidents", () =>
      ok({ incidents: [{ ...incident, id: "m4", cause: "Brand new" }], total: 1 }),
    );
    act(() =>
      dispatchLive([{ id: "1-2", name: "incident", data: { change: "opened", incident: { ...incident, id: "m4" } } }]),
    );
    expect(await within(screen.getByRole("tabpanel")).findByText("Brand new")).toBeTruthy();
  });

  it("shows the first result of a pending monitor without a reload", async () => {
    on("get", "/monitors/7", () =>
      ok({ monitor: { ...monitor, status: "pending", lastCheckedAt: null, responseTime: null } }),
    );
    await open();
    expect(document.querySelector('[data-state="pending"]')?.textContent).toBe("Pending");
    on("get", "/monitors/7", () => ok({ monitor: { ...monitor, responseTime: 42 } }));
    act(() => dispatchLive([{ id: null, name: "monitor", data: { ...monitor, change: "figures", responseTime: 42 } }]));
    await waitFor(() => expect(document.querySelector('[data-state="up"]')).toBeTruthy());
    expect(screen.getByText("42 ms")).toBeTruthy();
  });

  it.each([
    ["a 404 response with a message", "/monitors/99", () => fail(404, "not_found", "Monitor does not exist")],
    ["a 404 response without a message", "/monitors/99", () => new HttpResponse(null, { status: 404 })],
    ["an address without a number", "/monitors/abc", () => fail(500, "internal")],
  ])("shows 'Monitor does not exist' for %s", async (_what, address, answer) => {
    on("get", "/monitors/99", answer);
    await renderScreen(address, { as: admin });
    expect((await screen.findByRole("alert")).textContent).toBe("Monitor does not exist");
    expect(screen.getByRole("link", { name: "All monitors" })).toBeTruthy();
  });

  it("shows errors of each part separately", async () => {
    on("get", "/monitors/7/history", () => fail(503, "unavailable", "The metrics service is currently unavailable"));
    await open();
    expect((await screen.findAllByText("The metrics service is currently unavailable")).length).toBeGreaterThan(0);
    expect(entry("Method")).toBe("GET");
  });
});
