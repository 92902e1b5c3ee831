import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { admin, dashboard, viewer } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";

const invite = { role: "viewer", email: "ann@example.com", expiresAt: "2026-12-01T00:00:00Z" } as const;

function serve(answer = () => ok({ token: "t1", user: viewer } as never, "Account created")) {
  const sent: unknown[] = [];
  on("post", "/auth/invites/check", async ({ request }) => {
    const { token } = (await request.json()) as { token: string };
    return token === "good" ? ok({ ...invite }) : fail(404, "not_found", "This invite was used or revoked");
  });
  on("post", "/auth/invites/accept", async ({ request }) => {
    sent.push(await request.json());
    return answer();
  });
  return sent;
}

async function fill() {
  const app = await renderScreen("/invite?lang=en-US#good");
  await app.user.type(await screen.findByLabelText(/^Username/), "ann");
  await app.user.type(screen.getByLabelText(/^Password/), "long enough");
  await app.user.type(screen.getByLabelText(/^Confirm password/), "long enough");
  return app;
}

describe("an invite", () => {
  it("creates the account with a prefilled email, and logs in", async () => {
    const sent = serve();
    on("get", "/dashboard", () => ok({ ...dashboard }));
    const { user, path } = await fill();
    expect(screen.getByText(/with the role Viewer/)).toBeTruthy();
    expect(sent).toEqual([]);
    await user.click(screen.getByRole("button", { name: "Create account" }));
    await waitFor(() => expect(path()).toBe("/dashboard"));
    expect(sent).toEqual([{ token: "good", username: "ann", password: "long enough", email: "ann@example.com" }]);
    expect(localStorage.getItem("token")).toBe("t1");
    expect(localStorage.getItem("language")).toBe("en-US");
  });

  it("asks for a second factor that the installation requires", async () => {
    const factor = { ticket: "t", expiresAt: invite.expiresAt, methods: ["enroll"] };
    serve(() => ok({ factor } as never));
    const { user, path } = await fill();
    await user.click(screen.getByRole("button", { name: "Create account" }));
    expect(await screen.findByText(/^Two-step verification is required/)).toBeTruthy();
    expect(path()).toBe("/login");
  });

  it("shows a taken username at its field", async () => {
    const message = "Username already exists";
    serve(() => fail(409, "conflict", message, [{ path: "username", message }]));
    const { user } = await fill();
    await user.click(screen.getByRole("button", { name: "Create account" }));
    await waitFor(() => expect(screen.getByLabelText(/^Username/).getAttribute("aria-invalid")).toBe("true"));
  });

  it("says that it was used, or that the link is incomplete", async () => {
    serve();
    const app = await renderScreen("/invite#used");
    expect(await screen.findByText("This invite was used or revoked")).toBeTruthy();
    app.unmount();
    await renderScreen("/invite");
    expect(await screen.findByText(/^This link is incomplete/)).toBeTruthy();
  });

  it("is not accepted by a user who is logged in", async () => {
    serve();
    await renderScreen("/invite#good", { as: admin });
    expect(await screen.findByText(/^You're logged in as ada/)).toBeTruthy();
    expect(screen.queryByLabelText(/^Username/)).toBeNull();
  });
});
