import type { User } from "@sonde/proto/http/users";
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { describe, expect, it } from "vitest";
import { admin, config, viewer } from "../../testing/fixtures.ts";
import { renderApp, renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";

const { email: _email, ...withoutEmail } = admin;
const bob: User = { ...withoutEmail, id: 3, username: "bob", role: "user", status: "pending" };
const grace: User = { ...admin, id: 4, username: "grace", email: "grace@example.com", role: "user" };
const lazy: User = { ...withoutEmail, id: 5, username: "lazy", role: "viewer", status: "disabled" };

/** Returns the queries of the list, without those of size 1, which only count pending users. */
function serve(users: User[] = [admin, bob, grace, lazy], total = users.length) {
  const asked: Record<string, string>[] = [];
  on("get", "/users", ({ request }) => {
    const query = Object.fromEntries(new URL(request.url).searchParams);
    if (query["pageSize"] === "1") {
      return ok({ users: [], total: users.filter(({ status }) => status === "pending").length });
    }
    asked.push(query);
    const { status } = query;
    const shown = status === undefined ? users : users.filter((user) => user.status === status);
    return ok({ users: shown, total: status === undefined ? total : shown.length });
  });
  return asked;
}
const open = async (path = "/users", render = renderScreen) => {
  const app = await render(path, { as: admin });
  await screen.findByRole("heading", { name: "User Management" });
  return app;
};
const rowOf = async (name: string) => (await screen.findByRole("link", { name })).closest("tr") as HTMLTableRowElement;

/** Serves updates of a user and returns the request bodies. */
function takeChanges(user: User) {
  const sent: unknown[] = [];
  on("put", `/users/${user.id}`, async ({ request }) => {
    const body = (await request.json()) as Partial<User>;
    sent.push(body);
    return ok({ user: { ...user, ...body } }, "User updated");
  });
  return sent;
}

describe("the user list", () => {
  it("shows ID, username, email or a dash, role and status", async () => {
    serve();
    await open();
    const cells = [...(await rowOf("grace")).cells].map(({ textContent }) => textContent);
    expect(cells[0]).toBe("4");
    expect(cells[2]).toBe("grace@example.com");
    expect(cells.slice(3, 5)).toEqual(["User", "Active"]);
    expect((await rowOf("bob")).cells[2]?.textContent).toBe("–");
    expect(
      within(await rowOf("grace"))
        .getByRole("link", { name: "Edit: grace" })
        .getAttribute("href"),
    ).toBe("/users/4");
    expect(screen.getByRole("link", { name: "Add user" }).getAttribute("href")).toBe("/users/create");
  });

  it("shows the loading text, then a row that reports no users", async () => {
    let answer = () => undefined as void;
    on("get", "/users", async () => {
      await new Promise<void>((resolve) => void (answer = resolve));
      return ok({ users: [], total: 0 });
    });
    await open();
    expect(within(await screen.findByRole("table")).getByText("Loading…")).toBeTruthy();
    answer();
    expect((await within(screen.getByRole("table")).findByText("No users")).closest("tr")).toBeTruthy();
    expect(screen.queryByText("Loading…")).toBeNull();
  });

  it("sends search, status, sort order and page to the server and keeps them in the URL", async () => {
    const asked = serve([admin, grace], 120);
    const { user } = await open("/users?page=2");
    await screen.findByText("51–100 of 120");
    expect(asked[0]).toEqual({ page: "2", pageSize: "50", sort: "username" });
    await user.type(screen.getByRole("searchbox"), "gra{Enter}");
    await waitFor(() => expect(asked.at(-1)).toMatchObject({ search: "gra", page: "1" }));
    await user.click(within(screen.getByRole("columnheader", { name: "Role" })).getByRole("button"));
    await waitFor(() => expect(asked.at(-1)?.["sort"]).toBe("role"));
    await user.click(within(screen.getByRole("columnheader", { name: "Role" })).getByRole("button"));
    await waitFor(() => expect(asked.at(-1)?.["sort"]).toBe("-role"));
    await user.selectOptions(screen.getByRole("combobox", { name: "Status" }), "disabled");
    await screen.findByText("No matching users");
    expect(asked.at(-1)).toEqual({ page: "1", pageSize: "50", search: "gra", sort: "-role", status: "disabled" });
    expect(new URLSearchParams(location.search).toString()).toBe("search=gra&status=disabled&sort=-role");
    await user.click(screen.getByRole("button", { name: "Clear filters" }));
    await rowOf("grace");
    expect(location.search).toBe("?sort=-role");
  });

  it("goes back from an empty page to the last one", async () => {
    const asked = serve([admin], 40);
    await open("/users?page=3");
    await waitFor(() => expect(asked.at(-1)?.["page"]).toBe("1"));
    expect(location.search).toBe("");
  });

  it.each([
    [
      "the server's message",
      () => fail(503, "unavailable", "The auth service is currently unavailable"),
      /^The auth service is currently/,
    ],
    ["the fallback", () => new HttpResponse(null, { status: 500 }), /^Failed to fetch user list$/],
  ])("shows %s with a retry that works", async (_what, answer, words) => {
    on("get", "/users", answer);
    const { user } = await open();
    expect((await screen.findByText(words)).closest("[role=alert]")).toBeTruthy();
    serve();
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await rowOf("grace")).toBeTruthy();
  });

  it("keeps the rows if a refetch fails", async () => {
    serve();
    const { user } = await open();
    await rowOf("grace");
    on("get", "/users", () => new HttpResponse(null, { status: 500 }));
    await user.click(within(screen.getByRole("columnheader", { name: "Status" })).getByRole("button"));
    expect((await screen.findByRole("alert")).textContent).toContain("Failed to fetch user list");
    expect(await rowOf("grace")).toBeTruthy();
  });
});

