import type { Slo } from "@sonde/proto/http/slos";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { admin, monitor, viewer } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";

const budget = (allowedMinutes: number, spentMinutes: number, badSlots = 41) => ({
  allowedMinutes,
  spentMinutes,
  leftMinutes: allowedMinutes - spentMinutes,
  noDataMinutes: 14,
  seenSlots: 86_400,
  badSlots,
});
const slo: Slo = {
  id: 3,
  name: "Checkout",
  targets: [{ type: "monitor", id: 7, name: "Shop API" }],
  combine: "worst",
  objective: 99.9,
  window: "month",
  timeZone: "Europe/Berlin",
  burnAlerts: true,
  from: "2026-10-31T23:00:00Z",
  until: "2026-11-20T10:00:00Z",
  attained: 99.9526,
  budget: budget(43.2, 20.5),
  burnRate: 3.2,
  exhaustedAt: "2026-11-26T12:00:00Z",
  sentence: "22 minutes left this month; at this rate used up on Thursday",
  createdAt: "2026-01-01T00:00:00Z",
  updatedAt: "2026-01-01T00:00:00Z",
};

let asked: string[];
let sent: unknown[];
beforeEach(() => {
  [asked, sent] = [[], []];
  on("get", "/monitors/7", () => ok({ monitor: monitor as never }));
  on("get", "/monitors/tags", () => ok({ tags: [{ name: "shop", monitors: 2 }], more: false }));
});
function serveList(...slos: Slo[]) {
  on("get", "/slos", ({ request }) => {
    asked.push(new URL(request.url).search);
    return ok({ slos: slos as never, total: slos.length });
  });
}
const serveOne = (more: Partial<Slo> = {}) => on("get", "/slos/3", () => ok({ slo: { ...slo, ...more } as never }));
const take = (method: "post" | "put", path: string, message: string) =>
  on(method, path, async ({ request }) => {
    sent.push(await request.json());
    return ok({ slo: slo as never }, message);
  });
const type = (name: RegExp, value: string) =>
  fireEvent.change(screen.getByRole("textbox", { name }), { target: { value } });
const rowOf = async (name: string) => (await screen.findByRole("link", { name })).closest("tr") as HTMLElement;
const tonesIn = (element: HTMLElement) =>
  new Set([...element.querySelectorAll<HTMLElement>("[data-tone]")].map(({ dataset }) => dataset["tone"]));

