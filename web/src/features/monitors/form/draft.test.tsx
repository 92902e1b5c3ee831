import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { admin } from "../../../testing/fixtures.ts";
import { renderApp, renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";
import { chooseKind } from "../../../testing/user.ts";

async function openCreate(render = renderScreen) {
  const app = await render("/monitors/create", { as: admin });
  await screen.findByRole("heading", { name: "Add monitor" });
  const type = async (label: RegExp, text: string) => {
    const field = await screen.findByLabelText(label);
    await app.user.clear(field);
    await app.user.type(field, text);
  };
  return { ...app, type };
}

describe("a session that expires while the form is filled in", () => {
  async function typeAndExpire() {
    on("post", "/monitors/test", () => fail(401, "unauthenticated", "Please log in"));
    const { type, user, path, ...app } = await openCreate();
    await chooseKind(user, "TCP");
    await type(/^Host/, "db.example");
    await type(/^Port/, "5432");
    await user.click(screen.getByRole("button", { name: "Test" }));
    expect(await screen.findByText("Your session has expired.")).toBeTruthy();
    expect(path()).toBe("/login");
    return { ...app, type, user, path };
  }
  async function logIn({ user, type }: Pick<Awaited<ReturnType<typeof openCreate>>, "user" | "type">, as = admin) {
    on("post", "/auth/login", () => ok({ token: "fresh", user: as }));
    await type(/^Username/, as.username);
    await type(/^Password/, "correct horse");
    await user.click(screen.getByRole("button", { name: "Log in" }));
    await screen.findByRole("heading", { name: "Add monitor" });
  }
  const host = () => screen.getByLabelText<HTMLInputElement>(/^Host/);

  it("shows a notice and restores the draft after login, unsaved and never stored", async () => {
    const app = await typeAndExpire();
    for (const stored of [Object.entries(localStorage), Object.entries(sessionStorage), window.history.state])
      expect(JSON.stringify(stored)).not.toContain("db.example");
    await logIn(app);
    expect(await screen.findByText(/^Your draft was restored/)).toBeTruthy();
    expect(host().value).toBe("db.example");
    expect(screen.getByLabelText<HTMLInputElement>(/^Name/).value).toBe("db.example:5432");
    await app.user.click(screen.getByRole("button", { name: "Cancel" }));
    expect(await screen.findByRole("dialog")).toBeTruthy();
    await app.user.click(screen.getByRole("button", { name: "Stay" }));
    await app.user.click(await screen.findByRole("button", { name: "Discard" }));
    await waitFor(() => expect(host().value).toBe(""));
    expect(screen.queryByText(/^Your draft was restored/)).toBeNull();
  });

  it("does not restore the draft for another account", async () => {
    const app = await typeAndExpire();
    await logIn(app, { ...admin, id: 99, username: "bob" });
    expect(await screen.findByLabelText(/^URL/)).toBeTruthy();
    expect(screen.queryByText(/^Your draft was restored/)).toBeNull();
  });

  it("keeps no draft after a logout and shows no notice", async () => {
    const { type, user, path, ...app } = await openCreate(renderApp);
    await type(/^URL/, "https://shop.example/");
    await user.click(screen.getByRole("button", { name: /ada/ }));
    await user.click(await screen.findByRole("menuitem", { name: "Log out" }));
    await waitFor(() => expect(path()).toBe("/login"));
    await screen.findByLabelText(/^Username/);
    expect(screen.queryByText("Your session has expired.")).toBeNull();
    await logIn({ ...app, type, user });
    expect((await screen.findByLabelText<HTMLInputElement>(/^URL/)).value).toBe("");
    expect(screen.queryByText(/^Your draft was restored/)).toBeNull();
  });
});
