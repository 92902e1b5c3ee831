import type { StatusPage } from "@sonde/proto/http/status/pages";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { admin, result, viewer } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";
import { serveStatusConfig, serveTargets, statusConfig } from "../../../testing/status-page.ts";

const acme: StatusPage = {
  ...statusConfig,
  title: "Acme",
  slug: "acme",
  hosts: ["status.acme.example"],
  access: { mode: "password", domains: [], addresses: [], allowFrom: [], hasPassword: true },
  links: [{ id: 3, name: "Auditor", createdAt: "2026-01-31T12:00:00.000Z" }],
  url: "https://up.example/status/acme",
  updatedAt: "2026-01-31T12:00:00.000Z",
};
const listed = ({ slug, title, hosts, url, access: { mode } }: StatusPage) => ({ slug, title, hosts, url, mode });
const usual = { slug: "default", title: "Shop status", mode: "public", hosts: [], url: "https://up.example/status" };

/** Serves the default page and Acme's. Returns the requests that change it. */
function servePages() {
  let page = acme;
  const sent: Record<string, unknown>[] = [];
  on("get", "/pages", () => ok({ pages: [usual, listed(page)] as never }));
  on("get", "/pages/acme", () => ok({ page: page as never }));
  on("put", "/pages/acme", async ({ request }) => {
    const input = (await request.json()) as Partial<StatusPage>;
    sent.push(input);
    page = { ...page, ...input, access: { ...page.access, ...input.access } };
    return ok({ page: page as never });
  });
  return { sent };
}

beforeEach(() => {
  serveTargets();
  serveStatusConfig();
  on("post", "/monitors/test", () => ok({ result }));
});
const chosen = () => screen.findByRole("link", { current: "page", name: /Shop status|Acme/ });

