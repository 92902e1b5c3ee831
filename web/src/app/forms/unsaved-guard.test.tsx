import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { createMemoryRouter, RouterProvider } from "react-router-dom";
import { startI18n } from "../i18n.ts";
import { paths } from "../paths.ts";
import { UnsavedGuard } from "./unsaved-guard.tsx";

async function open(unsaved = true) {
  await startI18n("en-US");
  const form = <UnsavedGuard unsaved={unsaved} />;
  const routes = [
    { path: "/form", element: form },
    { path: "*", element: null },
  ];
  const router = createMemoryRouter(routes, { initialEntries: ["/before", "/form"] });
  render(<RouterProvider router={router} useTransitions={false} />);
  const go = (to: string, replace = false) => act(() => router.navigate(to, { replace }));
  return { router, go, at: () => router.state.location.pathname + router.state.location.search };
}

it("asks before leaving for another page or tab", async () => {
  const { go, at } = await open();
  await go("/form?tab=other");
  expect(at()).toBe("/form");
  await userEvent.click(await screen.findByRole("button", { name: "Stay" }));
  await go("/away");
  expect(at()).toBe("/form");
  await userEvent.click(await screen.findByRole("button", { name: "Leave" }));
  expect(at()).toBe("/away");
});

it("asks before browser back navigation", async () => {
  const { router, at } = await open();
  await act(() => router.navigate(-1));
  expect(at()).toBe("/form");
  await userEvent.click(await screen.findByRole("button", { name: "Leave" }));
  expect(at()).toBe("/before");
});

it("allows the page's own URL changes and the redirect to the login", async () => {
  const { go, at } = await open();
  await go("/form?type=slack", true);
  expect(at()).toBe("/form?type=slack");
  await go("/form?type=slack#part");
  expect(screen.queryByRole("dialog")).toBeNull();
  await go(paths.login);
  expect(at()).toBe(paths.login);
});

it("does not ask without unsaved changes", async () => {
  const { go, at } = await open(false);
  await go("/away");
  expect(at()).toBe("/away");
});
