import type { ReportDefinition } from "@sonde/proto/http/reports";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { admin, viewer } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";

const publicKey = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----\n";
const issue = {
  period: "2026-10",
  from: "2026-09-30T22:00:00Z",
  until: "2026-10-31T23:00:00Z",
  createdAt: "2026-10-31T23:05:00Z",
  sent: 2,
  link: "/api/reports/4/2026-10.html?token=abc",
};
const report: ReportDefinition = {
  id: 4,
  name: "For customers",
  targets: [
    { type: "monitor", id: 7, name: "Shop API" },
    { type: "agent", id: 3, name: "web-1" },
  ],
  every: "month",
  timeZone: "Europe/Berlin",
  language: "en-US",
  recipients: [
    { address: "ada@example.com", isConfirmed: true },
    { address: "customer@example.org", isConfirmed: false },
  ],
  nextAt: "2026-11-30T23:05:00Z",
  issues: [issue],
  createdAt: "2026-01-01T00:00:00Z",
  updatedAt: "2026-01-01T00:00:00Z",
};

let sent: unknown[];
beforeEach(() => {
  sent = [];
  on("get", "/monitors/tags", () => ok({ tags: [{ name: "shop", monitors: 2 }], more: false }));
});
const serveList = (...reports: ReportDefinition[]) =>
  on("get", "/reports", () => ok({ reports: reports as never, total: reports.length, publicKey }));
const serveOne = (more: Partial<ReportDefinition> = {}) =>
  on("get", "/reports/4", () => ok({ report: { ...report, ...more } as never }));
const take = (method: "post" | "put", path: string, message: string) =>
  on(method, path, async ({ request }) => {
    sent.push(await request.json());
    return ok({ report: report as never }, message);
  });
const type = (name: RegExp, value: string) =>
  fireEvent.change(screen.getByRole("textbox", { name }), { target: { value } });

