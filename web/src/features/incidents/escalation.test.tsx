import type { EscalationProgress } from "@sonde/proto/http/on-call/escalation";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { admin, incident, monitor, viewer } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { ok, on } from "../../testing/server.ts";

const soon = () => new Date(Date.now() + 290_000).toISOString();
const progress = (change: Partial<EscalationProgress> = {}): EscalationProgress => ({
  policy: { id: 3, name: "Night" },
  repeat: 0,
  steps: [
    {
      ...{ step: 1, state: "done", at: "2026-01-02T09:00:00Z", needs: 2, notified: ["Ada · mail"] },
      waiting: [{ name: "Ada · voice", until: "2026-01-02T09:05:00Z" }],
    },
    { step: 2, state: "next", at: soon(), needs: 1, notified: [], waiting: [] },
    { step: 3, state: "later", needs: 1, notified: [], waiting: [] },
  ],
  acknowledgedBy: [],
  needs: 2,
  ...change,
});
let asked: unknown[];

beforeEach(() => {
  asked = [];
  on("get", "/monitors/7/checks", () => ok({ checks: [] }));
  on("get", "/monitors/7", () => ok({ monitor }));
});
const open = async (escalation: EscalationProgress, as = admin) => {
  on("get", "/incidents/m3", () => ok({ incident, timeline: [], channels: [], escalation } as never));
  await renderScreen("/incidents/m3", { as });
  return within((await screen.findByRole("heading", { name: "Escalation" })).closest("section") as HTMLElement);
};

it("shows each step with its state, and the time to the next one", async () => {
  const card = await open(progress());
  expect(card.getByText("Notified Ada · mail")).toBeTruthy();
  expect(card.getByText(/Ada · voice from .*, unless somebody acknowledges/)).toBeTruthy();
  expect(card.getByText("in 5 min")).toBeTruthy();
  expect(card.getByText("Later")).toBeTruthy();
});

it("takes the next step with a note after a confirmation", async () => {
  on("post", "/incidents/m3/escalate", async ({ request }) => {
    asked.push(await request.json());
    return ok({ escalation: progress() } as never);
  });
  const card = await open(progress());
  fireEvent.click(card.getByRole("button", { name: "Escalate now" }));
  const dialog = within(await screen.findByRole("dialog"));
  fireEvent.change(dialog.getByLabelText(/^Note/), { target: { value: "No answer" } });
  fireEvent.click(dialog.getByRole("button", { name: "Escalate now" }));
  expect(await screen.findByText("The next step was taken")).toBeTruthy();
  expect(asked).toEqual([{ note: "No answer" }]);
});

it("offers a second acknowledgement to others if a step needs two", async () => {
  on("post", "/incidents/m3/acknowledge", () => {
    asked.push("acknowledged");
    return ok({ incident } as never);
  });
  const card = await open(progress({ acknowledgedBy: ["ben"] }));
  expect(card.getByText("Acknowledged by 1 of 2 people")).toBeTruthy();
  fireEvent.click(card.getByRole("button", { name: "Acknowledge too" }));
  await waitFor(() => expect(asked).toEqual(["acknowledged"]));
});

it("offers nothing to viewers, or to who acknowledged already", async () => {
  const card = await open(progress({ acknowledgedBy: ["ben"] }), viewer);
  expect(card.queryByRole("button")).toBeNull();
});

it("has no card without a policy", async () => {
  on("get", "/incidents/m3", () => ok({ incident, timeline: [], channels: [] } as never));
  await renderScreen("/incidents/m3", { as: admin });
  await screen.findByRole("heading", { name: "Notifications" });
  expect(screen.queryByRole("heading", { name: "Escalation" })).toBeNull();
});
