import { fireEvent, screen, within } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { admin, viewer } from "../../testing/fixtures.ts";
import { serveChannels, serveSettings, telegram } from "../../testing/notifications.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";

const policy = { id: 3, name: "Night", repeat: 0, steps: [{ after: 0, notify: ["channel:2"], needs: 1 }] };
const entry = (at: string, name: string) => ({
  at,
  whom: { kind: "channel", id: 1, name },
  step: "opened",
  reason: "down",
  incidentId: "m1",
  target: { type: "monitor", id: 7, name: "Shop API" },
});
let sent: Record<string, unknown>[];
const answer = (totals: object, added: object[] = [], removed: object[] = []) =>
  on("post", "/notifications/rehearse", async ({ request }) => {
    sent.push((await request.json()) as Record<string, unknown>);
    return ok({ wouldNotify: [], didNotify: [], difference: { added, removed }, totals } as never);
  });

beforeEach(() => {
  sent = [];
  serveChannels([telegram]);
  serveSettings();
  on("get", "/notifications/templates", () => ok({ templates: [] } as never));
  on("get", "/on-call/policies", () => ok({ policies: [policy], total: 1 } as never));
  on("get", "/on-call/policies/3", () => ok({ policy, warnings: [] } as never));
  on("get", "/on-call/schedules", () => ok({ schedules: [], people: [], total: 0 } as never));
  on("get", "/on-call/people", () => ok({ people: [] } as never));
});

async function openSettings(as = admin) {
  await renderScreen("/notifications/settings", { as });
  const form = within(await screen.findByRole("form", { name: "All monitors" }));
  await form.findAllByRole("checkbox", { name: /On call/ });
  return form;
}

it("shows how many notifications the unsaved settings would have sent, and the differences by time", async () => {
  answer(
    { wouldNotify: 14, didNotify: 41, added: 1, removed: 28 },
    [entry("2026-05-04T12:00:00Z", "Lead")],
    [entry("2026-05-04T11:00:00Z", "Chat")],
  );
  const form = await openSettings();
  fireEvent.click(form.getByRole("checkbox", { name: /On call/ }));
  fireEvent.click(form.getByRole("button", { name: "Rehearse" }));
  const result = within(await form.findByRole("region", { name: "Rehearsal" }));
  expect(result.getByText("In the last 30 days: 14 notifications instead of 41")).toBeTruthy();
  expect(result.getByText("1 more, 28 fewer")).toBeTruthy();
  const rows = result.getAllByRole("listitem").map(({ textContent }) => textContent);
  expect(rows).toEqual([expect.stringMatching(/^Dropped.*Chat/), expect.stringMatching(/^Added.*Lead/)]);
  const { from, to, settings } = sent[0] as { from: string; to: string; settings: { globalMonitor: object } };
  expect(Date.parse(to) - Date.parse(from)).toBe(30 * 86_400_000);
  expect(settings.globalMonitor).toMatchObject({ channels: [] });
});

it("says that nothing would differ, or why it cannot be rehearsed", async () => {
  answer({ wouldNotify: 3, didNotify: 3, added: 0, removed: 0 });
  const form = await openSettings();
  fireEvent.click(form.getByRole("button", { name: "Rehearse" }));
  expect(await form.findByText("No difference from what was sent.")).toBeTruthy();
  on("post", "/notifications/rehearse", () => fail(429, "too_many", "Another rehearsal is running"));
  fireEvent.click(form.getByRole("button", { name: "Rehearse" }));
  expect(await form.findByText("Another rehearsal is running")).toBeTruthy();
  fireEvent.change(form.getByLabelText("Reminder interval"), { target: { value: "soon" } });
  fireEvent.click(form.getByRole("button", { name: "Rehearse" }));
  expect(await form.findByText("Please fix the highlighted fields")).toBeTruthy();
});

it("rehearses a policy with its unsaved fields", async () => {
  answer({ wouldNotify: 3, didNotify: 3, added: 0, removed: 0 });
  await renderScreen("/on-call/policies/edit/3", { as: admin });
  fireEvent.click(await screen.findByRole("button", { name: "Rehearse" }));
  await screen.findByText("No difference from what was sent.");
  expect(sent[0]).toMatchObject({ policies: [{ id: 3, name: "Night", steps: policy.steps }] });
});

it("is not offered to viewers", async () => {
  await openSettings(viewer);
  expect(screen.queryByRole("button", { name: "Rehearse" })).toBeNull();
});
