import { screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { admin, config, dashboard } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";

const providers = [{ slug: "company", name: "Company" }];
const offer = (passwords: "on" | "admins" | "off") =>
  on("get", "/config", () => ok({ ...config, signIn: { passwords, providers } }));

it("offers providers next to passwords, and keeps the destination after the login", async () => {
  offer("on");
  await renderScreen("/agents?page=2");
  const link = await screen.findByRole("link", { name: "Continue with Company" });
  expect(link.getAttribute("href")).toBe("/api/auth/oidc/company/start?next=%2Fagents%3Fpage%3D2");
  expect(document.activeElement).toBe(screen.getByLabelText("Username"));
});

it("hides passwords behind a step if they are disabled", async () => {
  offer("off");
  const { user } = await renderScreen("/login");
  expect(await screen.findByRole("link", { name: "Continue with Company" })).toBeTruthy();
  expect(screen.queryByRole("link", { name: "Register" })).toBeNull();
  expect(screen.queryByRole("textbox", { name: "Username" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Log in with a password" }));
  expect(await screen.findByRole("textbox", { name: "Username" })).toBeTruthy();
});

it.each([
  ["provider-away", "The provider isn't responding. Please try again later."],
  ["<script>", "Sign-in failed, please try again later."],
])("explains the error code %s", async (code, words) => {
  offer("on");
  await renderScreen(`/login?error=${encodeURIComponent(code)}`);
  expect((await screen.findByRole("alert")).textContent).toBe(words);
});

it("exchanges a sign-in code for a session once, and continues", async () => {
  const sent: unknown[] = [];
  on("post", "/auth/oidc/exchange", async ({ request }) => {
    sent.push(await request.json());
    return ok({ token: "t1", user: admin, next: "/dashboard" });
  });
  on("get", "/dashboard", () => ok({ ...dashboard }));
  const { path } = await renderScreen("/login/complete?code=the-code-of-this-sign-in");
  await waitFor(() => expect(path()).toBe("/dashboard"));
  expect(sent).toEqual([{ code: "the-code-of-this-sign-in" }]);
  expect(localStorage.getItem("token")).toBe("t1");
});

it("reports why a code was rejected", async () => {
  on("post", "/auth/oidc/exchange", () =>
    fail(401, "unauthenticated", "This sign-in is no longer valid, please start again"),
  );
  await renderScreen("/login/complete?code=the-code-of-this-sign-in");
  expect((await screen.findByRole("alert")).textContent).toBe("This sign-in is no longer valid, please start again");
  expect(screen.getByRole("link", { name: "Back to login" })).toBeTruthy();
});