describe("the reports", () => {
  it("are listed with the last and the next one, and the key that verifies them", async () => {
    serveList(report);
    await renderScreen("/reports", { as: admin });
    const row = (await screen.findByRole("link", { name: "For customers" })).closest("tr") as HTMLElement;
    expect(row.textContent).toContain("Monthly · 2 recipients");
    expect(row.textContent).toContain("2026-10");
    expect(screen.getByText(/BEGIN PUBLIC KEY/).textContent).toBe(publicKey.trim());
    expect(screen.getByText("sonde verify report.html --key key.pem")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Copy: Public key" })).toBeTruthy();
  });

  it("explain themselves if there are none, and offer to add one", async () => {
    serveList();
    await renderScreen("/reports", { as: admin });
    expect(await screen.findByText("No reports yet")).toBeTruthy();
    expect(screen.getAllByRole("link", { name: "Add report" })[0]?.getAttribute("href")).toBe("/reports/create");
  });

  it("are deleted after a confirmation", async () => {
    serveOne();
    serveList();
    on("delete", "/reports/4", () => ok({}, "Report deleted"));
    const { user, path } = await renderScreen("/reports/4", { as: admin });
    await user.click(await screen.findByRole("button", { name: "Delete" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Delete this report?" }));
    await user.click(dialog.getByRole("button", { name: "Delete" }));
    expect(await screen.findByText("Report deleted")).toBeTruthy();
    expect(path()).toBe("/reports");
  });
});

describe("a report", () => {
  it("lists what was made, with its addresses", async () => {
    serveOne();
    await renderScreen("/reports/4", { as: admin });
    const open = await screen.findByRole("link", { name: "Open: 2026-10" });
    expect([open.getAttribute("href"), open.getAttribute("target")]).toEqual([
      `${location.origin}${issue.link}`,
      "_blank",
    ]);
    const csv = screen.getByRole("link", { name: "CSV file: 2026-10" });
    expect(csv.getAttribute("href")).toBe(`${location.origin}/api/reports/4/2026-10.csv?token=abc`);
    expect(screen.getByText("Oct 1, 2026 – Oct 31, 2026")).toBeTruthy();
    expect(screen.getByRole("link", { name: "web-1" }).getAttribute("href")).toBe("/agents/3");
  });

  it("says who has not confirmed yet", async () => {
    serveOne();
    await renderScreen("/reports/4", { as: admin });
    const lineOf = async (address: string) => (await screen.findByText(address)).closest("li")?.textContent;
    expect(await lineOf("ada@example.com")).toContain("Confirmed");
    expect(await lineOf("customer@example.org")).toContain("Waiting for confirmation");
    expect(screen.getByText(/They receive reports once they have opened it/)).toBeTruthy();
  });

  it("is made and sent after a confirmation", async () => {
    serveOne({ issues: [] });
    take("post", "/reports/4/send", "Report sent");
    const { user } = await renderScreen("/reports/4", { as: admin });
    expect(await screen.findByText(/^None yet\./)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Make and send now" }));
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByText(/Makes the report of last month and sends it to 1 recipient\./)).toBeTruthy();
    serveOne();
    await user.click(dialog.getByRole("button", { name: "Make and send now" }));
    expect(await screen.findByText("Report sent")).toBeTruthy();
    expect(await screen.findByRole("link", { name: "Open: 2026-10" })).toBeTruthy();
    expect(sent).toEqual([{}]);
  });

  it("says why it could not be made", async () => {
    serveOne();
    on("post", "/reports/4/send", () =>
      fail(422, "impossible", "The request is not valid", [
        { path: "period", message: "Results of this period are no longer stored" },
      ]),
    );
    const { user } = await renderScreen("/reports/4", { as: admin });
    await user.click(await screen.findByRole("button", { name: "Make and send now" }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.click(dialog.getByRole("button", { name: "Make and send now" }));
    expect(await dialog.findByText("Results of this period are no longer stored")).toBeTruthy();
  });

  it("cannot be sent or changed by viewers", async () => {
    serveOne();
    await renderScreen("/reports/4", { as: viewer });
    await screen.findByRole("link", { name: "Open: 2026-10" });
    expect(screen.queryByRole("button", { name: "Make and send now" })).toBeNull();
    expect(screen.queryByRole("link", { name: "Edit" })).toBeNull();
  });
});

describe("the form of a report", () => {
  it("creates one of a status page, with recipients one per line", async () => {
    take("post", "/reports", "Report created");
    serveOne();
    on("get", "/notifications/channels", () => ok({ channels: [{ id: 2, name: "Ops chat" }] as never }));
    const { user, path } = await renderScreen("/reports/create", { as: admin });
    await screen.findByRole("option", { name: "Ops chat" });
    type(/^Name/, "For customers");
    await user.click(screen.getByRole("radio", { name: "Status page" }));
    await screen.findByRole("option", { name: "Status" });
    fireEvent.change(screen.getByRole("combobox", { name: /^Status page/ }), { target: { value: "default" } });
    fireEvent.change(screen.getByRole("combobox", { name: "How often" }), { target: { value: "week" } });
    type(/^Recipients/, "ada@example.com\n\n customer@example.org ");
    fireEvent.change(screen.getByRole("combobox", { name: "Channel" }), { target: { value: "2" } });
    await user.click(screen.getByRole("button", { name: "Add report" }));
    await waitFor(() => expect(path()).toBe("/reports/4"));
    expect(sent).toEqual([
      {
        name: "For customers",
        pageId: "default",
        every: "week",
        timeZone: expect.any(String),
        language: "en-US",
        recipients: ["ada@example.com", "customer@example.org"],
        channelId: 2,
      },
    ]);
    expect(await screen.findByText("Report created")).toBeTruthy();
  });

  it("shows next to its field what is wrong, and sends nothing", async () => {
    take("post", "/reports", "");
    const { user } = await renderScreen("/reports/create", { as: admin });
    type(/^Recipients/, "nobody");
    await user.click(screen.getByRole("radio", { name: "Status page" }));
    await screen.findByRole("option", { name: "Status" });
    await user.click(screen.getByRole("button", { name: "Add report" }));
    expect(await screen.findByText("Name is required")).toBeTruthy();
    const ofField = (field: HTMLElement) =>
      document.getElementById(field.getAttribute("aria-describedby") ?? "")?.textContent;
    expect(ofField(screen.getByRole("textbox", { name: /^Recipients/ }))).toBe("Please enter a valid email address");
    expect(ofField(screen.getByRole("combobox", { name: /^Status page/ }))).toBe(
      "Choose monitors and agents, a tag, or a status page",
    );
    expect(sent).toEqual([]);
  });

  it("changes one, and shows what the server rejects next to its field", async () => {
    serveOne({ channelId: 2 });
    on("get", "/notifications/channels", () => ok({ channels: [{ id: 2, name: "Ops chat" }] as never }));
    on("put", "/reports/4", async ({ request }) => {
      sent.push(await request.json());
      return fail(422, "impossible", "The request is not valid", [{ path: "targets.1", message: "It does not exist" }]);
    });
    const { user } = await renderScreen("/reports/4/edit", { as: admin });
    await screen.findByRole("option", { name: "Ops chat" });
    fireEvent.change(screen.getByRole("combobox", { name: "Channel" }), { target: { value: "" } });
    await user.click(screen.getByRole("button", { name: "Save changes" }));
    expect(await screen.findByText("It does not exist")).toBeTruthy();
    expect(sent).toMatchObject([
      {
        targets: [
          { type: "monitor", id: 7 },
          { type: "agent", id: 3 },
        ],
        tag: null,
        pageId: null,
        channelId: null,
      },
    ]);
  });
});
