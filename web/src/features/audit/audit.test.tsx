import type { AuditEntry } from "@sonde/proto/http/audit";
import { secretMask } from "@sonde/proto/http/secrets";
import { screen, waitFor, within } from "@testing-library/react";
import { http, HttpResponse } from "msw";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { admin, monitor, viewer } from "../../testing/fixtures.ts";
import { renderApp, renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on, server } from "../../testing/server.ts";

const entryId = (last: number) => `3237d139-317a-4c0b-9f96-${String(last).padStart(12, "0")}`;
const update: AuditEntry = {
  id: entryId(1),
  at: "2026-11-26T09:15:59.210Z",
  actor: { id: 1, username: "ada", key: { id: 12, name: "CI" } },
  address: "203.0.113.24",
  action: "update",
  target: { type: "monitor", id: "7", name: "Shop API" },
  changes: [
    { path: "url", from: "https://shop.example/health", to: "https://shop.example/ready" },
    { path: "verifyTls", from: true, to: false },
    { path: "tags", from: ["shop", "old"], to: ["shop", "new"] },
    { path: "headers.0.value", from: secretMask, to: secretMask },
    { path: "quietHours.start", to: "22:00" },
    { path: "another", from: "", to: 5 },
  ],
  isCut: true,
  requestId: "request-1",
};
const login: AuditEntry = {
  ...update,
  id: entryId(2),
  actor: { id: 1, username: "ada" },
  action: "login",
  target: { type: "user", id: "1", name: "ada" },
  changes: [],
  isCut: false,
};
const removal: AuditEntry = {
  ...login,
  id: entryId(3),
  action: "delete",
  target: { type: "channel", id: "3", name: "On call" },
  changes: [
    { path: "name", from: "On call" },
    { path: "config.webhookUrl", from: secretMask },
  ],
};

function serve(entries: AuditEntry[] = [update, login, removal], total = entries.length) {
  const asked: Record<string, string>[] = [];
  on("get", "/audit", ({ request }) => {
    asked.push(Object.fromEntries(new URL(request.url).searchParams));
    return ok({ entries, total } as never);
  });
  return asked;
}
beforeEach(() => {
  on("get", "/users", () => ok({ users: [admin, { ...viewer, username: "vera" }], total: 2 } as never));
  const key = { id: 12, name: "CI", owner: { id: 1, username: "ada" } };
  on("get", "/keys", () => ok({ keys: [key] } as never));
});
const open = (query = "", start: Parameters<typeof renderScreen>[1] = {}) =>
  renderScreen(`/audit${query}`, { as: admin, ...start });
const rowOf = async (text: string | RegExp) => (await screen.findByText(text)).closest("tr") as HTMLElement;

