import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { admin, dashboard, viewer } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";

describe("the dashboard", () => {
  it("warns of times without anyone on call in the next seven days", async () => {
    const gap = { scheduleId: 7, name: "Primary", start: "2099-03-02T09:00:00Z", end: "2099-03-03T09:00:00Z" };
    on("get", "/on-call/gaps", () => ok({ gaps: [gap, { ...gap, name: "Second" }, { ...gap, name: "Third" }] }));
    on("get", "/dashboard", () => ok({ ...dashboard }));
    await renderScreen("/dashboard", { as: admin });
    const link = await screen.findByRole("link", { name: "Nobody is on call" });
    expect(link.getAttribute("href")).toBe("/on-call?schedule=7");
    expect(link.closest("[role=alert]")!.textContent).toMatch(
      /Primary: .*Mar 2.* – .*Mar 3.* \(and 2 more times within seven days\)/,
    );
  });

  it("warns of a person on call who cannot be notified", async () => {
    const unreachable = [{ scheduleId: 7, name: "Primary", userId: 3, person: "Ben" }];
    on("get", "/on-call/gaps", () => ok({ gaps: [], unreachable }));
    on("get", "/dashboard", () => ok({ ...dashboard }));
    await renderScreen("/dashboard", { as: admin });
    const link = await screen.findByRole("link", { name: "Ben is on call and cannot be notified" });
    expect(link.getAttribute("href")).toBe("/on-call?schedule=7");
    expect(link.closest("[role=alert]")!.textContent).toContain("Primary: Ben has no contacts and no mail.");
  });

  it("is shown if it is unknown whether somebody is on call", async () => {
    on("get", "/on-call/gaps", () => fail(503, "unavailable"));
    on("get", "/dashboard", () => ok({ ...dashboard }));
    await renderScreen("/dashboard", { as: admin });
    expect((await screen.findAllByText("Shop API"))[0]).toBeTruthy();
    expect(screen.queryByText("Nobody is on call")).toBeNull();
  });

  describe("lists what was never proven", () => {
    const names = ["Ada · push", "Ben · mail", "Cy · sms", "Di · push", "Eva · push", "Flo · push"];
    const contacts = names.map((name, at) => ({ id: at + 10, name, userId: at }));
    const proven = {
      contacts: [...contacts, { id: 9, name: "Gil · push", userId: 9, lastProvenAt: "2026-01-01T00:00:00Z" }],
      policies: [{ id: 2, name: "Night", lastProvenAt: "2026-01-01T00:00:00Z" }],
      channels: [{ id: 1, name: "Pager" }],
    };
    const serve = (changed: Partial<typeof proven> = {}) => {
      on("get", "/dashboard", () => ok({ ...dashboard }));
      on("get", "/on-call/drills", () => ok({ drills: [], total: 0, proven: { ...proven, ...changed } } as never));
    };

    it("with a link to start a drill", async () => {
      serve();
      await renderScreen("/dashboard", { as: admin });
      const card = (await screen.findByText("Never proven")).closest("section")!;
      expect(card.textContent).toContain(`Contacts${names.slice(0, 5).join("")}and 1 more`);
      expect(card.textContent).toContain("ChannelsPager");
      expect(card.textContent).not.toMatch(/Night|Gil/);
      expect(within(card).getByRole("link", { name: "Start a drill" }).getAttribute("href")).toBe(
        "/on-call/drills?start",
      );
    });

    it("but not to viewers, and not without on call", async () => {
      serve();
      const { unmount } = await renderScreen("/dashboard", { as: viewer });
      await screen.findAllByText("Shop API");
      expect(screen.queryByText("Never proven")).toBeNull();
      unmount();
      let requests = 0;
      serve({ contacts: [], policies: [] });
      on("get", "/on-call/drills", () => {
        requests += 1;
        return ok({ drills: [], total: 0, proven: { ...proven, contacts: [], policies: [] } } as never);
      });
      await renderScreen("/dashboard", { as: admin });
      await waitFor(() => expect(requests).toBe(1));
      await screen.findAllByText("Shop API");
      expect(screen.queryByText("Never proven")).toBeNull();
    });
  });
});
