import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { describe, expect, it } from "vitest";
import { admin } from "../../testing/fixtures.ts";
import { renderApp, renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";

const linked = {
  incident: {
    id: "m3",
    targetName: "Shop API",
    openedAt: "2026-01-02T09:00:00Z",
    cause: "Expected status 200, got 503",
    runbook: "Call **ops**",
    isOpen: true,
    acknowledged: false,
    evidence: {
      at: "2026-01-02T08:59:58Z",
      location: "frankfurt",
      status: { code: 503, line: "HTTP/1.1 503 Service Unavailable" },
      expected: "status 200",
    },
  },
  by: "On-call",
};

/** Serves the link's incident, and records requests to change it. */
type Shown = (typeof linked)["incident"] & {
  acknowledgedBy: string;
  acknowledgers: string[];
  needs: number;
  snoozedUntil: string;
};
function serve(change: Partial<Shown> = {}) {
  const read: (string | null)[] = [];
  const sent: unknown[] = [];
  on("get", "/incidents/acknowledge-link", ({ request }) => {
    read.push(new URL(request.url).searchParams.get("token"));
    return ok({ ...linked, incident: { ...linked.incident, ...change } });
  });
  const shown = { ...linked.incident, ...change, evidence: undefined };
  on("post", "/incidents/acknowledge-link", async ({ request }) => {
    sent.push(await request.json());
    return ok({ ...linked, incident: { ...shown, acknowledged: true } });
  });
  on("post", "/incidents/acknowledge-link/snooze", async ({ request }) => {
    sent.push({ snooze: await request.json() });
    return ok({ ...linked, incident: { ...shown, snoozedUntil: "2099-05-04T04:00:00Z" } });
  });
  on("post", "/incidents/acknowledge-link/undo", async ({ request }) => {
    sent.push({ undo: await request.json() });
    return ok({ ...linked, incident: shown });
  });
  return { read, sent };
}

describe("the link in a message", () => {
  it("describes the incident without a session, and changes nothing before the confirmation", async () => {
    const { read, sent } = serve();
    const { user } = await renderScreen("/acknowledge?token=a-token");
    expect(await screen.findByText("Shop API")).toBeTruthy();
    expect(screen.getByText("Expected status 200, got 503")).toBeTruthy();
    expect(screen.getByText("Ongoing")).toBeTruthy();
    expect((await screen.findByText("ops")).tagName).toBe("STRONG");
    expect(screen.getByText(/Shown next to the channel name, “On-call”/)).toBeTruthy();
    expect(read).toEqual(["a-token"]);
    expect(sent).toEqual([]);
    expect(screen.getByRole("heading", { name: "Evidence" })).toBeTruthy();
    expect(screen.getByText("HTTP/1.1 503 Service Unavailable")).toBeTruthy();
    expect(screen.getByText("status 200")).toBeTruthy();
    await user.type(screen.getByLabelText("Note"), "Looking");
    await user.click(screen.getByRole("button", { name: "I've got it" }));
    expect(
      (await screen.findByText("Acknowledged. No more reminders will be sent.")).closest("[role=status]"),
    ).toBeTruthy();
    expect(sent).toEqual([{ token: "a-token", note: "Looking" }]);
    expect(screen.getByRole("link", { name: "Log in to view incident" }).getAttribute("href")).toBe("/incidents/m3");
  });

  it("of a combined message lists the other incidents, and acknowledges and undoes all of them", async () => {
    const sent: unknown[] = [];
    const { evidence: _evidence, runbook: _runbook, ...first } = linked.incident;
    const other = (id: string, targetName: string, rest = {}) => ({ ...first, id, targetName, ...rest });
    const answer = (acknowledged: boolean) => ({
      ...linked,
      incident: { ...first, acknowledged },
      others: [other("m4", "Mailer", { acknowledged }), other("m5", "Search", { isOpen: false })],
    });
    on("get", "/incidents/acknowledge-link", () => ok(answer(false)));
    for (const [path, acknowledged] of [
      ["/incidents/acknowledge-link", true],
      ["/incidents/acknowledge-link/undo", false],
    ] as const) {
      on("post", path, async ({ request }) => {
        sent.push(await request.json());
        return ok(answer(acknowledged));
      });
    }
    const { user } = await renderScreen("/acknowledge?token=a-token");
    const list = within(await screen.findByRole("list", { name: "Other incidents of this message" }));
    const rows = () => list.getAllByRole("listitem").map(({ textContent }) => textContent);
    expect(rows()).toEqual([expect.stringMatching(/^Mailer.*Ongoing$/), expect.stringMatching(/^Search.*Resolved$/)]);
    await user.click(screen.getByRole("button", { name: "I've got all 3" }));
    await waitFor(() => expect(rows()[0]).toMatch(/^Mailer.*Acknowledged$/));
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(rows()[0]).toMatch(/^Mailer.*Ongoing$/));
    expect(sent).toEqual([{ token: "a-token" }, { token: "a-token", action: "acknowledge" }]);
    expect(screen.getByRole("link", { name: "View incidents" }).getAttribute("href")).toBe("/incidents");
  });

  it("undoes an acknowledgement in the same name, and keeps the evidence", async () => {
    const { sent } = serve();
    const { user } = await renderScreen("/acknowledge?token=a-token");
    await user.type(await screen.findByLabelText("Your name (optional)"), "Grace");
    await user.click(screen.getByRole("button", { name: "I've got it" }));
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    expect(await screen.findByText("Undone")).toBeTruthy();
    expect(sent.at(-1)).toEqual({ undo: { token: "a-token", by: "Grace", action: "acknowledge" } });
    expect(await screen.findByRole("button", { name: "I've got it" })).toBeTruthy();
    expect(screen.getByText("HTTP/1.1 503 Service Unavailable")).toBeTruthy();
  });

  it("offers a second person to acknowledge too, and says who did and how many are missing", async () => {
    const two = { acknowledged: true, acknowledgedBy: "Ada (On-call)", acknowledgers: ["Ada (On-call)"], needs: 3 };
    const { sent } = serve(two);
    const acknowledgers = ["Ada (On-call)", "Grace (On-call)"];
    on("post", "/incidents/acknowledge-link", async ({ request }) => {
      sent.push(await request.json());
      return ok({ ...linked, incident: { ...linked.incident, ...two, acknowledgers } });
    });
    const { user } = await renderScreen("/acknowledge?token=a-token");
    expect(await screen.findByText("Acknowledged by Ada (On-call). 2 more people are needed.")).toBeTruthy();
    const name = screen.getByLabelText("Your name (optional)");
    await user.type(name, "Ada");
    expect(screen.queryByRole("button", { name: "Acknowledge too" })).toBeNull();
    expect(screen.getByText(/If you are somebody else/)).toBeTruthy();
    await user.clear(name);
    await user.type(name, "Grace");
    await user.click(screen.getByRole("button", { name: "Acknowledge too" }));
    expect(
      await screen.findByText("Acknowledged by Ada (On-call), Grace (On-call). One more person is needed."),
    ).toBeTruthy();
    expect(sent).toEqual([{ token: "a-token", by: "Grace" }]);
    expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Acknowledge too" })).toBeNull();
  });

  it("undoes a snooze", async () => {
    const { sent } = serve();
    const { user } = await renderScreen("/acknowledge?token=a-token");
    await user.click(await screen.findByRole("button", { name: "Snooze 1 h" }));
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    expect(await screen.findByRole("button", { name: "Snooze 1 h" })).toBeTruthy();
    expect(sent.at(-1)).toEqual({ undo: { token: "a-token", action: "snooze" } });
  });

  it("shows why an undo was refused", async () => {
    serve();
    on("post", "/incidents/acknowledge-link/undo", () => fail(422, "impossible", "This can no longer be undone"));
    const { user } = await renderScreen("/acknowledge?token=a-token");
    await user.click(await screen.findByRole("button", { name: "I've got it" }));
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    expect((await screen.findByRole("alert")).textContent).toBe("This can no longer be undone");
  });

  it("asks for a name and remembers it in this browser", async () => {
    const { sent } = serve();
    const first = await renderScreen("/acknowledge?token=a-token");
    await first.user.type(await screen.findByLabelText("Your name (optional)"), "Grace");
    await first.user.click(screen.getByRole("button", { name: "I've got it" }));
    await screen.findByText("Acknowledged. No more reminders will be sent.");
    expect(sent).toEqual([{ token: "a-token", by: "Grace" }]);
    first.unmount();
    await renderScreen("/acknowledge?token=a-token");
    expect((await screen.findByLabelText<HTMLInputElement>("Your name (optional)")).value).toBe("Grace");
  });

  it("uses the name of a logged-in user and stores nothing", async () => {
    const { sent } = serve();
    const { user } = await renderScreen("/acknowledge?token=a-token", { as: admin });
    await user.click(await screen.findByRole("button", { name: "I've got it" }));
    await waitFor(() => expect(sent).toEqual([{ token: "a-token", by: "ada" }]));
    expect(localStorage.getItem("acknowledgeAs")).toBeNull();
  });

  it("can snooze for an hour and then still acknowledge", async () => {
    const { sent } = serve();
    const { user } = await renderScreen("/acknowledge?token=a-token");
    await user.click(await screen.findByRole("button", { name: "Snooze 1 h" }));
    expect(await screen.findByText("Snoozed for 1 hour.")).toBeTruthy();
    expect(sent).toEqual([{ snooze: { token: "a-token" } }]);
    await waitFor(() => expect(screen.queryByRole("button", { name: "Snooze 1 h" })).toBeNull());
    expect(screen.getByRole("button", { name: "I've got it" })).toBeTruthy();
  });

  it("shows until when the incident is already snoozed", async () => {
    serve({ snoozedUntil: "2099-05-04T04:00:00Z" });
    await renderScreen("/acknowledge?token=a-token");
    expect(await screen.findByText(/^Snoozed until/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Snooze 1 h" })).toBeNull();
  });

  it("leads to the incident after login", async () => {
    serve();
    on("post", "/auth/login", () => ok({ token: "t1", user: admin as never }));
    const { user, path } = await renderScreen("/acknowledge?token=a-token");
    await user.click(await screen.findByRole("link", { name: "Log in to view incident" }));
    await user.type(await screen.findByLabelText("Username"), "ada");
    await user.type(screen.getByLabelText("Password"), "a password");
    await user.click(screen.getAllByRole("button", { name: "Log in" }).at(-1) as HTMLElement);
    await waitFor(() => expect(path()).toBe("/incidents/m3"));
  });

  it("is shown without the app's navigation, also to logged-in users", async () => {
    serve();
    await renderApp("/acknowledge?token=a-token", { as: admin });
    await screen.findByText("Shop API");
    expect(screen.queryByRole("navigation")).toBeNull();
  });

  it("is available in Chinese and switches the language", async () => {
    serve();
    const { user } = await renderScreen("/acknowledge?token=a-token", { language: "zh-CN" });
    expect(await screen.findByRole("button", { name: "我来处理" })).toBeTruthy();
    await user.click(screen.getByRole("button", { name: /中文/ }));
    await user.click(await screen.findByRole("menuitemradio", { name: "English" }));
    expect(await screen.findByRole("button", { name: "I've got it" })).toBeTruthy();
  });

  it.each([
    ["the incident is closed", { isOpen: false }, /^This incident has ended/],
    ["it is already acknowledged", { acknowledged: true }, /^Already acknowledged/],
  ])("offers no acknowledgement if %s", async (_what, change, words) => {
    serve(change);
    await renderScreen("/acknowledge?token=a-token");
    expect(await screen.findByText(words)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "I've got it" })).toBeNull();
  });

  it.each([
    ["the server's message", () => fail(404, "not_found", "This link has expired"), "This link has expired"],
    ["its own text", () => new HttpResponse(null, { status: 400 }), "This link is invalid or has expired"],
  ])("shows %s for an invalid or expired link", async (_what, answer, words) => {
    on("get", "/incidents/acknowledge-link", answer);
    await renderScreen("/acknowledge?token=old");
    expect((await screen.findByRole("alert")).textContent).toBe(words);
    expect(screen.getByText(/expire after seven days/)).toBeTruthy();
  });

  it("reports a missing token without a request", async () => {
    const { read } = serve();
    await renderScreen("/acknowledge");
    expect((await screen.findByRole("alert")).textContent).toBe("This link is incomplete.");
    expect(read).toEqual([]);
  });

  it("can retry while the server is unavailable", async () => {
    on("get", "/incidents/acknowledge-link", () => fail(503, "unavailable", "Not now"));
    const { user } = await renderScreen("/acknowledge?token=a-token");
    expect(await screen.findByText("Not now")).toBeTruthy();
    serve();
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByText("Shop API")).toBeTruthy();
  });

  it("shows why the acknowledgement failed, and can retry", async () => {
    const { sent } = serve();
    on("post", "/incidents/acknowledge-link", () => new HttpResponse(null, { status: 500 }));
    const { user } = await renderScreen("/acknowledge?token=a-token");
    await user.type(await screen.findByLabelText("Note"), "Looking");
    await user.click(screen.getByRole("button", { name: "I've got it" }));
    expect(await screen.findByText("Failed to acknowledge the incident")).toBeTruthy();
    expect((screen.getByLabelText("Note") as HTMLTextAreaElement).value).toBe("Looking");
    await waitFor(() => expect(sent).toEqual([]));
  });
});
