import { screen, waitFor } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { admin, config, dashboard } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));

describe("login", () => {
  async function logIn() {
    const app = await renderScreen("/login");
    await app.user.type(await screen.findByLabelText("Username"), "ada");
    await app.user.type(screen.getByLabelText("Password"), "secret-word");
    await app.user.click(screen.getByRole("button", { name: "Log in" }));
    return app;
  }

  it("stores token and user, and opens the dashboard", async () => {
    let sent: unknown;
    on("post", "/auth/login", async ({ request }) => {
      sent = await request.json();
      return ok({ token: "t1", user: admin }, "Login successful");
    });
    on("get", "/dashboard", () => ok({ ...dashboard }));
    const { path } = await logIn();
    await waitFor(() => expect(path()).toBe("/dashboard"));
    expect(sent).toEqual({ username: "ada", password: "secret-word" });
    expect(localStorage.getItem("token")).toBe("t1");
    expect(JSON.parse(localStorage.getItem("user") ?? "")).toEqual(admin);
  });

  it.each([
    [
      "the server's message",
      () => fail(401, "unauthenticated", "The account is waiting for approval"),
      "The account is waiting for approval",
    ],
    [
      "its own text for a rejection without a message",
      () => new HttpResponse(null, { status: 401 }),
      "Incorrect username or password",
    ],
    [
      "the fallback for a server error",
      () => new HttpResponse("<html>", { status: 500 }),
      "Login failed, please try again later",
    ],
    [
      "the fallback with the reason if the server is unreachable",
      () => HttpResponse.error(),
      /^Login failed, please try again laterCan't reach the Sonde server/,
    ],
  ])("shows %s in place, keeps the input, and logs 'Login failed'", async (_what, answer, words) => {
    on("post", "/auth/login", answer);
    const { path } = await logIn();
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toMatch(words);
    expect(path()).toBe("/login");
    expect(screen.getByLabelText<HTMLInputElement>("Username").value).toBe("ada");
    expect(console.error).toHaveBeenCalledWith("Login failed", expect.anything());
  });

  it("requires both fields without a request", async () => {
    const { user } = await renderScreen("/login");
    await user.click(await screen.findByRole("button", { name: "Log in" }));
    expect(await screen.findByText("Username is required")).toBeTruthy();
    expect(screen.getByText("Password is required")).toBeTruthy();
    expect(screen.getByLabelText("Username").getAttribute("aria-invalid")).toBe("true");
  });

  it("shows its progress, keeps the focus, and is not sent twice", async () => {
    let finish = () => undefined as void;
    let sent = 0;
    on("post", "/auth/login", async () => {
      sent += 1;
      await new Promise<void>((resolve) => void (finish = resolve));
      return fail(429, "too_many", "Too many failed logins, please try again later");
    });
    const { user } = await logIn();
    const button = await screen.findByRole("button", { name: "Logging in…" });
    expect(button.getAttribute("aria-disabled")).toBe("true");
    await waitFor(() => expect(document.activeElement).toBe(button));
    await user.click(button);
    await user.type(screen.getByLabelText("Username"), "{Enter}");
    await waitFor(() => expect(sent).toBe(1));
    finish();
    expect((await screen.findByRole("alert")).textContent).toBe("Too many failed logins, please try again later");
    expect(sent).toBe(1);
  });

  it("redirects logged-in users to the dashboard", async () => {
    on("get", "/dashboard", () => ok({ ...dashboard }));
    const { path } = await renderScreen("/login", { as: admin });
    await waitFor(() => expect(path()).toBe("/dashboard"));
  });
});

