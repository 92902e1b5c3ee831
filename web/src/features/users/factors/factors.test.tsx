import { screen, waitFor, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { admin } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";

const factor = { id: 3, type: "totp", name: "Authenticator app", createdAt: "2026-01-01T00:00:00.000Z" };
const uri = "otpauth://totp/Sonde:ada?secret=MFRGG&issuer=Sonde";
const again = () =>
  fail(422, "impossible", "Please enter your password again", [
    { path: "password", message: "Please enter your password again" },
  ]);

async function open() {
  const app = await renderScreen("/profile", { as: admin });
  const card = (await screen.findByRole("heading", { name: "Two-step verification" })).closest("section")!;
  return { ...app, card: within(card) };
}

it("an app is added with a code, after the password if the login is old; recovery codes are shown once", async () => {
  const sent: Record<string, unknown>[] = [];
  let added = false;
  on("get", "/me/factors", () =>
    ok(
      added
        ? { factors: [factor], recoveryCodes: 10, demanded: false, possible: [] }
        : { factors: [], recoveryCodes: 0, demanded: false, possible: ["totp"] },
    ),
  );
  on("post", "/me/factors", async ({ request }) => {
    const body = (await request.json()) as Record<string, unknown>;
    sent.push(body);
    if (body["ticket"] !== undefined) {
      added = true;
      return ok({ factor, recoveryCodes: ["aaaa-bbbb"] });
    }
    if (body["password"] !== "secret-word") return again();
    return ok({ ticket: "t1", expiresAt: "2030-01-01T00:00:00.000Z", totp: { secret: "MFRGG", uri } });
  });
  const { user, card } = await open();
  await user.click(await card.findByRole("button", { name: "Add an authenticator app" }));
  await user.type(await screen.findByLabelText("Password"), "secret-word");
  await user.click(screen.getByRole("button", { name: "Continue" }));
  await user.type(await screen.findByLabelText("Code from the app"), "123456");
  await user.click(screen.getByRole("button", { name: "Confirm" }));
  expect(await screen.findByText("aaaa-bbbb")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "I've saved them" }));
  await waitFor(() => expect(screen.queryByText("aaaa-bbbb")).toBeNull());
  expect(await card.findByText("Authenticator app")).toBeTruthy();
  expect(card.getByText("10 recovery codes left")).toBeTruthy();
  expect(sent).toEqual([
    { type: "totp" },
    { type: "totp", password: "secret-word" },
    { type: "totp", ticket: "t1", code: "123456" },
  ]);
});

it("a factor is removed after a confirmation that shows a rejection", async () => {
  on("get", "/me/factors", () => ok({ factors: [factor], recoveryCodes: 9, demanded: true, possible: [] }));
  on("delete", "/me/factors/3", () => fail(422, "impossible", "A second factor is required: add another one first"));
  const { user, card } = await open();
  await user.click(await card.findByRole("button", { name: "Remove: Authenticator app" }));
  const dialog = within(await screen.findByRole("dialog"));
  await user.click(dialog.getByRole("button", { name: "Remove" }));
  expect(await dialog.findByText("A second factor is required: add another one first")).toBeTruthy();
});

it("all other sessions are ended at once", async () => {
  const session = { id: 1, expiresAt: "2030-01-01T00:00:00.000Z", isCurrent: true };
  on("get", "/auth/sessions", () => ok({ sessions: [session, { ...session, id: 2, isCurrent: false }] }));
  let isEnded = false;
  on("post", "/me/sessions/end", () => {
    isEnded = true;
    on("get", "/auth/sessions", () => ok({ sessions: [session] }));
    return ok({}, "Your other sessions have ended");
  });
  const { user } = await open();
  await user.click(await screen.findByRole("button", { name: "End all other sessions" }));
  await waitFor(() => expect(screen.queryByRole("button", { name: "End all other sessions" })).toBeNull());
  expect(isEnded).toBe(true);
});
