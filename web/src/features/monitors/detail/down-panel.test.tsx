import { screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { admin, historyPeriod, incident, monitor } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { ok, on } from "../../../testing/server.ts";

beforeEach(() => {
  on("get", "/monitors/7", () => ok({ monitor }));
  on("get", "/monitors/7/history", () => ok({ range: "24h", step: 300, buckets: [], ...historyPeriod }));
  on("get", "/monitors/7/checks", () => ok({ checks: [] }));
  on("get", "/monitors/7/incidents", () => ok({ incidents: [], total: 0 }));
});

async function open() {
  const app = await renderScreen("/monitors/7", { as: admin });
  await screen.findByRole("heading", { name: "Shop API" });
  return app;
}

describe("a monitor that is down", () => {
  const down = { ...monitor, status: "down", lastError: "The connection was refused", note: "Call **ops**" } as const;
  const panel = async () => within(await screen.findByRole("region", { name: "Down now" }));

  it("shows the cause at the top, with its incident to acknowledge and the note", async () => {
    const sent: unknown[] = [];
    on("get", "/monitors/7", () => ok({ monitor: down }));
    on("get", "/monitors/7/incidents", () => ok({ incidents: [incident] as never, total: 1 }));
    on("post", "/incidents/m3/acknowledge", async ({ request }) => {
      sent.push(await request.json());
      const done = { ...incident, acknowledgedAt: "2026-01-02T10:00:00Z", acknowledgedBy: "ada" };
      on("get", "/monitors/7/incidents", () => ok({ incidents: [done] as never, total: 1 }));
      return ok({ incident: done });
    });
    const { user } = await open();
    const shown = await panel();
    expect(shown.getByText("The connection was refused")).toBeTruthy();
    expect((await shown.findByText("ops")).tagName).toBe("STRONG");
    expect((await shown.findByRole("link", { name: /View incident/ })).getAttribute("href")).toBe("/incidents/m3");
    await user.click(shown.getByRole("button", { name: "Acknowledge" }));
    expect(await shown.findByText(/acknowledged by ada/)).toBeTruthy();
    expect(sent).toEqual([{}]);
    expect(screen.getAllByText("ops")).toHaveLength(1);
  });

  it("says how many good checks a recovery still needs", async () => {
    on("get", "/monitors/7", () => ok({ monitor: { ...down, recovery: { good: 2, of: 3 } } }));
    on("get", "/monitors/7/incidents", () => ok({ incidents: [incident] as never, total: 1 }));
    await open();
    expect((await panel()).getByText(/2 of 3 good checks/)).toBeTruthy();
  });

  it("is rendered when its incident is loaded, to avoid a layout shift", async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    on("get", "/monitors/7", () => ok({ monitor: down }));
    on("get", "/monitors/7/incidents", async () => {
      asked.resolve();
      await answer.promise;
      return ok({ incidents: [incident] as never, total: 1 });
    });
    await renderScreen("/monitors/7", { as: admin });
    await asked.promise;
    expect(await screen.findByRole("status", { name: "Loading…" })).toBeTruthy();
    expect(screen.queryByRole("region", { name: "Down now" })).toBeNull();
    answer.resolve();
    expect(await (await panel()).findByRole("button", { name: "Acknowledge" })).toBeTruthy();
  });

  it("is silenced from its page and shows the end", async () => {
    const until = "2099-05-04T04:00:00Z";
    on("get", "/silences", () => ok({ silences: [], total: 0 }));
    on("post", "/silences", async ({ request }) => {
      expect(await request.json()).toEqual({ target: { type: "monitor", id: 7 }, minutes: 30 });
      on("get", "/monitors/7", () => ok({ monitor: { ...monitor, silencedUntil: until } }));
      return ok({ silence: { id: 3 } });
    });
    const { user } = await open();
    await user.click(screen.getByRole("button", { name: "Silence" }));
    await user.click(await screen.findByRole("menuitem", { name: "30 minutes" }));
    expect(await screen.findByText(/^Silenced until/)).toBeTruthy();
    expect(screen.queryByRole("region", { name: "Down now" })).toBeNull();
  });
});
