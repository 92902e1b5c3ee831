import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { describe, expect, it } from "vitest";
import { dispatchLive } from "../../app/live/events.ts";
import { admin, dashboard, incident, monitor, viewer } from "../../testing/fixtures.ts";
import { renderApp, renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";

const closed: Incident = {
  ...incident,
  id: "m2",
  target: { type: "monitor", id: 8, name: "Mailer" },
  closedAt: "2026-01-02T09:05:00Z",
  resolution: "recovered",
};
const stale: Incident = { ...incident, id: "m4", kind: "stale", cause: "Three check results in a row are missing" };
const worked: Incident = {
  ...incident,
  id: "a5",
  target: { type: "agent", id: 3, name: "web-1" },
  kind: "threshold",
  metric: "cpu",
  cause: "CPU at 96%, above 90%",
  acknowledgedAt: "2026-01-02T09:10:00Z",
  acknowledgedBy: "grace",
};

function serve(incidents: Incident[] = [incident, stale, worked, closed], total = incidents.length, rest = {}) {
  const asked: Record<string, string>[] = [];
  on("get", "/incidents", ({ request }) => {
    asked.push(Object.fromEntries(new URL(request.url).searchParams));
    return ok({ incidents: incidents as never, total, ...rest });
  });
  return asked;
}
const open = async (path = "/incidents", language: "en-US" | "zh-CN" = "en-US") => {
  const app = await renderScreen(path, { as: admin, language });
  await screen.findByRole("heading", { level: 1, name: language === "en-US" ? "Incidents" : "事件" });
  return app;
};
const rowOf = async (address: string) => {
  await waitFor(() => expect(document.querySelector(`a[href="${address}"]`)).not.toBeNull());
  return document.querySelector(`a[href="${address}"]`)?.closest("tr") as HTMLTableRowElement;
};

describe("the incident list", () => {
  it("shows the incidents of a link, until that filter is removed", async () => {
    const asked = serve();
    const { user } = await open("/incidents?ids=m3,m4");
    await rowOf("/incidents/m3");
    expect(asked[0]).toMatchObject({ ids: "m3,m4" });
    await user.click(screen.getByRole("button", { name: "2 selected: remove this filter" }));
    await waitFor(() => expect(asked.at(-1)).not.toHaveProperty("ids"));
    expect(screen.queryByRole("button", { name: /remove this filter/ })).toBeNull();
  });

  it("ignores ids in the address that are none", async () => {
    const asked = serve();
    await open("/incidents?ids=m3,,x");
    await rowOf("/incidents/m3");
    expect(asked[0]).not.toHaveProperty("ids");
  });

  it("shows state, target, cause and who acknowledged, with links to each incident", async () => {
    serve();
    await open();
    const ongoing = within(await rowOf("/incidents/m3"));
    expect(ongoing.getAllByText("Ongoing").length).toBeGreaterThan(0);
    expect(ongoing.getByText("Status 503 is not the expected 200")).toBeTruthy();
    expect((await rowOf("/incidents/m4")).textContent).toContain("No data");
    const acknowledged = await rowOf("/incidents/a5");
    expect(acknowledged.textContent).toContain("Acknowledged");
    expect(acknowledged.textContent).toContain("acknowledged by grace");
    expect(within(await rowOf("/incidents/m2")).getAllByText("Recovered").length).toBeGreaterThan(0);
  });

  it("is translated to Chinese, including causes", async () => {
    serve();
    await open("/incidents", "zh-CN");
    const row = await rowOf("/incidents/a5");
    expect(row.textContent).toContain("已确认");
    expect(await within(row).findByText("CPU 使用率 96%，超过 90%")).toBeTruthy();
  });

  it("uses the server's order by default, and search, filters, order and page of the URL", async () => {
    const asked = serve([incident], 120);
    const { user } = await open();
    await rowOf("/incidents/m3");
    expect(asked[0]).toEqual({ page: "1", pageSize: "100" });
    const strip = within(screen.getByRole("group", { name: "Status" }));
    await user.click(strip.getByRole("button", { name: "Open" }));
    await waitFor(() => expect(asked.at(-1)?.["open"]).toBe("true"));
    await user.selectOptions(screen.getByRole("combobox", { name: "Type" }), "No data");
    await waitFor(() => expect(asked.at(-1)?.["kind"]).toBe("stale"));
    await user.click(strip.getByRole("button", { name: "Unacknowledged" }));
    await waitFor(() => expect(asked.at(-1)).toMatchObject({ open: "true", acknowledged: "false" }));
    expect(strip.getByRole("button", { pressed: true }).textContent).toBe("Unacknowledged");
    await user.type(screen.getByRole("searchbox"), "shop{Enter}");
    await waitFor(() => expect(asked.at(-1)?.["search"]).toBe("shop"));
    await user.click(within(screen.getByRole("columnheader", { name: "Started" })).getByRole("button"));
    await waitFor(() => expect(asked.at(-1)?.["sort"]).toBe("openedAt"));
    await user.click(screen.getByRole("button", { name: "Next" }));
    await waitFor(() => expect(asked.at(-1)?.["page"]).toBe("2"));
    expect(new URLSearchParams(location.search).toString()).toBe(
      "page=2&search=shop&open=true&kind=stale&acknowledged=false&sort=openedAt",
    );
  });

  it("shows the target that a link filters by, and clears that filter", async () => {
    const asked = serve();
    on("get", "/monitors/7", () => ok({ monitor }));
    const { user } = await open("/incidents?target=monitor:7");
    await user.click(await screen.findByRole("button", { name: "Shop API: remove this filter" }));
    expect(asked[0]).toMatchObject({ target: "monitor:7" });
    await waitFor(() => expect(asked.at(-1)).not.toHaveProperty("target"));
    expect(location.search).toBe("");
  });

  it("applies changes at once, and refetches for new incidents", async () => {
    const asked = serve([incident]);
    await open();
    await rowOf("/incidents/m3");
    const change = { ...incident, acknowledgedAt: "2026-01-02T09:10:00Z", acknowledgedBy: "grace" };
    act(() => dispatchLive([{ id: "1", name: "incident", data: { change: "acknowledged", incident: change } }]));
    expect(await screen.findByText(/acknowledged by grace/)).toBeTruthy();
    await waitFor(() => expect(asked.length).toBeGreaterThan(1));
    const before = asked.length;
    act(() => dispatchLive([{ id: "2", name: "incident", data: { change: "opened", incident: stale } }]));
    await waitFor(() => expect(asked.length).toBeGreaterThan(before));
  });

  it("shows available incidents while one service is unavailable, and does not report that there are none", async () => {
    serve([], 0, { unavailable: ["agents"] });
    await open();
    expect(await screen.findByText("Agent incidents can't be shown right now.")).toBeTruthy();
    expect(screen.queryByText("No incidents so far")).toBeNull();
  });

  it("distinguishes an empty list from no matches", async () => {
    serve([]);
    const { user } = await open("/incidents?open=true");
    expect(await screen.findByText("No matching incidents")).toBeTruthy();
    await user.click(screen.getAllByRole("button", { name: "Clear filters" })[0] as HTMLElement);
    expect(await screen.findByText("No incidents so far")).toBeTruthy();
  });

  it.each([
    [
      "the server's message",
      () => fail(503, "unavailable", "The monitors service is currently unavailable"),
      /^The monitors service is currently/,
    ],
    ["the fallback", () => new HttpResponse(null, { status: 500 }), /^Failed to fetch data$/],
  ])("shows %s with a retry that works", async (_what, answer, words) => {
    on("get", "/incidents", answer);
    const { user } = await open();
    expect((await screen.findByText(words)).closest("[role=alert]")).toBeTruthy();
    serve();
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await rowOf("/incidents/m3")).toBeTruthy();
  });

  function serveBulk(failed: { id: string; message: string }[] = []) {
    const sent: { ids: string[]; action: string }[] = [];
    on("post", "/incidents/bulk", async ({ request }) => {
      const body = (await request.json()) as (typeof sent)[number];
      sent.push(body);
      return ok({ incidents: body.ids.slice(failed.length).map((id) => ({ ...incident, id })) as never, failed });
    });
    return sent;
  }

  it("acknowledges selected incidents, offers no checkbox for others, and undoes it", async () => {
    serve();
    const sent = serveBulk();
    const { user } = await open();
    await rowOf("/incidents/m3");
    expect(screen.getAllByRole("checkbox", { name: /^Select / }).map((box) => box.getAttribute("aria-label"))).toEqual([
      "Select all unacknowledged",
      "Select Shop API",
      "Select Shop API",
    ]);
    await user.click(screen.getByRole("checkbox", { name: "Select all unacknowledged" }));
    const bar = (await screen.findByText("2 selected")).parentElement as HTMLElement;
    await user.click(within(bar).getByRole("button", { name: "Acknowledge" }));
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() =>
      expect(sent).toEqual([
        { ids: ["m3", "m4"], action: "acknowledge" },
        { ids: ["m3", "m4"], action: "unacknowledge" },
      ]),
    );
    expect(screen.queryByText("2 selected")).toBeNull();
  });

  it("snoozes selected incidents and undoes it", async () => {
    serve();
    const sent = serveBulk();
    const { user } = await open();
    await rowOf("/incidents/m3");
    await user.click(screen.getByRole("checkbox", { name: "Select all unacknowledged" }));
    const bar = (await screen.findByText("2 selected")).parentElement as HTMLElement;
    await user.click(within(bar).getByRole("button", { name: "Snooze" }));
    await user.click(await screen.findByRole("menuitem", { name: "1 hour" }));
    expect(await screen.findByText("2 incidents snoozed for 1 hour")).toBeTruthy();
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() =>
      expect(sent).toEqual([
        { ids: ["m3", "m4"], action: "snooze", minutes: 60 },
        { ids: ["m3", "m4"], action: "unsnooze" },
      ]),
    );
    expect(screen.queryByText("2 selected")).toBeNull();
  });

  it("shows an outage as one row, which expands and is acknowledged at once", async () => {
    const refused = Array.from({ length: 57 }, (_, index) => ({
      ...incident,
      id: `m${index + 100}`,
      target: { ...incident.target, id: index + 100, name: `Host ${index + 1}` },
      cause: "The connection was refused",
    }));
    serve([...refused, closed]);
    const sent = serveBulk([{ id: "m100", message: "Incident does not exist" }]);
    const { user } = await open();
    const head = await screen.findByRole("button", { name: "The connection was refused · 57 monitors" });
    expect(screen.getAllByRole("row")).toHaveLength(3);
    expect(screen.queryByRole("link", { name: "Host 57" })).toBeNull();
    await user.click(head);
    expect(head.getAttribute("aria-expanded")).toBe("true");
    expect(screen.getByRole("link", { name: "Host 57" }).getAttribute("href")).toBe("/incidents/m156");
    await user.click(screen.getAllByRole("button", { name: "Acknowledge all" })[0] as HTMLElement);
    expect(await screen.findByText("1 couldn't be changed: Incident does not exist")).toBeTruthy();
    expect(await screen.findByText(/^56 incidents acknowledged/)).toBeTruthy();
    expect(sent).toEqual([{ ids: refused.map(({ id }) => id), action: "acknowledge" }]);
  });

  it("keeps acknowledged incidents visible even if the filter excludes them", async () => {
    const acknowledged: string[] = [];
    const asked: (string | null)[] = [];
    on("get", "/incidents", ({ request }) => {
      const query = new URL(request.url).searchParams;
      asked.push(query.get("ids"));
      const all = [incident, stale].map((each) =>
        acknowledged.includes(each.id) ? { ...each, acknowledgedAt: "2026-01-02T09:10:00Z" } : each,
      );
      const ids = query.get("ids")?.split(",");
      const found = all.filter(({ id }) => ids?.includes(id) ?? !acknowledged.includes(id));
      return ok({ incidents: found as never, total: found.length });
    });
    on("post", "/incidents/:id/acknowledge", ({ params }) => {
      acknowledged.push(String(params["id"]));
      return ok({ incident: incident as never });
    });
    const { user } = await open("/incidents?open=true&acknowledged=false");
    await user.click(within(await rowOf("/incidents/m3")).getByRole("button", { name: "Acknowledge" }));
    await waitFor(() => expect(asked).toContain("m3"));
    await waitFor(async () => expect((await rowOf("/incidents/m3")).textContent).toContain("Acknowledged"));
    expect([...document.querySelectorAll("tbody tr a")].map((link) => link.getAttribute("href"))).toEqual([
      "/incidents/m3",
      "/incidents/m4",
    ]);
    await user.click(screen.getByRole("button", { name: "All" }));
    await waitFor(() => expect(document.querySelector('a[href="/incidents/m3"]')).toBeNull());
  });

  it("groups by host or tag, and acknowledges a group at once", async () => {
    const on3 = {
      ...incident,
      id: "m5",
      cause: "Timeout",
      target: { type: "monitor" as const, id: 8, name: "Shop login" },
    };
    serve([incident, on3, worked]);
    const sent = serveBulk();
    const hosts: Record<number, object> = { 7: { tags: ["eu", "shop"] }, 8: { tags: ["eu"] } };
    on("get", "/monitors", ({ request }) => {
      const ids = new URL(request.url).searchParams.get("ids")?.split(",").map(Number) ?? [];
      return ok({ monitors: ids.map((id) => ({ ...monitor, id, ...hosts[id] })) as never, total: ids.length });
    });
    on("get", "/agents", () => ok({ agents: [], total: 0 }));
    const { user } = await open();
    await rowOf("/incidents/m3");
    await user.selectOptions(screen.getByLabelText("Group by"), "By host");
    const head = await screen.findByRole("button", { name: "shop.example · 2 monitors" });
    expect(location.search).toBe("?group=host");
    await user.click(head);
    expect(screen.getByRole("link", { name: "Shop login" }).closest("li")?.textContent).toContain("Timeout");
    await user.selectOptions(screen.getByLabelText("Group by"), "By tag");
    expect(await screen.findByRole("button", { name: "eu · 2 monitors" })).toBeTruthy();
    await user.click(screen.getAllByRole("button", { name: "Acknowledge all" })[0] as HTMLElement);
    await waitFor(() => expect(sent).toEqual([{ ids: ["m3", "m5"], action: "acknowledge" }]));
  });

  it("does not let viewers acknowledge", async () => {
    serve();
    await renderScreen("/incidents", { as: viewer });
    await rowOf("/incidents/m3");
    expect(screen.queryByRole("checkbox")).toBeNull();
    expect(screen.queryByRole("button", { name: /^Acknowledge(?: all)?$/ })).toBeNull();
  });

  it("is linked from the dashboard and the palette, as is each incident from the dashboard", async () => {
    on("get", "/dashboard", () => ok({ ...dashboard }));
    const asked = serve();
    const { user, path } = await renderApp("/dashboard", { as: admin });
    expect((await screen.findByRole("link", { name: "Shop API" })).getAttribute("href")).toBe("/incidents/m3");
    expect(screen.getByRole("link", { name: "All incidents" }).getAttribute("href")).toBe("/incidents");
    await user.keyboard("{Control>}k{/Control}");
    await screen.findByRole("combobox");
    on("get", "/monitors", () => ok({ monitors: [], total: 0 }));
    await user.keyboard("open incidents{Enter}");
    await waitFor(() => expect(path()).toBe("/incidents"));
    await waitFor(() => expect(asked).toContainEqual(expect.objectContaining({ open: "true" })));
  });
});
