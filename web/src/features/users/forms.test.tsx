import type { User } from "@sonde/proto/http/users";
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, describe, expect, it } from "vitest";
import { admin } from "../../testing/fixtures.ts";
import { renderApp, renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";

const grace: User = { ...admin, id: 4, username: "grace", email: "grace@example.com", role: "user" };
let sent: unknown;

beforeEach(() => {
  sent = undefined;
  on("get", "/users", () => ok({ users: [admin, grace], total: 2 }));
  on("get", "/users/4", () => ok({ user: grace }));
  on("get", "/users/1", () => ok({ user: admin }));
});

const take =
  (answer: () => Response): ((request: { request: Request }) => Promise<Response>) =>
  async ({ request }) => {
    sent = await request.json();
    return answer();
  };

async function open(path: string, render = renderScreen) {
  const app = await render(path, { as: admin });
  const { user } = app;
  const type = async (label: RegExp, text: string) => {
    const field = await screen.findByLabelText<HTMLInputElement>(label);
    await user.clear(field);
    if (text !== "") await user.type(field, text);
  };
  const press = async (name: string) => user.click(await screen.findByRole("button", { name }));
  return { ...app, type, press };
}

describe("creating a user", () => {
  it("sends the input without an empty email address, and reports success on the list", async () => {
    on(
      "post",
      "/users",
      take(() => ok({ user: grace }, "User created")),
    );
    const { type, press, path, user } = await open("/users/create");
    await type(/^Username/, "grace");
    await type(/^Password/, "long enough");
    await type(/^Confirm password/, "long enough");
    await user.selectOptions(screen.getByLabelText("Role"), "viewer");
    expect(screen.getByText("Can read everything but change nothing.")).toBeTruthy();
    await press("Create user");
    await waitFor(() => expect(path()).toBe("/users"));
    expect(sent).toEqual({ username: "grace", password: "long enough", role: "viewer" });
    expect((await screen.findByText("User created")).closest("[role=status]")).toBeTruthy();
  });

  it("shows invalid fields without a request", async () => {
    on(
      "post",
      "/users",
      take(() => ok({ user: grace })),
    );
    const { type, press } = await open("/users/create");
    await type(/^Email/, "grace@");
    await type(/^Password/, "short");
    await type(/^Confirm password/, "shorter");
    await press("Create user");
    for (const words of [
      "Username is required",
      "Please enter a valid email address",
      "The password must have at least 8 characters",
      "Passwords do not match",
    ]) {
      expect(await screen.findByText(words)).toBeTruthy();
    }
    expect(sent).toBeUndefined();
  });

  it.each([
    [
      "Username already exists",
      () =>
        fail(409, "conflict", "Username already exists", [{ path: "username", message: "Username already exists" }]),
      2,
    ],
    ["Failed to create user, please try again later", () => new HttpResponse(null, { status: 500 }), 1],
  ])("shows '%s' and keeps the input", async (words, answer, places) => {
    on("post", "/users", answer);
    const { type, press, path } = await open("/users/create");
    await type(/^Username/, "grace");
    await type(/^Password/, "long enough");
    await type(/^Confirm password/, "long enough");
    await press("Create user");
    expect(await screen.findAllByText(words)).toHaveLength(places);
    expect(screen.getByLabelText<HTMLInputElement>(/^Username/).value).toBe("grace");
    expect(screen.getByLabelText<HTMLInputElement>(/^Username/).getAttribute("aria-invalid")).toBe(
      places === 2 ? "true" : null,
    );
    expect(path()).toBe("/users/create");
  });

  it("warns before unsaved changes are lost", async () => {
    const { type, press, path } = await open("/users/create");
    await type(/^Username/, "half");
    await press("Cancel");
    expect((await screen.findByRole("dialog")).textContent).toContain("Leave without saving?");
    await press("Leave");
    await waitFor(() => expect(path()).toBe("/users"));
  });
});

describe("editing a user", () => {
  it("sends role and status, clears the address by omitting it, and reports success", async () => {
    on(
      "put",
      "/users/4",
      take(() =>
        ok({ user: { ...grace, role: "admin", status: "disabled", email: undefined } as never }, "User updated"),
      ),
    );
    const { type, press, user, path } = await open("/users/4");
    await type(/^Email/, "");
    await user.selectOptions(screen.getByLabelText("Role"), "admin");
    await user.selectOptions(screen.getByLabelText("Status"), "disabled");
    await press("Save changes");
    expect((await screen.findByText("User updated")).closest("[role=status]")).toBeTruthy();
    expect(sent).toEqual({ username: "grace", role: "admin", status: "disabled" });
    // Saved changes must not block leaving. The guard is removed with the next effects.
    await waitFor(() => expect(dispatchEvent(new Event("beforeunload", { cancelable: true }))).toBe(true));
    await user.click(screen.getByRole("link", { name: "All users" }));
    await waitFor(() => expect(path()).toBe("/users"));
  });

  it.each([
    [
      "that the last administrator must remain",
      () => fail(409, "conflict", "At least one active administrator must remain"),
      "At least one active administrator must remain",
    ],
    ["the fallback", () => new HttpResponse(null, { status: 500 }), "Failed to update user"],
  ])("shows %s above the form and keeps the choice", async (_what, answer, words) => {
    on("put", "/users/4", answer);
    const { press, user } = await open("/users/4");
    await user.selectOptions(await screen.findByLabelText("Role"), "viewer");
    await press("Save changes");
    expect((await screen.findByText(words)).closest("[role=alert]")).toBeTruthy();
    expect(screen.getByLabelText<HTMLSelectElement>("Role").value).toBe("viewer");
  });

  it("confirms an address entered by its user, unless it was changed", async () => {
    const entered = { ...grace, emailVerified: false };
    on("get", "/users/4", () => ok({ user: entered }));
    on(
      "put",
      "/users/4",
      take(() => ok({ user: { ...entered, emailVerified: true } })),
    );
    const { press, user, type } = await open("/users/4");
    const confirmed = () => screen.queryByLabelText(/^I confirm that this address belongs to the user/);
    await type(/^Email/, "other@example.com");
    expect(confirmed()).toBeNull();
    await type(/^Email/, "grace@example.com");
    await user.click(confirmed()!);
    await press("Save changes");
    await waitFor(() => expect(confirmed()).toBeNull());
    expect(sent).toMatchObject({ email: "grace@example.com", emailVerified: true });
  });

  it("does not change one's own role and status, and updates the name in the navigation", async () => {
    on(
      "put",
      "/users/1",
      take(() => ok({ user: { ...admin, username: "ada2" } })),
    );
    const { type, press } = await open("/users/1", renderApp);
    await type(/^Username/, "ada2");
    for (const label of ["Role", "Status"]) {
      expect(screen.getByLabelText<HTMLSelectElement>(label).disabled).toBe(true);
    }
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Delete" }).disabled).toBe(true);
    expect(screen.getByRole("link", { name: "Go to profile" }).getAttribute("href")).toBe("/profile");
    await press("Save changes");
    expect(await screen.findByRole("button", { name: "ada2" })).toBeTruthy();
    expect(sent).toEqual({ username: "ada2", email: "ada@example.com" });
  });

  it("resets a password, clears the fields and reports that the user's sessions ended", async () => {
    on(
      "post",
      "/users/4/change-password",
      take(() => ok({}, "Password changed")),
    );
    const { type, press } = await open("/users/4");
    await type(/^New password/, "brand new one");
    await type(/^Confirm new password/, "another one");
    await press("Reset password");
    expect(await screen.findByText("Passwords do not match")).toBeTruthy();
    expect(sent).toBeUndefined();
    await type(/^Confirm new password/, "brand new one");
    await press("Reset password");
    expect(await screen.findByText("Password changed · This user was logged out on all devices.")).toBeTruthy();
    expect(sent).toEqual({ newPassword: "brand new one" });
    expect(screen.getByLabelText<HTMLInputElement>(/^New password/).value).toBe("");
    expect(screen.getByLabelText<HTMLInputElement>(/^Confirm new password/).value).toBe("");
  });

  it.each([
    ["the fallback", () => new HttpResponse(null, { status: 500 }), "Failed to change password"],
    [
      "the server's error next to the field",
      () =>
        fail(400, "invalid", "The request is not valid", [
          { path: "newPassword", message: "The password can have at most 256 characters" },
        ]),
      "The password can have at most 256 characters",
    ],
  ])("shows %s if a password cannot be reset", async (_what, answer, words) => {
    on("post", "/users/4/change-password", answer);
    const { type, press } = await open("/users/4");
    await type(/^New password/, "brand new one");
    await type(/^Confirm new password/, "brand new one");
    await press("Reset password");
    expect(await screen.findByText(words)).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>(/^New password/).value).toBe("brand new one");
  });

  it("returns to the list after deletion, even with unsaved changes", async () => {
    on("delete", "/users/4", () => ok({}, "User deleted"));
    const { type, press, path, user } = await open("/users/4");
    await type(/^Username/, "half");
    await press("Delete");
    const dialog = await screen.findByRole("dialog");
    expect(dialog.textContent).toContain("“grace”");
    on("get", "/users", () => ok({ users: [admin], total: 1 }));
    await user.click(within(dialog).getByRole("button", { name: "Delete" }));
    await waitFor(() => expect(path()).toBe("/users"));
    expect(await screen.findByText("User deleted")).toBeTruthy();
  });

  it("warns before unsaved changes of either form are lost", async () => {
    const { type, press, path, user } = await open("/users/4");
    await type(/^New password/, "half");
    await user.click(screen.getByRole("link", { name: "All users" }));
    expect((await screen.findByRole("dialog")).textContent).toContain("Leave without saving?");
    await press("Stay");
    expect(path()).toBe("/users/4");
  });

  it.each(["/users/9", "/users/none"])("reports at %s that the user does not exist", async (path) => {
    on("get", "/users/9", () => fail(404, "not_found", "User does not exist"));
    await open(path);
    expect((await screen.findByRole("alert")).textContent).toBe("User does not exist");
  });

  it("offers a retry if the user cannot be loaded", async () => {
    on("get", "/users/4", () => new HttpResponse(null, { status: 500 }));
    const { press } = await open("/users/4");
    expect(await screen.findByText("Failed to fetch data")).toBeTruthy();
    on("get", "/users/4", () => ok({ user: grace }));
    await press("Try again");
    expect((await screen.findByLabelText<HTMLInputElement>(/^Username/)).value).toBe("grace");
  });
});
