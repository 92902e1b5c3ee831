import { screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { admin, historyPeriod, monitor, result, viewer } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";

beforeEach(() => {
  on("get", "/monitors/7", () => ok({ monitor }));
  on("get", "/monitors/8/history", () => ok({ range: "24h", step: 300, buckets: [], ...historyPeriod }));
});

describe("cloning a monitor", () => {
  it("fills in the form with masked secrets and explains whose they are", async () => {
    const asked: (string | null)[] = [];
    let sent: unknown;
    on("post", "/monitors", async ({ request }) => {
      asked.push(new URL(request.url).searchParams.get("cloneOf"));
      sent = await request.json();
      return ok({ monitor: { ...monitor, id: 8 } }, "Monitor created");
    });
    on("post", "/monitors/test", ({ request }) => {
      asked.push(new URL(request.url).searchParams.get("monitorId"));
      return ok({ result });
    });
    on("get", "/monitors/8", () => ok({ monitor: { ...monitor, id: 8 } }));
    const { user, path } = await renderScreen("/monitors/create?clone=7", { as: admin });
    expect((await screen.findByLabelText<HTMLInputElement>(/^Name/)).value).toBe("Shop API (copy)");
    expect(screen.getByLabelText<HTMLInputElement>("Header value 1").type).toBe("password");
    await user.type(screen.getByLabelText(/^URL/), "/2");
    expect(screen.getByLabelText<HTMLInputElement>(/^Name/).value).toBe("Shop API (copy)");
    await user.click(screen.getByRole("button", { name: "Test" }));
    await screen.findByRole("region", { name: "Result" });
    await user.click(screen.getByRole("button", { name: "Create monitor" }));
    await waitFor(() => expect(path()).toBe("/monitors/8"));
    expect(asked).toEqual(["7", "7"]);
    expect(sent).toMatchObject({
      name: "Shop API (copy)",
      url: "https://shop.example/health/2",
      interval: 5,
      headers: [{ name: "X-Api-Key", value: "••••••" }],
    });
  });

  it("is offered on the page and in the row to users with write access", async () => {
    on("get", "/monitors", () => ok({ monitors: [monitor], total: 1 }));
    on("get", "/monitors/7/history", () => ok({ range: "24h", step: 300, buckets: [], ...historyPeriod }));
    const { unmount } = await renderScreen("/monitors/7", { as: admin });
    const link = async (name: string) => (await screen.findByRole("link", { name })).getAttribute("href");
    expect(await link("Clone")).toBe("/monitors/create?clone=7");
    unmount();
    const list = await renderScreen("/monitors", { as: admin });
    await list.user.click(await screen.findByRole("button", { name: "Actions: Shop API" }));
    expect((await screen.findByRole("menuitem", { name: "Clone" })).getAttribute("href")).toBe(
      "/monitors/create?clone=7",
    );
    list.unmount();
    await renderScreen("/monitors", { as: viewer });
    await screen.findByRole("link", { name: "Shop API" });
    expect(screen.queryByRole("link", { name: /Clone/ })).toBeNull();
  });

  it("shows 'Monitor does not exist' for an unknown monitor", async () => {
    on("get", "/monitors/9", () => fail(404, "not_found", "Monitor does not exist"));
    await renderScreen("/monitors/create?clone=9", { as: admin });
    expect((await screen.findByRole("alert")).textContent).toBe("Monitor does not exist");
  });
});
