import { screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { admin, config, dashboard } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";

const expiresAt = "2030-01-01T00:00:00.000Z";
beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  on("get", "/dashboard", () => ok({ ...dashboard }));
});

async function logIn(methods: string[]) {
  on("post", "/auth/login", () => ok({ factor: { ticket: "t1", methods, expiresAt } }, "A second factor is required"));
  const app = await renderScreen("/login");
  await app.user.type(await screen.findByLabelText("Username"), "ada");
  await app.user.type(screen.getByLabelText("Password"), "secret-word");
  await app.user.click(screen.getByRole("button", { name: "Log in" }));
  await screen.findByRole("heading", { name: "Confirm it's you" });
  return app;
}

describe("the second step", () => {
  it("accepts a code of the app and opens the session", async () => {
    let sent: unknown;
    on("post", "/auth/factor", async ({ request }) => {
      sent = await request.json();
      return ok({ token: "t2", user: admin });
    });
    const { user, path } = await logIn(["totp", "recovery"]);
    expect(localStorage.getItem("token")).toBeNull();
    await user.type(await screen.findByLabelText("Code"), "123 456");
    await user.click(screen.getByRole("button", { name: "Continue" }));
    await waitFor(() => expect(path()).toBe("/dashboard"));
    expect(sent).toEqual({ ticket: "t1", code: "123 456" });
    expect(localStorage.getItem("token")).toBe("t2");
  });

  it("sends other input as a recovery code, shows a rejection, and returns", async () => {
    let sent: unknown;
    on("post", "/auth/factor", async ({ request }) => {
      sent = await request.json();
      return fail(401, "unauthenticated", "The code is not correct");
    });
    const { user } = await logIn(["totp", "recovery"]);
    await user.type(await screen.findByLabelText("Code"), "abcd-efgh-ijkl-mnop");
    await user.click(screen.getByRole("button", { name: "Continue" }));
    expect((await screen.findByRole("alert")).textContent).toBe("The code is not correct");
    expect(sent).toEqual({ ticket: "t1", recoveryCode: "abcd-efgh-ijkl-mnop" });
    await user.click(screen.getByRole("button", { name: "Back to login" }));
    expect(screen.getByLabelText<HTMLInputElement>("Username").value).toBe("ada");
  });

  it("sets up an app if a second factor is required, and shows recovery codes before continuing", async () => {
    const uri = "otpauth://totp/Sonde:ada?secret=MFRGG&issuer=Sonde";
    on("post", "/auth/factor/enroll", () => ok({ ticket: "t1", expiresAt, totp: { secret: "MFRGG", uri } }));
    let sent: unknown;
    on("post", "/auth/factor", async ({ request }) => {
      sent = await request.json();
      return ok({ token: "t2", user: admin, recoveryCodes: ["aaaa-bbbb", "cccc-dddd"] });
    });
    const { user, path } = await logIn(["enroll"]);
    await user.click(await screen.findByRole("button", { name: "Add an authenticator app" }));
    const picture = await screen.findByRole("img", { name: "QR code for your authenticator app" });
    await waitFor(() => expect(picture.querySelector("path")?.getAttribute("d")).toMatch(/^M\d/));
    expect(screen.getByText("MFRGG")).toBeTruthy();
    await user.type(screen.getByLabelText("Code from the app"), "12345");
    await user.click(screen.getByRole("button", { name: "Confirm" }));
    expect((await screen.findByRole("alert")).textContent).toBe("Enter the 6-digit code");
    await user.type(screen.getByLabelText("Code from the app"), "6");
    await user.click(screen.getByRole("button", { name: "Confirm" }));
    expect(await screen.findByText("aaaa-bbbb")).toBeTruthy();
    expect(sent).toEqual({ ticket: "t1", code: "123456" });
    expect(localStorage.getItem("token")).toBeNull();
    await user.click(screen.getByRole("button", { name: "I've saved them" }));
    await waitFor(() => expect(path()).toBe("/dashboard"));
  });
});

describe("passkey login", () => {
  it("is offered only if passkeys exist and the browser supports them", async () => {
    const { unmount } = await renderScreen("/login");
    await screen.findByLabelText("Username");
    expect(screen.queryByRole("button", { name: "Log in with a passkey" })).toBeNull();
    unmount();

    on("get", "/config", () => ok({ ...config, passkeys: true }));
    const parse = (options: unknown) => options;
    const PublicKeyCredential = Object.assign(function credential() {}, {
      parseCreationOptionsFromJSON: parse,
      parseRequestOptionsFromJSON: parse,
    });
    vi.stubGlobal("PublicKeyCredential", PublicKeyCredential);
    const get = vi.fn(async (_asked: unknown) => ({ toJSON: () => ({ id: "p" }) }));
    Object.defineProperty(navigator, "credentials", { value: { get }, configurable: true });
    on("post", "/auth/passkey", () => ok({ ticket: "t3", expiresAt, passkey: { challenge: "c" } }));
    let sent: unknown;
    on("post", "/auth/factor", async ({ request }) => {
      sent = await request.json();
      return ok({ token: "t4", user: admin });
    });
    const { user, path } = await renderScreen("/login");
    await user.click(await screen.findByRole("button", { name: "Log in with a passkey" }));
    await waitFor(() => expect(path()).toBe("/dashboard"));
    expect(get.mock.calls[0]?.[0]).toEqual({ publicKey: { challenge: "c" } });
    expect(sent).toEqual({ ticket: "t3", passkey: { id: "p" } });
    vi.unstubAllGlobals();
  });
});
