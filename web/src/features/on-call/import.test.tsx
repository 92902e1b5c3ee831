import { screen } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { admin, viewer } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { ok, on } from "../../testing/server.ts";

const plan = {
  create: ["schedules.Primary"],
  update: [
    { path: "schedules.Night.team.layers", from: [], to: [] },
    { path: "schedules.Night.team.overrides", from: 0, to: 2 },
  ],
  remove: [],
  same: ["schedules.Weekend"],
  conflicts: [{ path: "schedules.Empty", message: "Nobody in this schedule has an account here" }],
};
const answer = {
  plan,
  unmatched: ["grace@example.com"],
  notes: [{ schedule: "Primary", text: "Restrictions differ" }],
};

let sent: { dryRun: string | null; body: unknown }[];
let conflicts: typeof plan.conflicts;
beforeEach(() => {
  sent = [];
  conflicts = plan.conflicts;
  on("get", "/on-call/schedules", () => ok({ schedules: [], people: [], total: 0 } as never));
  on("get", "/on-call/policies", () => ok({ policies: [], total: 0 } as never));
  on("post", "/on-call/import", async ({ request }) => {
    const dryRun = new URL(request.url).searchParams.get("dryRun");
    sent.push({ dryRun, body: await request.json() });
    return ok({ ...answer, plan: { ...plan, conflicts }, dryRun: dryRun === "true" } as never, "Imported");
  });
});

const row = (name: string) => screen.getByText(name).closest("li")?.textContent;

it("shows what a pasted text would change and who has no account, and applies it", async () => {
  const { user, path } = await renderScreen("/on-call", { as: admin });
  await user.click(await screen.findByRole("link", { name: "Import schedules" }));
  await user.selectOptions(await screen.findByRole("combobox", { name: "From" }), "PagerDuty");
  await user.click(screen.getByLabelText("Or paste its text"));
  await user.paste('{"schedule": {}}');
  await user.click(screen.getByRole("button", { name: "Show plan" }));
  await screen.findByRole("heading", { name: "What will change" });
  expect(row("Primary")).toBe("PrimaryCreateRestrictions differ");
  expect(row("Night.team")).toBe("Night.teamUpdateLayers\nOverrides");
  expect(row("Weekend")).toBe("WeekendUnchanged");
  expect(row("Empty")).toBe("EmptyNot importedNobody in this schedule has an account here");
  screen.getByRole("heading", { name: "No account here (1)" });
  screen.getByText("grace@example.com");
  conflicts = [{ path: "schedules.Primary.overrides", message: "Another override is from 1 to 2" }];
  await user.click(screen.getByRole("button", { name: "Apply" }));
  await screen.findByRole("heading", { name: "What was changed" });
  expect(row("Primary")).toBe("PrimaryCreateAnother override is from 1 to 2\nRestrictions differ");
  const body = { source: "pagerduty", data: { schedule: {} } };
  expect(sent).toEqual([
    { dryRun: "true", body },
    { dryRun: "false", body },
  ]);
  await user.click(screen.getByRole("link", { name: "Show the schedules" }));
  expect(path()).toBe("/on-call");
});

it("takes a calendar as a file, and says if a text is not JSON", async () => {
  const { user } = await renderScreen("/on-call/import", { as: admin });
  await user.upload(await screen.findByLabelText("Choose a file…"), new File(["BEGIN:VCALENDAR"], "a.ics"));
  await screen.findByText("This text is not valid JSON.");
  await user.selectOptions(screen.getByRole("combobox", { name: "From" }), "Calendar (iCal)");
  await user.upload(screen.getByLabelText("Choose a file…"), new File(["BEGIN:VCALENDAR"], "a.ics"));
  await screen.findByRole("heading", { name: "What will change" });
  expect(sent).toEqual([{ dryRun: "true", body: { source: "ical", data: "BEGIN:VCALENDAR" } }]);
});

it("is not offered to viewers", async () => {
  await renderScreen("/on-call", { as: viewer });
  await screen.findByText("No on-call schedules yet");
  expect(screen.queryByRole("link", { name: "Import schedules" })).toBeNull();
});