describe("the audit log", () => {
  it("lists who did what, with which key and from where, and links to existing objects", async () => {
    serve();
    await open();
    const row = await rowOf("Updated monitor");
    expect(row.textContent).toContain("ada · API key CI");
    expect(row.textContent).toContain("203.0.113.24");
    expect(row.textContent).toContain("6 fields");
    expect(within(row).getByRole("link", { name: "Shop API" }).getAttribute("href")).toBe("/monitors/7");
    const loginRow = await rowOf("Logged in");
    expect(within(loginRow).queryByRole("button", { name: /^Show what changed/ })).toBeNull();
    const removalRow = await rowOf("Deleted channel");
    expect(removalRow.textContent).toContain("On call");
    expect(within(removalRow).queryByRole("link")).toBeNull();
  });

  it("shows names of settings in the user's language, with links", async () => {
    const settings = (id: string, last: number): AuditEntry => ({
      ...update,
      id: entryId(last),
      target: { type: "settings", id, name: "Monitor 7" },
    });
    serve([settings("global-agent", 4), settings("monitor-7", 5), settings("monitor-3", 6)]);
    const named: (string | null)[] = [];
    on("get", "/monitors", ({ request }) => {
      named.push(new URL(request.url).searchParams.get("ids"));
      return ok({ monitors: [{ id: 3, name: "Shop API" }], total: 1 } as never);
    });
    await open("", { language: "zh-CN" });
    await screen.findByRole("link", { name: "Shop API" });
    expect(named).toEqual(["3,7"]);
    const links = await screen.findAllByRole("link", { name: /^(全部 Agent|监控项 7|Shop API)$/ });
    expect(links.map((link) => `${link.textContent} ${link.getAttribute("href")}`)).toEqual([
      "全部 Agent /notifications/settings",
      "监控项 7 /notifications/settings/monitor/7",
      "Shop API /notifications/settings/monitor/3",
    ]);
  });

  it("shows the same in Chinese", async () => {
    serve();
    await open("", { language: "zh-CN" });
    expect((await rowOf("更新了监控项")).textContent).toContain("ada · API 密钥 CI");
  });

  it("expands fields with old and new values, and keeps that in the URL", async () => {
    serve();
    const { user } = await open();
    await user.click(await screen.findByRole("button", { name: "Show what changed: Updated monitor Shop API" }));
    const diff = await screen.findByLabelText("What changed", { selector: "dl" });
    const lines = [...diff.children].map(({ children }) => [...children].map(({ textContent }) => textContent));
    expect(lines).toEqual([
      ["URL", "Beforehttps://shop.example/health", "Afterhttps://shop.example/ready"],
      ["Verify TLS certificates", "BeforeYes", "AfterNo"],
      ["Tags", "Beforeshopold", "Aftershopnew"],
      ["Headers · #1 · value", "Secret changed"],
      ["Quiet hours · start", "Beforenot set", "After22:00"],
      ["another", "Beforeempty", "After5"],
    ]);
    expect([...diff.querySelectorAll("mark")].map(({ textContent }) => textContent)).toEqual(["old", "new"]);
    expect(screen.getByText("Some changes were too long to store in full.")).toBeTruthy();
    expect(screen.getByText("request-1")).toBeTruthy();
    expect(location.search).toBe(`?open=${update.id}`);
  });

  it("shows one value per field of a deleted object, and hides secrets", async () => {
    serve();
    await open(`?open=${removal.id}`);
    const diff = await screen.findByLabelText("What changed", { selector: "dl" });
    expect([...diff.children].map(({ textContent }) => textContent)).toEqual([
      "NameOn call",
      "Configuration · webhookUrlsecret",
    ]);
  });

  it("cuts long texts and lists until they are expanded", async () => {
    const note = "a long note ".repeat(60);
    const tags = Array.from({ length: 20 }, (_, index) => `tag-${index}`);
    const changes = [
      { path: "note", to: note },
      { path: "tags", from: tags, to: [...tags, "another"] },
    ];
    serve([{ ...update, changes }]);
    const { user } = await open(`?open=${update.id}`);
    const diff = await screen.findByLabelText("What changed", { selector: "dl" });
    expect(diff.textContent).not.toContain(note.trim());
    expect(diff.textContent).not.toContain("tag-3");
    expect(within(diff).getByText("another")).toBeTruthy();
    await user.click(within(diff).getByRole("button", { name: "Show all" }));
    expect(diff.textContent).toContain(note.trim());
    for (const more of within(diff).getAllByRole("button", { name: "Show 20 more" })) await user.click(more);
    expect(within(diff).getAllByText("tag-3")).toHaveLength(2);
  });

  it("filters by actor, action, kind and local days, and keeps the filters in the URL", async () => {
    const asked = serve();
    const { user } = await open();
    await screen.findByRole("option", { name: "API key CI" });
    await user.selectOptions(screen.getByLabelText("User or key"), "API key CI");
    await user.selectOptions(screen.getByLabelText("Action"), "Update");
    await user.selectOptions(screen.getByLabelText("Target type"), "Monitors");
    await user.type(screen.getByLabelText("From"), "2026-11-01");
    await user.type(screen.getByLabelText("Until"), "2026-11-26");
    const since = new Date(2026, 10, 1).toISOString();
    const until = new Date(2026, 10, 27).toISOString();
    const filters = { actor: "key:12", action: "update", target: "monitor", since, until };
    await waitFor(() => expect(asked.at(-1)).toEqual({ page: "1", pageSize: "50", ...filters }));
    expect(location.search).toBe("?actor=key%3A12&action=update&target=monitor&from=2026-11-01&until=2026-11-26");
    await user.click(screen.getByRole("button", { name: "Clear filters" }));
    await waitFor(() => expect(asked.at(-1)).toEqual({ page: "1", pageSize: "50" }));
  });

  it("filters by a clicked user, and by a linked target, also of deleted users", async () => {
    const asked = serve();
    const { user } = await open("?actor=gone&target=monitor:7");
    expect(await screen.findByRole("option", { name: "gone", selected: true } as never)).toBeTruthy();
    expect(screen.getByRole("option", { name: "monitor 7" })).toBeTruthy();
    await user.click(within(await rowOf("Updated monitor")).getAllByTitle("Only ada · API key CI")[0]!);
    await waitFor(() => expect(asked.at(-1)).toMatchObject({ actor: "key:12", target: "monitor:7" }));
  });

  it("sends only valid filters to the server", async () => {
    const asked = serve();
    await open("?search=x&action=fly&target=ship:1&from=2026-99-99&until=soon&open=x");
    await screen.findByText("Updated monitor");
    expect(asked[0]).toEqual({ page: "1", pageSize: "50" });
  });

  it("shows pages, and whether nothing matches or nothing is recorded", async () => {
    const asked = serve([update], 120);
    const { user } = await open();
    await user.click(await screen.findByRole("button", { name: "Next" }));
    await waitFor(() => expect(asked.at(-1)).toMatchObject({ page: "2" }));
    serve([]);
    await user.selectOptions(screen.getByLabelText("Action"), "Test");
    expect(await screen.findByText("Try other filters.")).toBeTruthy();
    await user.click(screen.getAllByRole("button", { name: "Clear filters" })[0]!);
    expect(await screen.findByText("Nothing recorded yet")).toBeTruthy();
  });

  it("shows why it could not be loaded, with a retry that works", async () => {
    on("get", "/audit", () => fail(503, "unavailable", "The auth service is currently unavailable"));
    const { user } = await open();
    expect(await screen.findByText("The auth service is currently unavailable")).toBeTruthy();
    serve();
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByText("Updated monitor")).toBeTruthy();
  });

  it("downloads all matches as exported by the server, or reports why not", async () => {
    serve();
    const asked: string[] = [];
    const files: Blob[] = [];
    const saved: string[] = [];
    Object.assign(URL, {
      createObjectURL: (file: Blob) => `blob:${files.push(file)}`,
      revokeObjectURL: () => undefined,
    });
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
      saved.push(`${this.download} ${this.href}`);
    });
    server.use(
      http.get("*/api/audit/export", ({ request }) => {
        asked.push(`${new URL(request.url).search} ${request.headers.get("authorization")}`);
        return new HttpResponse('{"id":"1"}\n{"id":"2"}\n', { headers: { "content-type": "application/x-ndjson" } });
      }),
    );
    const { user } = await open("?action=update");
    await user.click(await screen.findByRole("button", { name: "Export" }));
    await waitFor(() => expect(saved).toEqual([expect.stringMatching(/^sonde-audit-\d{4}-\d\d-\d\d\.ndjson blob:1$/)]));
    expect(asked).toEqual(["?action=update Bearer a-token"]);
    expect(files[0]?.size).toBe(22);

    on("get", "/audit/export", () => fail(429, "too_many", "Too many exports at once"));
    await user.click(await screen.findByRole("button", { name: "Export" }));
    expect(await screen.findByText("Too many exports at once")).toBeTruthy();
    expect(saved).toHaveLength(1);
  });

  it("is only for administrators; other users see why, and nothing is requested", async () => {
    const asked = serve();
    on("get", "/auth/me", () => ok({ user: viewer } as never));
    await open("", { as: viewer });
    expect(await screen.findByText(/^Only administrators can read the audit log/)).toBeTruthy();
    expect(asked).toEqual([]);
  });

  it("is in the settings of administrators", async () => {
    serve();
    const { user, path } = await renderApp("/dashboard", { as: admin });
    await user.click(await screen.findByRole("button", { name: /ada/ }));
    await user.click(await screen.findByRole("menuitem", { name: "Settings" }));
    await user.click(await screen.findByRole("link", { name: "Audit log" }));
    expect(await screen.findByText("Updated monitor")).toBeTruthy();
    expect(path()).toBe("/audit");
  });
});