describe("registration", () => {
  async function fill(values: Record<string, string>, start: Parameters<typeof renderScreen>[1] = {}) {
    const app = await renderScreen("/register", start);
    await screen.findByRole("button", { name: "Register" });
    for (const [label, text] of Object.entries(values)) {
      await app.user.type(await screen.findByLabelText(new RegExp(`^${label}`)), text);
    }
    await app.user.click(screen.getByRole("button", { name: "Register" }));
    return app;
  }
  const good = {
    Username: "bob",
    Email: "bob@example.com",
    Password: "long enough",
    "Confirm password": "long enough",
  };

  it("sends the input without an empty email address, and announces on /login that the user can log in", async () => {
    let sent: unknown;
    on("post", "/auth/register", async ({ request }) => {
      sent = await request.json();
      return HttpResponse.json({ success: true }, { status: 201 });
    });
    const { Email: _email, ...rest } = good;
    const { path } = await fill(rest);
    expect((await screen.findByText("Registration successful, please login")).closest("[role=status]")).toBeTruthy();
    expect(path()).toBe("/login");
    expect(sent).toEqual({ username: "bob", password: "long enough" });
  });

  it("rejects different passwords without a request", async () => {
    await fill({ ...good, "Confirm password": "something else" });
    expect((await screen.findByRole("alert")).textContent).toBe("Passwords do not match");
  });

  it("shows validation errors next to the fields", async () => {
    await fill({ Username: " ", Email: "bob@", Password: "short", "Confirm password": "short" });
    expect(await screen.findByText("Username is required")).toBeTruthy();
    expect(screen.getByText("Please enter a valid email address")).toBeTruthy();
    expect(screen.getByText("The password must have at least 8 characters")).toBeTruthy();
  });

  it.each([
    [
      "Username already exists",
      () =>
        fail(409, "conflict", "Username already exists", [{ path: "username", message: "Username already exists" }]),
      2,
    ],
    ["Email already exists", () => fail(409, "conflict", "Email already exists"), 1],
    ["Registration failed, please try again later", () => new HttpResponse(null, { status: 502 }), 1],
  ])("shows '%s'", async (words, answer, places) => {
    on("post", "/auth/register", answer);
    const { path } = await fill(good);
    expect(await screen.findAllByText(words)).toHaveLength(places);
    expect(path()).toBe("/register");
  });

  describe("of the first account", () => {
    const fresh = { ...config, setup: { firstAccount: true, codeRequired: false } };
    beforeEach(() => {
      on("get", "/config", () => ok(fresh));
      on("get", "/dashboard", () => ok({ ...dashboard }));
    });
    const setUp = async (path: string) => {
      const app = await renderScreen(path);
      expect(await screen.findByRole("heading", { name: "Set up Sonde" })).toBeTruthy();
      expect(app.path()).toBe("/register");
      expect(screen.queryByRole("link", { name: "Log in" })).toBeNull();
      await app.user.type(screen.getByLabelText(/^Username/), "ada");
      for (const label of [/^Password/, /^Confirm password/])
        await app.user.type(screen.getByLabelText(label), "long enough");
      await app.user.click(screen.getByRole("button", { name: "Register" }));
      return app;
    };
    const register = () =>
      on("post", "/auth/register", () => {
        on("get", "/config", () => ok(config));
        return HttpResponse.json({ success: true, message: "Registration successful, please login" }, { status: 201 });
      });

    it.each([
      ["/", "/dashboard"],
      ["/login", "/dashboard"],
      ["/agents", "/agents"],
    ])("opens the setup at %s, logs the administrator in, and redirects to %s", async (start, end) => {
      on("get", "/agents", () => ok({ agents: [], total: 0 }));
      register();
      let sent: unknown;
      on("post", "/auth/login", async ({ request }) => {
        sent = await request.json();
        return ok({ token: "t1", user: admin });
      });
      const { path } = await setUp(start);
      await waitFor(() => expect(path()).toBe(end));
      expect(sent).toEqual({ username: "ada", password: "long enough" });
      expect(localStorage.getItem("token")).toBe("t1");
    });

    it("shows the server's message on the login if the user was not logged in", async () => {
      register();
      on("post", "/auth/login", () => fail(403, "forbidden", "The account is waiting for approval"));
      const { path } = await setUp("/");
      expect(await screen.findByText("Registration successful, please login")).toBeTruthy();
      expect(path()).toBe("/login");
    });
  });

  it("announces that the first account is the administrator, and asks for the setup code only if required", async () => {
    on("get", "/config", () => ok({ ...config, setup: { firstAccount: true, codeRequired: true } }));
    let sent: unknown;
    on("post", "/auth/register", async ({ request }) => {
      sent = await request.json();
      return fail(403, "forbidden", "The setup code is not correct");
    });
    await renderScreen("/register");
    await screen.findByText("This is the first account. It becomes the administrator.");
    document.body.innerHTML = "";
    await fill({ ...good, "Setup code": "1234" });
    expect((await screen.findByRole("alert")).textContent).toBe("The setup code is not correct");
    expect(sent).toMatchObject({ setupCode: "1234" });
  });

  it("has no setup code otherwise, and no form if registration is closed", async () => {
    const { unmount } = await renderScreen("/register");
    await screen.findByRole("button", { name: "Register" });
    expect(screen.queryByLabelText(/Setup code/)).toBeNull();
    unmount();
    on("get", "/config", () => ok({ ...config, registration: "closed" }));
    await renderScreen("/register");
    expect(await screen.findByText(/Registration is closed/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Register" })).toBeNull();
  });
});