describe("the list of pages", () => {
  it("selects a page, whose form saves only that page", async () => {
    const { sent } = servePages();
    const { user } = await renderScreen("/status/config", { as: admin });
    expect((await chosen()).textContent).toContain("Shop status");
    await user.click(await screen.findByRole("link", { name: /Acme/ }));
    await waitFor(() => expect(location.search).toBe("?slug=acme"));
    const form = within(await screen.findByRole("form", { name: "Status page configuration" }));
    const title = await form.findByRole<HTMLInputElement>("textbox", { name: "Title" });
    await waitFor(() => expect(title.value).toBe("Acme"));
    await user.type(title, " Inc");
    await user.click(form.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(sent).toEqual([{ title: "Acme Inc" }]));
  });

  it("keeps the open tab", async () => {
    servePages();
    await renderScreen("/status/config?tab=access", { as: admin });
    const link = await screen.findByRole("link", { name: /Acme/ });
    expect(link.getAttribute("href")).toBe("/status/config?slug=acme&tab=access");
  });

  it("is hidden from viewers if there is only one page", async () => {
    await renderScreen("/status/config", { as: viewer });
    await screen.findByRole("form", { name: "Status page configuration" });
    expect(screen.queryByRole("navigation", { name: "Status pages" })).toBeNull();
  });

  it("creates a page, and shows errors of its name next to the field", async () => {
    servePages();
    on("post", "/pages", () =>
      fail(409, "conflict", "A page with this slug already exists", [
        { path: "slug", message: "A page with this slug already exists" },
      ]),
    );
    const { user } = await renderScreen("/status/config", { as: admin });
    await user.click(await screen.findByRole("button", { name: "New page" }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.type(dialog.getByLabelText(/Title/), "Acme");
    await user.type(dialog.getByLabelText(/URL slug/), "acme");
    await user.click(dialog.getByRole("button", { name: "Create page" }));
    expect((await dialog.findAllByText("A page with this slug already exists")).length).toBeGreaterThan(0);
    on("post", "/pages", () => ok({ page: acme as never }));
    await user.click(dialog.getByRole("button", { name: "Create page" }));
    await waitFor(() => expect(location.search).toBe("?slug=acme"));
  });
});

describe("the access tab", () => {
  const open = () => renderScreen("/status/config?slug=acme&tab=access", { as: admin });

  it("keeps the password unless a new one is typed", async () => {
    const { sent } = servePages();
    const { user } = await open();
    const hosts = await screen.findByLabelText(/Domains/);
    await user.type(hosts, "\nstatus.acme.test");
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(sent).toHaveLength(1));
    const access = { mode: "password", domains: [], addresses: [], allowFrom: [] };
    expect(sent[0]).toEqual({ hosts: ["status.acme.example", "status.acme.test"], access });
    await user.type(screen.getByLabelText(/^Password/, { selector: "input[type=password]" }), "open sesame");
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(sent[1]).toMatchObject({ access: { password: "open sesame" } }));
  });

  it("checks whether each host serves the page, and shows why not", async () => {
    servePages();
    const tested: unknown[] = [];
    const error = { kind: "dns" as const, message: "The name does not exist" };
    on("post", "/monitors/test", async ({ request }) => {
      tested.push(await request.json());
      return ok({ result: tested.length === 1 ? { ...result, status: "down", error } : result });
    });
    const { user } = await open();
    const hosts = within(await screen.findByRole("list", { name: "Domain checks" }));
    await hosts.findByText("The name does not exist");
    await user.click(screen.getByRole("button", { name: "Check again" }));
    await hosts.findByText("Points here, certificate valid");
    expect(tested[1]).toMatchObject({ type: "http", url: "https://status.acme.example/" });
    error.message = "The body does not contain it";
    on("post", "/monitors/test", () =>
      ok({ result: { ...result, status: "down", error: { ...error, kind: "assertion" } } }),
    );
    await user.click(screen.getByRole("button", { name: "Check again" }));
    await hosts.findByText("Another server responds there");
  });

  it("requires addresses if links are sent by mail", async () => {
    const { sent } = servePages();
    const { user } = await open();
    await user.click(await screen.findByRole("radio", { name: "Email addresses" }));
    await user.type(screen.getByLabelText(/Email domains/), "acme.example");
    await user.type(screen.getByLabelText(/Individual addresses/), "no address");
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() =>
      expect(screen.getByLabelText(/Individual addresses/).getAttribute("aria-invalid")).toBe("true"),
    );
    await user.clear(screen.getByLabelText(/Individual addresses/));
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(sent).toMatchObject([{ access: { mode: "mail", domains: ["acme.example"] } }]));
  });

  it("shows a new link once", async () => {
    servePages();
    const made = { id: 4, name: "Ann", createdAt: acme.updatedAt! };
    on("post", "/pages/acme/links", () => ok({ link: made, url: "https://up.example/status/acme/open?token=t" }));
    const { user } = await open();
    await user.click(await screen.findByRole("button", { name: "New link" }));
    await user.type(within(await screen.findByRole("dialog")).getByLabelText(/Name/), "Ann");
    await user.click(screen.getByRole("button", { name: "Create link" }));
    await screen.findByText("https://up.example/status/acme/open?token=t");
    await user.click(screen.getByRole("button", { name: "Done" }));
    await waitFor(() => expect(screen.queryByText(/open\?token=t/)).toBeNull());
  });

  it("deletes a page, but not the default one", async () => {
    servePages();
    const { user } = await open();
    const removed = vi.fn();
    on("delete", "/pages/acme", () => (removed(), ok({}, "Page deleted")));
    await user.click(await screen.findByRole("button", { name: "Delete page" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Delete page" }));
    await waitFor(() => expect(removed).toHaveBeenCalledTimes(1));
    await waitFor(() => expect(location.search).toBe(""));
  });

  it("is read-only for viewers", async () => {
    servePages();
    await renderScreen("/status/config?slug=acme&tab=access", { as: viewer });
    const hosts = await screen.findByLabelText<HTMLTextAreaElement>(/Domains/);
    expect(hosts.closest("fieldset")?.disabled).toBe(true);
    for (const name of ["Save", "New link", "Delete page"]) expect(screen.queryByRole("button", { name })).toBeNull();
  });
});

it("announces on the selected pages", async () => {
  servePages();
  const sent: Record<string, unknown>[] = [];
  on("post", "/announcements", async ({ request }) => {
    sent.push((await request.json()) as Record<string, unknown>);
    return fail(422, "impossible", "Not now");
  });
  const { user } = await renderScreen("/status/config?tab=incidents&announce=new", { as: admin });
  await user.type(await screen.findByLabelText(/Title/), "Slow");
  await user.type(screen.getByLabelText(/Text|Update/), "We look at it.");
  await user.click(await screen.findByRole("checkbox", { name: "Acme" }));
  await user.click(screen.getByRole("button", { name: "Publish" }));
  await waitFor(() => expect(sent).toMatchObject([{ title: "Slow", pages: ["acme"] }]));
  await user.click(screen.getByRole("checkbox", { name: "Acme" }));
  await user.click(screen.getByRole("button", { name: "Publish" }));
  await waitFor(() => expect(sent[1]).toMatchObject({ pages: null }));
});

it("returns a user from a locked page to it with their session", async () => {
  servePages();
  const asked: string[] = [];
  on("post", "/pages/acme/unlock", ({ request }) => {
    asked.push(new URL(request.url).search);
    return fail(404, "not_found", "Page does not exist");
  });
  await renderScreen("/status/config?open=acme&host=status.acme.example", { as: viewer });
  await screen.findByText("Page does not exist");
  expect(asked).toEqual(["?host=status.acme.example"]);
});
