import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse } from "msw";
import { Provider } from "react-redux";
import { describe, expect, it } from "vitest";
import { startI18n } from "../../app/i18n.ts";
import { createStore } from "../../app/store.ts";
import { admin, viewer } from "../../testing/fixtures.ts";
import { renderApp, renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";
import { BasicInfoForm, PasswordForm } from "./profile-screen.tsx";

async function open(as = admin, render = renderScreen) {
  const app = await render("/profile", { as });
  await screen.findByRole("heading", { name: "Profile" });
  const { user } = app;
  const field = (label: RegExp) => screen.getByLabelText<HTMLInputElement>(label);
  const type = async (label: RegExp, text: string) => {
    await user.clear(field(label));
    if (text !== "") await user.type(field(label), text);
  };
  const press = async (name: string) => user.click(await screen.findByRole("button", { name }));
  return { ...app, field, type, press };
}
const current = /^Current password/;
const next = /^New password/;
const again = /^Confirm new password/;

describe("basic information", () => {
  it("is sent for one's own id, and updates navigation and stored session at once", async () => {
    let sent: unknown;
    on("put", "/users/1", async ({ request }) => {
      sent = await request.json();
      return ok({ user: { ...admin, username: "lovelace" } }, "Profile updated");
    });
    const { type, press } = await open(admin, renderApp);
    await type(/^Username/, "lovelace");
    await press("Save");
    expect((await screen.findByText("Profile updated")).closest("[role=status]")).toBeTruthy();
    expect(sent).toEqual({ username: "lovelace", email: "ada@example.com" });
    expect(screen.getByRole("button", { name: "lovelace" })).toBeTruthy();
    expect(JSON.parse(localStorage.getItem("user") ?? "{}")).toMatchObject({ id: 1, username: "lovelace" });
  });

  it("omits an empty email address", async () => {
    let sent: unknown;
    const { email: _email, ...withoutEmail } = admin;
    on("put", "/users/1", async ({ request }) => {
      sent = await request.json();
      return ok({ user: withoutEmail });
    });
    const { type, press, field } = await open();
    await type(/^Email/, "");
    await press("Save");
    expect(await screen.findByText("Profile updated")).toBeTruthy();
    expect(sent).toEqual({ username: "ada" });
    expect(field(/^Email/).value).toBe("");
  });

  it("requires a username and a valid email address", async () => {
    const { type, press } = await open();
    await type(/^Username/, "");
    await type(/^Email/, "ada@");
    await press("Save");
    expect(await screen.findByText("Username is required")).toBeTruthy();
    expect(screen.getByText("Please enter a valid email address")).toBeTruthy();
  });

  it.each([
    ["Failed to update profile", () => new HttpResponse(null, { status: 500 }), 1],
    [
      "Email already exists",
      () => fail(409, "conflict", "Email already exists", [{ path: "email", message: "Email already exists" }]),
      2,
    ],
  ])("shows '%s' and keeps the input", async (words, answer, places) => {
    on("put", "/users/1", answer);
    const { type, press, field } = await open();
    await type(/^Email/, "grace@example.com");
    await press("Save");
    expect(await screen.findAllByText(words)).toHaveLength(places);
    expect(field(/^Email/).value).toBe("grace@example.com");
  });
});

describe("changing the password", () => {
  it("sends the current and the new one, clears the fields and reports that other sessions ended", async () => {
    let sent: unknown;
    on("post", "/users/2/change-password", async ({ request }) => {
      sent = await request.json();
      return ok({}, "Password changed");
    });
    const { type, press, field, path, router } = await open(viewer);
    await type(current, "old password");
    await type(next, "new password");
    await type(again, "new password");
    await press("Change password");
    expect(await screen.findByText("Password changed · You were logged out on all other devices.")).toBeTruthy();
    expect(sent).toEqual({ currentPassword: "old password", newPassword: "new password" });
    expect([current, next, again].map((label) => field(label).value)).toEqual(["", "", ""]);
    // The guard against unsaved changes is removed with the next effects.
    await waitFor(async () => {
      await act(() => router.navigate("/agents"));
      expect(path()).toBe("/agents");
    });
  });

  it("requires all three fields and a matching repetition", async () => {
    const { type, press } = await open();
    await press("Change password");
    expect(await screen.findByText("Current password is required")).toBeTruthy();
    expect(screen.getByText("New password is required")).toBeTruthy();
    expect(screen.getByText("Please confirm the new password")).toBeTruthy();
    await type(current, "old password");
    await type(next, "new password");
    await type(again, "new passwort");
    await press("Change password");
    expect(await screen.findByText("Passwords do not match")).toBeTruthy();
  });

  it("shows a wrong current password next to the field, and stays logged in", async () => {
    const message = "The current password is not correct";
    on("post", "/users/1/change-password", () =>
      fail(422, "impossible", message, [{ path: "currentPassword", message }]),
    );
    const { type, press, field, path } = await open();
    await type(current, "wrong password");
    await type(next, "new password");
    await type(again, "new password");
    await press("Change password");
    await waitFor(() => expect(field(current).getAttribute("aria-invalid")).toBe("true"));
    const note = document.getElementById(field(current).getAttribute("aria-describedby") ?? "");
    expect(note?.textContent).toBe(message);
    await waitFor(() => expect(document.activeElement).toBe(field(current)));
    expect(field(next).value).toBe("new password");
    expect(path()).toBe("/profile");
  });

  it("has a fallback text", async () => {
    on("post", "/users/1/change-password", () => new HttpResponse(null, { status: 500 }));
    const { type, press } = await open();
    await type(current, "old password");
    await type(next, "new password");
    await type(again, "new password");
    await press("Change password");
    expect((await screen.findByText("Failed to change password")).closest("[role=alert]")).toBeTruthy();
  });
});

describe("the profile", () => {
  it("shows 'User not logged in' without a session", async () => {
    await startI18n("en-US");
    render(
      <Provider store={createStore()}>
        <BasicInfoForm user={null} onUnsaved={() => undefined} />
        <PasswordForm user={null} onUnsaved={() => undefined} />
      </Provider>,
    );
    const user = userEvent.setup();
    await user.type(screen.getByLabelText(/^Username/), "nobody");
    await user.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findAllByText("User not logged in")).toHaveLength(1);
    for (const label of [current, next, again]) await user.type(screen.getByLabelText(label), "long enough");
    await user.click(screen.getByRole("button", { name: "Change password" }));
    await waitFor(() => expect(screen.getAllByText("User not logged in")).toHaveLength(2));
  });

  it("warns before unsaved changes of either form are lost", async () => {
    const { type, press, path, user, router } = await open();
    await type(/^Username/, "half");
    await act(() => router.navigate("/agents"));
    expect((await screen.findByRole("dialog")).textContent).toContain("Leave without saving?");
    await press("Stay");
    await type(/^Username/, "ada");
    await user.type(screen.getByLabelText(current), "half");
    await act(() => router.navigate("/agents"));
    await screen.findByRole("dialog");
    await press("Leave");
    await waitFor(() => expect(path()).toBe("/agents"));
  });

  it("hides the password form of an account without a password", async () => {
    const answer = { factors: [], recoveryCodes: 0, demanded: false, possible: [], hasPassword: false };
    on("get", "/me/factors", () => ok(answer));
    await open();
    await waitFor(() => expect(screen.queryByLabelText(current)).toBeNull());
    expect(screen.queryByText("Two-step verification")).toBeNull();
    expect(screen.getByLabelText(/^Username/)).toBeTruthy();
  });

  it("links to the API reference", async () => {
    await open();
    expect(screen.getByRole("link", { name: "Open the API reference" }).getAttribute("href")).toBe("/api/docs");
  });
});

describe("sessions", () => {
  it("are listed by browser and system, and others can be ended", async () => {
    const agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Safari/537.36";
    const common = { startedAt: new Date().toISOString(), expiresAt: new Date().toISOString() };
    let sessions = [
      { id: 7, ...common, address: "192.0.2.7", client: agent, isCurrent: true },
      { id: 5, ...common, address: "192.0.2.5", client: "curl/8.5.0", isCurrent: false },
    ];
    on("get", "/auth/sessions", () => ok({ sessions }));
    on("delete", "/auth/sessions/5", () => {
      sessions = sessions.filter(({ id }) => id !== 5);
      return ok({}, "Session ended");
    });
    const { press } = await open();
    expect(await screen.findByText("Chrome on Linux")).toBeTruthy();
    expect(screen.getByText("curl/8.5.0")).toBeTruthy();
    expect(screen.getAllByRole("button", { name: "End session" })).toHaveLength(1);
    await press("End session");
    await waitFor(() => expect(screen.queryByText("curl/8.5.0")).toBeNull());
  });
});