describe("the service levels", () => {
  it("say in words what is left, then in figures", async () => {
    serveList(slo);
    await renderScreen("/service-levels", { as: admin });
    const row = await rowOf("Checkout");
    expect(row.textContent).toContain("22 minutes left this month; at this rate used up on Thursday");
    expect(row.textContent).toContain("52\u00a0% left");
    expect(row.textContent).toContain("99.952\u00a0% of 99.9\u00a0%");
    expect(row.textContent).toContain("3.2×");
  });

  it.each([
    ["a quarter or more", budget(40, 30), "plain", "25 % left"],
    ["less than a quarter", budget(40, 30.1), "warn", "24 % left"],
    ["nothing", budget(40, 40), "down", "Used up"],
    ["less than nothing", budget(40, 60), "down", "Used up"],
    ["all of a new budget", budget(0, 0, 0), "plain", "100 % left"],
    ["more than allowed so far early in a month", { ...budget(0.1, 1, 1), windowMinutes: 40 }, "plain", "97 % left"],
  ])("with %s left have the colour and the word for it", async (_, own, tone, text) => {
    serveList({ ...slo, budget: own });
    await renderScreen("/service-levels", { as: admin });
    const row = await rowOf("Checkout");
    expect([...tonesIn(row)]).toEqual([tone]);
    expect(within(row).getAllByText(text).length).toBeGreaterThan(0);
  });

  it("without results show no budget", async () => {
    serveList({ ...slo, attained: null, budget: { ...budget(0, 0, 0), seenSlots: 0 }, sentence: "No data yet" });
    await renderScreen("/service-levels", { as: admin });
    const row = await rowOf("Checkout");
    expect([...tonesIn(row)]).toEqual([]);
    expect(row.textContent).toContain("No data yet");
  });

  it("explain themselves if there are none, and offer to add one", async () => {
    serveList();
    await renderScreen("/service-levels", { as: admin });
    expect(await screen.findByText("No service levels yet")).toBeTruthy();
    expect(screen.getByText(/^A service level says how much of the time/)).toBeTruthy();
    const [link] = screen.getAllByRole("link", { name: "Add service level" });
    expect(link?.getAttribute("href")).toBe("/service-levels/create");
  });

  it("say that the figures are missing while metrics is away", async () => {
    const { budget: _budget, sentence: _sentence, attained: _attained, burnRate: _burnRate, ...bare } = slo;
    on("get", "/slos", () => ok({ slos: [bare as never], total: 1, unavailable: ["metrics"] }));
    await renderScreen("/service-levels", { as: admin });
    expect(await screen.findByText(/^The figures are missing/)).toBeTruthy();
    expect((await rowOf("Checkout")).textContent).toContain("– of 99.9\u00a0%");
  });

  it("are sorted by what is left and searched on the server", async () => {
    serveList(slo);
    const { user } = await renderScreen("/service-levels", { as: admin });
    await rowOf("Checkout");
    await user.click(screen.getByRole("button", { name: "Budget" }));
    await waitFor(() => expect(asked.at(-1)).toContain("sort=leftMinutes"));
    await user.type(screen.getByRole("searchbox", { name: "Search service levels" }), "check");
    await waitFor(() => expect(asked.at(-1)).toContain("search=check"));
  });

  it("are deleted after a confirmation", async () => {
    serveList(slo);
    on("delete", "/slos/3", () => {
      serveList();
      return ok({}, "Service level deleted");
    });
    const { user } = await renderScreen("/service-levels", { as: admin });
    await rowOf("Checkout");
    await user.click(screen.getByRole("button", { name: "Delete: Checkout" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Delete this service level?" }));
    await user.click(dialog.getByRole("button", { name: "Delete" }));
    expect(await screen.findByText("Service level deleted")).toBeTruthy();
    expect(await screen.findByText("No service levels yet")).toBeTruthy();
  });

  it("cannot be changed by viewers", async () => {
    serveList(slo);
    await renderScreen("/service-levels", { as: viewer });
    await rowOf("Checkout");
    expect(screen.queryByRole("link", { name: "Add service level" })).toBeNull();
    expect(screen.queryByRole("button", { name: /Delete/ })).toBeNull();
  });
});

describe("a service level", () => {
  const tile = (name: string) => screen.getByText(name, { selector: "dt" }).parentElement?.textContent;

  it("shows its budget, what spends most, and its open incident", async () => {
    serveOne({ incidentId: "m9", target: { id: 7, name: "Shop API" } });
    await renderScreen("/service-levels/3", { as: admin });
    expect(await screen.findByText("22 minutes left this month; at this rate used up on Thursday")).toBeTruthy();
    expect(screen.getByText("3.2× too fast over the last hour")).toBeTruthy();
    expect(tile("Allowed")).toContain("43 min 12 sec");
    expect(tile("Spent")).toContain("20 min 30 sec");
    expect(tile("Left")).toContain("22 min 42 sec");
    expect(tile("No data")).toContain("14 min");
    expect(screen.getByText("41 of 86,400 failed")).toBeTruthy();
    const link = screen.getByRole("link", { name: /view the open incident/ });
    expect(link.getAttribute("href")).toBe("/incidents/m9");
    expect(screen.getAllByRole("link", { name: "Shop API" })).toHaveLength(2);
  });

  it.each([
    [9, 0],
    [8, 1],
  ])("with policy %s of 9 says so if the policy was deleted", async (policyId, notes) => {
    serveOne({ policyId });
    on("get", "/on-call/policies", () => {
      asked.push("policies");
      return ok({ policies: [{ id: 9, name: "Night" } as never], total: 1 });
    });
    await renderScreen("/service-levels/3", { as: viewer });
    await screen.findByText("Shop API");
    await waitFor(() => expect(asked).toEqual(["policies"]));
    await waitFor(() =>
      expect(screen.queryAllByText(/^The chosen escalation policy no longer exists/)).toHaveLength(notes),
    );
  });

  it("says by how much its budget was exceeded", async () => {
    serveOne({ budget: budget(20, 32), exhaustedAt: "2026-11-18T12:00:00Z" });
    await renderScreen("/service-levels/3", { as: admin });
    expect(await screen.findByText(/^Used up since/)).toBeTruthy();
    expect(tile("Over budget")).toContain("12 min");
  });

  it("shows the budget of the whole window early in it", async () => {
    const early = { ...budget(0.1, 1, 1), windowMinutes: 43.2 };
    serveOne({ budget: early, exhaustedAt: undefined });
    await renderScreen("/service-levels/3", { as: admin });
    await screen.findByText("Left");
    expect(tile("Allowed")).toContain("43 min 12 secin the whole window");
    expect(tile("Left")).toContain("42 min 12 sec");
  });

  it("shows the budget of its response times", async () => {
    serveOne({
      latency: { ms: 500, percent: 95 },
      latencyBudget: { attained: 94.2, budget: budget(30, 36), burnRate: 0.4 },
    });
    await renderScreen("/service-levels/3", { as: admin });
    const goal = (await screen.findByText("95 % of successful checks within 500 ms")).closest("dd") as HTMLElement;
    expect([...tonesIn(goal)]).toEqual(["down"]);
    expect(goal.textContent).toContain("0.4× over the last hour: the budget lasts");
  });

  it("that does not exist leads back to the list", async () => {
    on("get", "/slos/3", () => fail(404, "not_found", "Service level does not exist"));
    await renderScreen("/service-levels/3", { as: admin });
    expect(await screen.findByText("Service level does not exist")).toBeTruthy();
    expect(screen.getByRole("link", { name: "All service levels" })).toBeTruthy();
  });
});

describe("the form of a service level", () => {
  it("creates one for a tag, and says what the objective allows", async () => {
    take("post", "/slos", "Service level created");
    serveOne();
    on("get", "/on-call/policies", () => ok({ policies: [{ id: 5, name: "Night" } as never], total: 1 }));
    const { user, path } = await renderScreen("/service-levels/create", { as: admin });
    expect(await screen.findByText("99.9 % allows 43 min 12 sec in 30 days.")).toBeTruthy();
    type(/^Name/, "Checkout");
    await user.click(screen.getByRole("button", { name: "99.5\u00a0%" }));
    expect(await screen.findByText("99.5 % allows 3 hr 36 min in 30 days.")).toBeTruthy();
    fireEvent.change(screen.getByRole("combobox", { name: "Window" }), { target: { value: "7d" } });
    expect(await screen.findByText("99.5 % allows 50 min 24 sec in 7 days.")).toBeTruthy();
    expect(screen.queryByRole("combobox", { name: "Time zone" })).toBeNull();
    expect(screen.queryByRole("combobox", { name: "Several monitors" })).toBeNull();
    await user.click(screen.getByRole("radio", { name: "Tag" }));
    await user.click(await screen.findByRole("button", { name: "shop" }));
    fireEvent.change(screen.getByRole("combobox", { name: "Several monitors" }), { target: { value: "mean" } });
    type(/^At most/, "500");
    await screen.findByRole("option", { name: "Night" });
    fireEvent.change(screen.getByRole("combobox", { name: "Escalation policy" }), { target: { value: "5" } });
    await user.click(screen.getByRole("button", { name: "Add service level" }));
    await waitFor(() => expect(path()).toBe("/service-levels/3"));
    expect(sent).toEqual([
      {
        name: "Checkout",
        tag: "shop",
        combine: "mean",
        objective: 99.5,
        window: "7d",
        timeZone: expect.any(String),
        latency: { ms: 500, percent: 95 },
        burnAlerts: true,
        policyId: 5,
      },
    ]);
    expect(await screen.findByText("Service level created")).toBeTruthy();
  });

  it("shows next to its field what is wrong, and sends nothing", async () => {
    take("post", "/slos", "");
    const { user } = await renderScreen("/service-levels/create", { as: admin });
    type(/^Objective/, "100");
    type(/^At most/, "soon");
    await user.click(screen.getByRole("button", { name: "Add service level" }));
    expect(await screen.findByText("Name is required")).toBeTruthy();
    const ofField = (field: HTMLElement) =>
      document.getElementById(field.getAttribute("aria-describedby") ?? "")?.textContent;
    expect(ofField(screen.getByRole("combobox", { name: /^Monitors/ }))).toBe("Choose either monitors or a tag");
    expect(ofField(screen.getByRole("textbox", { name: /^Objective/ }))).toBe(
      "An objective of 100 leaves no budget: choose at most 99.999",
    );
    expect(ofField(screen.getByRole("textbox", { name: /^At most/ }))).toBe("Please enter a number");
    expect(sent).toEqual([]);
  });

  it("keeps a deleted policy until another one is selected", async () => {
    serveOne({ policyId: 8 });
    on("get", "/on-call/policies", () => ok({ policies: [], total: 0 }));
    await renderScreen("/service-levels/3/edit", { as: admin });
    const option = await screen.findByRole("option", { name: "Deleted policy", selected: true });
    expect((option as HTMLOptionElement).value).toBe("8");
  });

  it("changes one, clears what was removed, and shows what the server rejects next to its field", async () => {
    serveOne({ latency: { ms: 500, percent: 95 }, policyId: 9 });
    on("get", "/on-call/policies", () => ok({ policies: [{ id: 9, name: "Night" } as never], total: 1 }));
    on("put", "/slos/3", async ({ request }) => {
      sent.push(await request.json());
      return fail(422, "impossible", "The request is not valid", [
        { path: "window", message: "Figures are only kept for 30 days" },
        { path: "latency.percent", message: "Too strict" },
      ]);
    });
    const { user } = await renderScreen("/service-levels/3/edit", { as: admin });
    await screen.findByRole("option", { name: "Night" });
    type(/^At most/, "");
    fireEvent.change(screen.getByRole("combobox", { name: "Escalation policy" }), { target: { value: "" } });
    await user.click(screen.getByRole("button", { name: "Save changes" }));
    expect(await screen.findByText("Figures are only kept for 30 days")).toBeTruthy();
    expect(screen.getByText("Too strict")).toBeTruthy();
    expect(sent).toMatchObject([
      { targets: [{ type: "monitor", id: 7 }], tag: null, latency: null, policyId: null, objective: 99.9 },
    ]);
  });
});