describe("changes on an object's page", () => {
  it("are a section of the user page that is loaded when opened", async () => {
    const asked = serve([update], 45);
    on("get", "/users/2", () => ok({ user: viewer } as never));
    const { user } = await renderScreen("/users/2", { as: admin });
    await screen.findByText("Reset password", { selector: "h2" });
    expect(asked).toEqual([]);
    await user.click(screen.getByText("Changes"));
    expect(await screen.findByText("Updated monitor")).toBeTruthy();
    expect(asked).toEqual([{ target: "user:2", page: "1", pageSize: "20" }]);
    await user.click(screen.getByRole("button", { name: "Next" }));
    await waitFor(() => expect(asked.at(-1)).toEqual({ target: "user:2", page: "2", pageSize: "20" }));
  });

  it("are a tab of the status page settings", async () => {
    const asked = serve([]);
    await renderScreen("/status/config?tab=changes", { as: admin });
    expect(await screen.findByText("No changes recorded yet")).toBeTruthy();
    expect(asked).toEqual([{ target: "page", page: "1", pageSize: "20" }]);
  });

  it("are a tab of the monitor page for administrators", async () => {
    const asked = serve();
    on("get", "/monitors/7", () => ok({ monitor } as never));
    on("get", "/monitors/7/history", () => fail(503, "unavailable"));
    on("get", "/monitors/7/checks", () => ok({ checks: [] }));
    const { user, unmount } = await renderScreen("/monitors/7", { as: admin });
    await user.click(await screen.findByRole("tab", { name: "Changes" }));
    await user.click(await screen.findByRole("button", { name: "Show what changed: Updated monitor Shop API" }));
    expect(await screen.findByText("Secret changed")).toBeTruthy();
    expect(asked).toEqual([{ target: "monitor:7", page: "1", pageSize: "20" }]);
    unmount();
    await renderScreen("/monitors/7?tab=changes", { as: viewer });
    expect((await screen.findByRole("tab", { name: "Latest checks" })).getAttribute("aria-selected")).toBe("true");
    expect(screen.queryByRole("tab", { name: "Changes" })).toBeNull();
  });
});