describe("deleting", () => {
  it("names the user, warns that this cannot be undone, and removes the row without a refetch", async () => {
    const asked = serve();
    on("delete", "/users/4", () => ok({}, "User deleted"));
    const { user } = await open("/users", renderApp);
    await user.click(within(await rowOf("grace")).getByRole("button", { name: "Delete: grace" }));
    const dialog = await screen.findByRole("dialog");
    expect(dialog.textContent).toContain("grace");
    expect(dialog.textContent).toContain("This action cannot be undone");
    const before = asked.length;
    await user.click(within(dialog).getByRole("button", { name: "Delete" }));
    await waitFor(() => expect(screen.queryByRole("link", { name: "grace" })).toBeNull());
    expect((await screen.findByText("User deleted")).closest("[role=status]")).toBeTruthy();
    expect(asked).toHaveLength(before);
    expect(await rowOf("bob")).toBeTruthy();
    await waitFor(() => expect(document.activeElement?.id).toBe("content"));
  });

  it.each([
    ["the fallback", () => new HttpResponse(null, { status: 500 }), "Failed to delete user"],
    [
      "that the last administrator must remain",
      () => fail(409, "conflict", "At least one active administrator must remain"),
      "At least one active administrator must remain",
    ],
  ])("shows %s in the dialog and keeps the row", async (_what, answer, words) => {
    serve();
    on("delete", "/users/4", answer);
    const { user } = await open();
    await user.click(within(await rowOf("grace")).getByRole("button", { name: "Delete: grace" }));
    const dialog = await screen.findByRole("dialog");
    await user.click(within(dialog).getByRole("button", { name: "Delete" }));
    expect((await within(dialog).findByRole("alert")).textContent).toBe(words);
    await user.click(within(dialog).getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(await rowOf("grace")).toBeTruthy();
  });

  it("is not offered for one's own account, nor is disabling", async () => {
    serve();
    await open();
    const own = within(await rowOf("ada"));
    expect(own.getByText("You")).toBeTruthy();
    for (const name of ["Delete: ada", "Disable: ada"]) {
      expect(own.getByRole<HTMLButtonElement>("button", { name }).disabled).toBe(true);
    }
  });
});

describe("approval", () => {
  it("shows the number of pending users in list and navigation, and filters by them", async () => {
    on("get", "/config", () => ok({ ...config, registration: "approval" }));
    serve();
    const { user } = await open("/users", renderApp);
    await user.click(screen.getByRole("button", { name: "ada" }));
    const item = await screen.findByRole("menuitem", { name: /User Management/ });
    await waitFor(() => expect(item.textContent).toContain("1 account awaiting approval"));
    await user.keyboard("{Escape}");
    await user.click(screen.getByRole("button", { name: "1 to approve" }));
    await waitFor(() => expect(screen.queryByRole("link", { name: "grace" })).toBeNull());
    expect(await rowOf("bob")).toBeTruthy();
    expect(location.search).toBe("?status=pending");
  });

  it("activates the account and keeps its name and its empty address", async () => {
    serve();
    const sent = takeChanges(bob);
    const { user } = await open();
    await user.click(within(await rowOf("bob")).getAllByRole("button", { name: "Approve: bob" })[0] as HTMLElement);
    expect(await screen.findByText("bob is approved and can log in now.")).toBeTruthy();
    expect(sent).toEqual([{ username: "bob", status: "active" }]);
    const row = within(await rowOf("bob"));
    expect(row.getAllByText("Active").length).toBeGreaterThan(0);
    expect(row.queryByRole("button", { name: "Approve: bob" })).toBeNull();
  });

  it("removes an approved account from the list of pending ones", async () => {
    serve();
    takeChanges(bob);
    const { user } = await open("/users?status=pending");
    await user.click(within(await rowOf("bob")).getAllByRole("button", { name: "Approve: bob" })[0] as HTMLElement);
    expect(await screen.findByText("No matching users")).toBeTruthy();
  });

  it.each([
    ["the server's message", () => fail(404, "not_found", "User does not exist"), "User does not exist"],
    ["the fallback", () => new HttpResponse(null, { status: 500 }), "Failed to update user"],
  ])("shows %s if it fails", async (_what, answer, words) => {
    serve();
    on("put", "/users/3", answer);
    const { user } = await open();
    await user.click(within(await rowOf("bob")).getAllByRole("button", { name: "Approve: bob" })[0] as HTMLElement);
    expect((await screen.findByRole("alert")).textContent).toBe(words);
    expect(within(await rowOf("bob")).getAllByText("Awaiting approval").length).toBeGreaterThan(0);
  });
});

describe("disabling and enabling", () => {
  it("asks before logging the user out, and keeps the address", async () => {
    serve();
    const sent = takeChanges(grace);
    const { user } = await open();
    await user.click(within(await rowOf("grace")).getByRole("button", { name: "Disable: grace" }));
    const dialog = await screen.findByRole("dialog");
    expect(dialog.textContent).toContain("“grace” will be logged out everywhere immediately");
    await user.click(within(dialog).getByRole("button", { name: "Disable" }));
    expect(await screen.findByText("grace is disabled.")).toBeTruthy();
    expect(sent).toEqual([{ username: "grace", email: "grace@example.com", status: "disabled" }]);
    expect(within(await rowOf("grace")).getAllByText("Disabled").length).toBeGreaterThan(0);
  });

  it("shows in the dialog that the last administrator must remain", async () => {
    serve();
    on("put", "/users/4", () => fail(409, "conflict", "At least one active administrator must remain"));
    const { user } = await open();
    await user.click(within(await rowOf("grace")).getByRole("button", { name: "Disable: grace" }));
    const dialog = await screen.findByRole("dialog");
    await user.click(within(dialog).getByRole("button", { name: "Disable" }));
    expect((await within(dialog).findByRole("alert")).textContent).toBe(
      "At least one active administrator must remain",
    );
  });

  it("enables at once", async () => {
    serve();
    const sent = takeChanges(lazy);
    const { user } = await open();
    await user.click(within(await rowOf("lazy")).getAllByRole("button", { name: "Enable: lazy" })[0] as HTMLElement);
    expect(await screen.findByText("lazy is enabled and can log in again.")).toBeTruthy();
    expect(sent).toEqual([{ username: "lazy", status: "active" }]);
  });
});

describe("users who are not administrators", () => {
  it("see their account and whom to ask", async () => {
    on("get", "/auth/me", () => ok({ user: viewer }));
    await renderScreen("/users", { as: viewer });
    expect(await screen.findByRole("heading", { name: "Not allowed" })).toBeTruthy();
    expect(screen.getByText(/You are logged in as vera \(Viewer\)/)).toBeTruthy();
    expect(screen.getByRole("link", { name: "Back to the dashboard" })).toBeTruthy();
  });

  it("get access if promoted since the login", async () => {
    serve();
    on("get", "/auth/me", () => ok({ user: { ...viewer, role: "admin" } }));
    await renderScreen("/users", { as: viewer });
    expect(await screen.findByRole("heading", { name: "User Management" })).toBeTruthy();
  });

  it("see the notice if demoted since the login, and lose the menu entry", async () => {
    on("get", "/users", () => fail(403, "forbidden", "You are not allowed to do this"));
    on("get", "/auth/me", () => ok({ user: { ...admin, role: "viewer" } }));
    const { user } = await renderApp("/users", { as: admin });
    expect(await screen.findByText(/You are logged in as ada \(Viewer\)/)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "ada" }));
    await screen.findByRole("menu");
    expect(screen.queryByRole("menuitem", { name: /User Management/ })).toBeNull();
  });
});
