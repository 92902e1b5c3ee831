import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { describe, expect, it, vi } from "vitest";
import { dispatchLive } from "../../../app/live/events.ts";
import { admin, agent, config, viewer } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";

const silent = { ...agent, id: 4, name: "db-1", status: "offline" as const };
const fresh = { ...agent, id: 5, name: "new-1", status: "connecting" as const, lastSeen: null, latest: undefined };
const rowOf = (name: string) => screen.getByRole("link", { name }).closest("tr") as HTMLElement;
const cardOf = (name: string) => screen.getByRole("link", { name }).closest("li") as HTMLElement;

function serveList(asked: URLSearchParams[] = []) {
  on("get", "/agents", ({ request }) => {
    asked.push(new URL(request.url).searchParams);
    return ok({ agents: [agent, silent, fresh] as never, total: 120 });
  });
  return asked;
}

describe("the agent list", () => {
  it("shows cards with active, inactive or connecting and the latest usage", async () => {
    serveList();
    await renderScreen("/agents?view=cards", { as: admin });
    await screen.findByRole("link", { name: "web-1" });
    expect(cardOf("web-1").textContent).toContain("Active");
    expect(cardOf("web-1").textContent).toMatch(/CPU12\.3%.*Memory25%.*Disk90%.*Receive 2\u00a0KiB\/s.*Load 0\.5/);
    expect(cardOf("db-1").textContent).toContain("Inactive");
    expect(cardOf("new-1").textContent).toContain("Connecting");
    expect(cardOf("new-1").textContent).toContain("Waiting for the first report");
  });

  it("shows a table with usage, name, hostname, IP address, status, system and version", async () => {
    serveList();
    await renderScreen("/agents", { as: admin });
    await screen.findByRole("link", { name: "web-1" });
    const table = screen.getByRole("table");
    expect(
      within(table)
        .getAllByRole("columnheader")
        .map((each) => each.textContent),
    ).toEqual(
      "Name,Status,CPU,Memory,Disk,Network,Load,Hostname,IP address,Operating system,Version,Actions".split(","),
    );
    for (const text of ["web-1.internal", "10.0.0.5", "Online", "Debian GNU/Linux 12", "0.1.0"])
      expect(rowOf("web-1").textContent).toContain(text);
    expect(rowOf("web-1").textContent).toMatch(/12\.3%25%90%Receive 2\u00a0KiB\/sSend –0\.5/);
    expect(rowOf("new-1").textContent).toMatch(/––––/);
  });

  it("marks an agent that is older than the installation until it reports a newer version", async () => {
    let version = "0.0.9";
    on("get", "/agents", () =>
      ok({
        agents: [
          { ...agent, version },
          { ...silent, version: "sh" },
        ] as never,
        total: 2,
      }),
    );
    await renderScreen("/agents", { as: admin });
    await screen.findByRole("link", { name: "web-1" });
    const sentence = `Version 0.0.9 is older than this installation (${config.version})`;
    expect(await within(rowOf("web-1")).findByTitle(sentence)).toBeTruthy();
    expect(within(rowOf("db-1")).queryByTitle(/older than/)).toBeNull();

    version = config.version;
    const data = { id: 3, change: "updated", status: "online", at: "2026-01-02T10:00:10Z" } as const;
    act(() => dispatchLive([{ id: "7", name: "agent", data }]));
    await waitFor(() => expect(within(rowOf("web-1")).queryByTitle(sentence)).toBeNull());
  });

  it("shows cards in narrow windows, unless the URL has a choice", async () => {
    vi.spyOn(globalThis, "matchMedia").mockImplementation(
      (query) =>
        Object.assign(new EventTarget(), { matches: query === "(width < 48rem)", media: query }) as MediaQueryList,
    );
    serveList();
    const { user } = await renderScreen("/agents", { as: admin });
    await screen.findByRole("link", { name: "web-1" });
    expect(cardOf("web-1").textContent).toContain("Active");
    expect(screen.queryByRole("table")).toBeNull();
    await user.click(screen.getByRole("radio", { name: "Table" }));
    expect(await screen.findByRole("table")).toBeTruthy();
    expect(location.search).toBe("?view=table");
  });

  it("sorts by usage, first descending, then ascending, on the server", async () => {
    const asked = serveList();
    const { user } = await renderScreen("/agents", { as: admin });
    await screen.findByRole("link", { name: "web-1" });
    const head = (name: string) => screen.getByRole("columnheader", { name });
    for (const [name, field] of Object.entries({ CPU: "cpu", Disk: "disk", Network: "network", Load: "load" })) {
      await user.click(within(head(name)).getByRole("button"));
      await waitFor(() => expect(asked.at(-1)?.get("sort")).toBe(`-${field}`));
      expect(head(name).getAttribute("aria-sort")).toBe("descending");
      await user.click(within(head(name)).getByRole("button"));
      await waitFor(() => expect(asked.at(-1)?.get("sort")).toBe(field));
    }
    await user.click(within(head("Hostname")).getByRole("button"));
    await waitFor(() => expect(asked.at(-1)?.get("sort")).toBe("hostname"));
  });

  it("describes figures above the agent's own threshold, except outdated ones", async () => {
    const thresholds = { cpu: 12, memory: null, disk: 90, scope: "agent" as const };
    const hot = [agent, silent].map((each) => ({ ...each, thresholds }));
    on("get", "/agents", () => ok({ agents: hot as never, total: 2 }));
    const { user } = await renderScreen("/agents", { as: admin });
    await screen.findByRole("link", { name: "web-1" });
    expect(within(rowOf("web-1")).getByText("12.3%, above the threshold of 12%")).toBeTruthy();
    expect(within(rowOf("web-1")).queryAllByText(/above the threshold/)).toHaveLength(1);
    expect(within(rowOf("db-1")).queryByText(/above the threshold/)).toBeNull();
    await user.click(screen.getByRole("radio", { name: "Cards" }));
    expect(within(cardOf("web-1")).getByText("12.3%, above the threshold of 12%")).toBeTruthy();
  });

  it("marks agents in maintenance in cards and in the table", async () => {
    on("get", "/agents", () => ok({ agents: [{ ...agent, inMaintenance: true }, silent] as never, total: 2 }));
    const { user } = await renderScreen("/agents?view=cards", { as: admin });
    await screen.findByRole("link", { name: "web-1" });
    expect(cardOf("web-1").textContent).toContain("In maintenance");
    expect(cardOf("db-1").textContent).not.toContain("In maintenance");
    await user.click(screen.getByRole("radio", { name: "Table" }));
    const table = within(await screen.findByRole("table"));
    expect(table.getAllByText("In maintenance")).toHaveLength(1);
  });

  it("shows the end of a silence, and tags that filter the list", async () => {
    const silencedUntil = new Date(Date.now() + 3_600_000).toISOString();
    const asked: URLSearchParams[] = [];
    on("get", "/agents", ({ request }) => {
      asked.push(new URL(request.url).searchParams);
      return ok({ agents: [{ ...agent, tags: ["eu"], silencedUntil }, silent] as never, total: 2 });
    });
    on("get", "/agents/tags", () => ok({ tags: [{ name: "eu", agents: 1 }], more: false }));
    const { user } = await renderScreen("/agents", { as: admin });
    await screen.findByRole("link", { name: "web-1" });
    expect(rowOf("web-1").textContent).toMatch(/silenced until \d\d:\d\d/);
    expect(rowOf("db-1").textContent).not.toContain("silenced");
    await user.click(within(rowOf("web-1")).getByRole("button", { name: "eu" }));
    await waitFor(() => expect(asked.at(-1)?.get("tag")).toBe("eu"));
    await user.selectOptions(screen.getByLabelText("Filter by tag"), "All tags");
    await waitFor(() => expect(location.search).toBe(""));
  });

  it("sends search, state, sort order and page to the server and keeps them in the URL", async () => {
    const asked = serveList();
    const { user } = await renderScreen("/agents?status=offline&page=2&view=cards", { as: admin });
    await screen.findByRole("link", { name: "web-1" });
    expect(Object.fromEntries(asked[0] ?? [])).toEqual({
      page: "2",
      pageSize: "48",
      sort: "status",
      status: "offline",
    });
    await user.type(screen.getByRole("searchbox"), "web{Enter}");
    await waitFor(() =>
      expect(Object.fromEntries(asked.at(-1) ?? [])).toMatchObject({ search: "web", page: "1", status: "offline" }),
    );
    await user.selectOptions(screen.getByLabelText("Sort by"), "lastSeen");
    await waitFor(() => expect(asked.at(-1)?.get("sort")).toBe("lastSeen"));
    await user.click(screen.getByRole("button", { name: "Ascending" }));
    await waitFor(() => expect(asked.at(-1)?.get("sort")).toBe("-lastSeen"));
    await user.selectOptions(screen.getByLabelText("Sort by"), "load");
    await waitFor(() => expect(asked.at(-1)?.get("sort")).toBe("-load"));
    await user.selectOptions(screen.getByLabelText("Sort by"), "lastSeen");
    await user.click(screen.getByRole("button", { name: "Ascending" }));
    await user.click(screen.getByRole("button", { name: "Next" }));
    await waitFor(() => expect(asked.at(-1)?.get("page")).toBe("2"));
    expect(new URLSearchParams(location.search).toString()).toBe(
      "page=2&search=web&status=offline&sort=-lastSeen&view=cards",
    );
  });

  it.each([
    [
      "the server's message",
      () => fail(503, "unavailable", "The agents service is not available"),
      /^The agents service/,
    ],
    ["the fallback", () => new HttpResponse(null, { status: 404 }), /^Failed to fetch agent data$/],
  ])("shows %s with a retry that works", async (_what, answer, words) => {
    on("get", "/agents", answer);
    const { user } = await renderScreen("/agents", { as: admin });
    expect(await screen.findByText(words)).toBeTruthy();
    serveList();
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByRole("link", { name: "web-1" })).toBeTruthy();
  });

  it("offers the guide if there are no agents, and to clear a search without matches", async () => {
    on("get", "/agents", () => ok({ agents: [], total: 0 }));
    const { user } = await renderScreen("/agents?search=zzz", { as: admin });
    expect(await screen.findByText("No matching agents")).toBeTruthy();
    await user.click(screen.getAllByRole("button", { name: "Clear filters" })[0] as HTMLElement);
    expect(await screen.findByText("No agents yet")).toBeTruthy();
    for (const link of screen.getAllByRole("link", { name: "Add agent" }))
      expect(link.getAttribute("href")).toBe("/agents/create");
  });

  it("asks before deleting, shows failures in the dialog and success on the page", async () => {
    serveList();
    on("delete", "/agents/3", () => new HttpResponse(null, { status: 500 }));
    const { user } = await renderScreen("/agents", { as: admin });
    await user.click(await screen.findByRole("button", { name: "Delete: web-1" }));
    const dialog = await screen.findByRole("dialog");
    expect(dialog.textContent).toContain("web-1");
    expect(dialog.textContent).toContain("This action cannot be undone");
    await user.click(within(dialog).getByRole("button", { name: "Delete" }));
    expect((await within(dialog).findByRole("alert")).textContent).toBe("Failed to delete agent");

    on("delete", "/agents/3", () => ok({}, "Agent successfully deleted"));
    on("get", "/agents", () => ok({ agents: [silent] as never, total: 1 }));
    await user.click(within(dialog).getByRole("button", { name: "Delete" }));
    expect((await screen.findByText("Agent successfully deleted")).closest("[role=status]")).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole("link", { name: "web-1" })).toBeNull());
  });

  it("applies live events and ignores older figures", async () => {
    serveList();
    await renderScreen("/agents", { as: admin });
    await screen.findByRole("link", { name: "web-1" });
    const traffic = { receiveRate: 4096, sendRate: 1024, load: 7.5 };
    const figures = { id: 3, change: "figures", status: "online", memory: 30, disk: 91, ...traffic } as const;
    act(() =>
      dispatchLive([
        { id: null, name: "agent", data: { ...figures, lastSeen: "2026-01-02T10:00:10Z", cpu: 77 } },
        { id: null, name: "agent", data: { ...figures, lastSeen: "2026-01-02T10:00:05Z", cpu: 1 } },
      ]),
    );
    await waitFor(() => expect(rowOf("web-1").textContent).toMatch(/77%.*30%.*91%.*4\u00a0KiB\/s.*1\u00a0KiB\/s7\.5/));
  });

  it("is read-only for viewers", async () => {
    serveList();
    await renderScreen("/agents", { as: viewer });
    await screen.findByRole("link", { name: "web-1" });
    expect(screen.queryByRole("link", { name: "Add agent" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Delete: web-1" })).toBeNull();
  });
});
