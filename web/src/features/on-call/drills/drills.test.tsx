import type { Drill } from "@sonde/proto/http/on-call/drills";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { admin, viewer } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { ok, on } from "../../../testing/server.ts";

const at = new Date(Date.now() - 60_000).toISOString();
const longAgo = new Date(Date.now() - 12 * 86_400_000).toISOString();
const drill: Drill = {
  id: 3,
  target: "policy:2",
  targetName: "Night",
  createdBy: "ada",
  createdAt: at,
  schedule: "weekly",
  nextAt: new Date(Date.now() + 86_400_000).toISOString(),
  runs: [
    {
      id: "d2",
      startedAt: at,
      acknowledgedBy: [],
      notified: [
        { name: "Ops chat", at, state: "delivered" },
        { name: "", at, state: "nobody" },
      ],
    },
    { id: "d1", startedAt: longAgo, endedAt: longAgo, acknowledgedBy: [], notified: [] },
  ],
};
const proven = {
  channels: [
    { id: 1, name: "Pager" },
    { id: 2, name: "Ops chat", lastProvenAt: longAgo },
  ],
  contacts: [],
  policies: [],
};

let sent: unknown[];
let drills: Drill[];
beforeEach(() => {
  sent = [];
  drills = [drill];
  on("get", "/on-call/drills", () => ok({ drills, total: drills.length, proven } as never));
  on("get", "/on-call/policies", () => ok({ policies: [{ id: 2, name: "Night", steps: [] }], total: 1 } as never));
  on("get", "/on-call/schedules", () => ok({ schedules: [], people: [], total: 0 } as never));
  on("get", "/on-call/people", () => ok({ people: [{ id: 4, name: "ben" }] } as never));
  on("get", "/notifications/channels", () => ok({ channels: [{ id: 2, name: "Ops chat" }] } as never));
});

describe("the drills", () => {
  it("show who was notified, earlier drills, and what was proven when", async () => {
    await renderScreen("/on-call/drills", { as: viewer });
    const row = (await screen.findByText("Night")).closest("li") as HTMLElement;
    for (const text of ["Running", "Ops chat", "Nobody could be reached", "1 earlier drill", "Nobody acknowledged"]) {
      expect(row.textContent).toContain(text);
    }
    const channels = within(screen.getByRole("region", { name: "Channels" }));
    const [pager, chat] = channels.getAllByRole("listitem");
    expect(pager?.textContent).toBe("PagerNever proven");
    expect(chat?.textContent).toContain("last proven 12 days ago");
    expect(screen.queryByRole("button", { name: /Acknowledge|Delete|Start/ })).toBeNull();
  });

  it("can be acknowledged while they run", async () => {
    on("post", "/on-call/drills/3/acknowledge", () => {
      const [run, ...earlier] = drill.runs;
      const ended = { ...run!, acknowledgedAt: at, endedAt: at, acknowledgedBy: ["ada"] };
      drills = [{ ...drill, runs: [ended, ...earlier] }];
      return ok({ drill } as never);
    });
    await renderScreen("/on-call/drills", { as: admin });
    fireEvent.click(await screen.findByRole("button", { name: "Acknowledge: Night" }));
    expect(await screen.findByText(/by ada/, { selector: "span" })).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole("button", { name: /Acknowledge/ })).toBeNull());
  });

  it("are started for a person, a policy or a channel", async () => {
    drills = [];
    on("post", "/on-call/drills", async ({ request }) => {
      sent.push(await request.json());
      drills = [drill];
      return ok({ drill } as never, "Drill started");
    });
    await renderScreen("/on-call/drills", { as: admin });
    fireEvent.click(await screen.findByRole("button", { name: "Start a drill" }));
    const dialog = within(await screen.findByRole("dialog"));
    await dialog.findByRole("option", { name: "ben" });
    const targets = dialog.getByRole("combobox", { name: "Notify" });
    expect(
      within(targets)
        .getAllByRole("option")
        .map((option) => option.getAttribute("value")),
    ).toEqual(["", "user:4", "policy:2", "channel:2"]);
    fireEvent.change(targets, { target: { value: "policy:2" } });
    fireEvent.change(dialog.getByRole("combobox", { name: "Repeat" }), { target: { value: "monthly" } });
    fireEvent.click(dialog.getByRole("button", { name: "Start a drill" }));
    expect(await screen.findByText("Drill started")).toBeTruthy();
    expect(sent).toEqual([{ target: "policy:2", schedule: "monthly" }]);
    expect(await screen.findByText("Night")).toBeTruthy();
  });

  it("are started by a link", async () => {
    await renderScreen("/on-call/drills?start", { as: admin });
    expect(await screen.findByRole("dialog", { name: "Start a drill" })).toBeTruthy();
  });

  it("are deleted after a question", async () => {
    on("delete", "/on-call/drills/3", () => {
      drills = [];
      return ok({} as never, "Drill deleted");
    });
    await renderScreen("/on-call/drills", { as: admin });
    fireEvent.click(await screen.findByRole("button", { name: "Delete: Night" }));
    fireEvent.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Delete" }));
    expect(await screen.findByText("No drills yet")).toBeTruthy();
  });
});
