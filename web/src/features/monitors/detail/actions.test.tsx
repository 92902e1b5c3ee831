import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { admin, historyPeriod, incident, monitor, result } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { ok, on } from "../../../testing/server.ts";

beforeEach(() => {
  on("get", "/monitors/7", () => ok({ monitor }));
  on("get", "/monitors/7/history", () => ok({ range: "24h", step: 300, buckets: [], ...historyPeriod }));
  on("get", "/monitors/7/checks", () => ok({ checks: [] }));
  on("get", "/monitors/7/incidents", () => ok({ incidents: [incident], total: 1 }));
});

async function open() {
  const app = await renderScreen("/monitors/7", { as: admin });
  await screen.findByRole("heading", { name: "Configuration" });
  return app;
}

describe("the monitor page", () => {
  it("copies the target, and the request as a curl command with its secrets masked", async () => {
    vi.stubGlobal("isSecureContext", true);
    const { user } = await open();
    await user.click(screen.getByRole("button", { name: "Copy: target" }));
    await waitFor(async () => expect(await navigator.clipboard.readText()).toBe("https://shop.example/health"));
    const card = screen.getByRole("heading", { name: "Configuration" }).closest("section") as HTMLElement;
    await user.click(within(card).getByRole("button", { name: "Copy as cURL" }));
    await waitFor(async () => expect(await navigator.clipboard.readText()).toContain("--header 'X-Api-Key: ••••••'"));
  });

  it("has the urgent actions in a bar on a phone, and the others in a menu", async () => {
    vi.stubGlobal("matchMedia", (query: string) => ({
      matches: query.includes("max-width"),
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }));
    vi.stubGlobal("scrollTo", () => undefined);
    on("get", "/monitors/7", () => ok({ monitor: { ...monitor, status: "down", lastError: "Status 500" } }));
    on("get", "/monitors", () => ok({ monitors: [], total: 0 }));
    on("delete", "/monitors/7", () => ok({}, "Monitor successfully deleted"));
    const { user, path } = await open();
    const bar = document.querySelector<HTMLElement>("[data-bottom-bar]") as HTMLElement;
    const names = within(bar)
      .getAllByRole("button")
      .map(({ textContent }) => textContent);
    expect(names).toEqual(["Acknowledge", "Check now", "Silence", "More"]);
    // The failure comes before anything else about the monitor.
    const down = screen.getByRole("region", { name: "Down now" });
    expect(down.compareDocumentPosition(screen.getByText("Current status"))).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    await user.click(within(bar).getByRole("button", { name: "More" }));
    const entries = (await screen.findAllByRole("menuitem")).map(({ textContent }) => textContent);
    expect(entries).toEqual(["Pause", "Edit", "Clone", "Delete"]);
    await user.click(screen.getByRole("menuitem", { name: "Delete" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Delete" }));
    await waitFor(() => expect(path()).toBe("/monitors"));
  });

  it("shows why a manual check failed next to the red panel, which stays when the result is closed", async () => {
    const lastError = "Status 500";
    const down = { ...monitor, status: "down", lastError };
    on("get", "/monitors/7", () => ok({ monitor: down }));
    const { user } = await open();
    expect(await screen.findAllByText(lastError)).toHaveLength(1);
    const failed = { ...result, status: "down", error: { kind: "status", message: lastError } };
    on("post", "/monitors/7/check", () => ok({ result: failed, monitor: down }, "Monitor check completed"));
    await user.click(screen.getByRole("button", { name: "Check now" }));
    const panel = await screen.findByRole("region", { name: "Result" });
    await waitFor(() =>
      expect(screen.getAllByText(lastError).map((each) => panel.contains(each))).toEqual([false, true]),
    );
    await user.click(within(panel).getByRole("button", { name: "Close" }));
    await waitFor(() => expect(screen.getAllByText(lastError)).toHaveLength(1));
  });

  it("says next to the name that nobody is notified, and links to the settings", async () => {
    const asked: (string | null)[] = [];
    on("get", "/notifications/audience", ({ request }) => {
      asked.push(new URL(request.url).searchParams.get("target"));
      return ok({ audience: { nobody: true } });
    });
    await open();
    const link = await screen.findByRole("link", { name: "Nobody is notified" });
    expect(link.getAttribute("href")).toBe("/notifications/settings/monitor/7");
    expect(asked).toEqual(["monitor:7"]);
  });
});
