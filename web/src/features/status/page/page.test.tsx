import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { changeLanguage } from "../../../app/i18n.ts";
import { admin, config, viewer } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";
import {
  lines,
  openPageForm as open,
  serveStatusConfig,
  serveTargets,
  services,
  title,
} from "../../../testing/status-page.ts";

beforeEach(() => serveTargets());

describe("the status page settings", () => {
  it("show the stored values: services with name and state in their groups, and the public URL", async () => {
    serveStatusConfig();
    const { form } = await open();
    expect(title(form).value).toBe("Shop status");
    expect(lines(form)).toEqual(["Website · 2", "Shop API", "pay-eu-1", "No group · 1", "Search"]);
    expect(within(services(form)).getAllByText("Normal")).toHaveLength(3);
    expect(form.getByLabelText<HTMLInputElement>("Name on the page: pay-eu-1").value).toBe("Payments");
    expect(screen.getByText("https://up.example/status")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Open" }).getAttribute("href")).toBe("https://up.example/status");
    expect(form.getByRole<HTMLButtonElement>("button", { name: "Save" }).disabled).toBe(true);
  });

  it("save only changes and report success", async () => {
    const { sent } = serveStatusConfig();
    const { form, user, save } = await open();
    await user.clear(title(form));
    await user.type(title(form), "Our status");
    await user.click(form.getByRole("radio", { name: "Dark" }));
    await user.click(form.getByRole("radio", { name: "Teal" }));
    await user.click(form.getByRole("checkbox", { name: /^Allow search engines/ }));
    expect(form.getByText("Unsaved changes")).toBeTruthy();
    await save();
    expect(await form.findByText("Status page saved")).toBeTruthy();
    expect(sent).toEqual([{ title: "Our status", theme: { mode: "dark", accent: "#0d9488" }, searchable: false }]);
    expect(form.getByText("All changes are saved")).toBeTruthy();
  });

  it("show a fallback text if saving failed, and keep the input", async () => {
    serveStatusConfig();
    on("put", "/status/config", () => new HttpResponse(null, { status: 500 }));
    const { form, user, save } = await open();
    await user.type(form.getByLabelText("Description"), " and more");
    await save();
    expect((await form.findByRole("alert")).textContent).toBe("Failed to save status page configuration");
    expect(form.getByLabelText<HTMLTextAreaElement>("Description").value).toBe("All that we run and more");
    expect(form.getByText("Unsaved changes")).toBeTruthy();
  });

  it("show the server's errors next to their fields", async () => {
    serveStatusConfig();
    on("put", "/status/config", () =>
      fail(422, "impossible", "The request is not valid", [
        { path: "names.0.name", message: "The name is taken" },
        { path: "monitors.2", message: "There is no monitor with ID 9" },
        { path: "subscriptions.channelId", message: "Notification channel does not exist" },
        { path: "elsewhere", message: "Something else" },
      ]),
    );
    const { form, user, save } = await open();
    await user.type(title(form), "!");
    await save();
    expect(await form.findByText("The request is not valid · Something else")).toBeTruthy();
    const name = form.getByLabelText("Name on the page: pay-eu-1");
    expect(name.getAttribute("aria-describedby")).toBe(form.getByText("The name is taken").id);
    expect(form.getByText("There is no monitor with ID 9")).toBeTruthy();
    expect(form.getByLabelText("Send emails through").getAttribute("aria-describedby")).toBe(
      form.getByText("Notification channel does not exist").id,
    );
  });

  it("validate before sending, focus the first error, and translate it when the language changes", async () => {
    const { sent } = serveStatusConfig();
    const { form, user, save } = await open();
    await user.clear(title(form));
    await save();
    expect(await form.findByText("Title is required")).toBeTruthy();
    await waitFor(() => expect(document.activeElement).toBe(title(form)));
    expect(sent).toEqual([]);
    await act(() => changeLanguage("zh-CN"));
    expect(await screen.findByText("请输入标题")).toBeTruthy();
  });

  it("discard changes on demand", async () => {
    serveStatusConfig();
    const { form, user } = await open();
    await user.type(title(form), " new");
    await user.click(form.getByRole("button", { name: "Move Search up" }));
    await user.click(form.getByRole("button", { name: "Discard changes" }));
    expect(title(form).value).toBe("Shop status");
    expect(lines(form).at(-1)).toBe("Search");
    expect(form.getByText("All changes are saved")).toBeTruthy();
  });

  it("warn before another tab or page discards unsaved changes", async () => {
    serveStatusConfig();
    const { form, user } = await open();
    await user.type(title(form), "!");
    await user.click(screen.getByRole("tab", { name: "Subscribers" }));
    expect((await screen.findByRole("dialog")).textContent).toContain("Leave without saving?");
    await user.click(screen.getByRole("button", { name: "Stay" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(location.search).toBe("");
    expect(title(form).value).toBe("Shop status!");
  });

  it("offer a retry if they cannot be loaded", async () => {
    on("get", "/status/config", () => new HttpResponse(null, { status: 503 }));
    const { user } = await renderScreen("/status/config", { as: admin });
    expect(await screen.findByText("Failed to fetch data")).toBeTruthy();
    serveStatusConfig();
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByRole("form", { name: "Status page configuration" })).toBeTruthy();
  });

  it("are read-only for viewers, without a preview", async () => {
    const { previewed } = serveStatusConfig();
    const { form } = await open(viewer);
    expect(title(form).matches(":disabled")).toBe(true);
    expect(form.queryByRole("button", { name: "Save" })).toBeNull();
    expect(form.queryByRole("button", { name: /^Move/ })).toBeNull();
    expect(form.queryByRole("button", { name: "Add group" })).toBeNull();
    expect(screen.queryByRole("radio", { name: "Preview" })).toBeNull();
    expect(previewed).toEqual([]);
  });
});

describe("the preview", () => {
  const frame = () => screen.findByTitle<HTMLIFrameElement>("Preview of the public page");

  it("alternates with the form on narrow screens, follows the input, and runs no script", async () => {
    const { previewed } = serveStatusConfig();
    const { form, user } = await open();
    expect(screen.queryByTitle("Preview of the public page")).toBeNull();
    await user.type(title(form), "!");
    await user.click(screen.getByRole("radio", { name: "Preview" }));
    const shown = await frame();
    await waitFor(() => expect(shown.srcdoc).toContain("<h1>Shop status!</h1>"));
    expect(shown.getAttribute("sandbox")).toBe("allow-same-origin");
    expect(previewed.at(-1)).toMatchObject({ title: "Shop status!", monitors: [7, 8, 9] });
  });

  it("is next to the form on wide screens, and keeps its last state while a field is invalid", async () => {
    const media = globalThis.matchMedia;
    vi.spyOn(globalThis, "matchMedia").mockImplementation((query) =>
      Object.assign(media(query), { matches: query === "(width >= 80rem)" }),
    );
    const { previewed } = serveStatusConfig();
    const { form, user } = await open();
    const shown = await frame();
    await user.clear(title(form));
    expect(await screen.findByText("The preview updates once the highlighted fields are valid.")).toBeTruthy();
    expect(shown.srcdoc).toContain("<h1>Shop status</h1>");
    expect(previewed.some(({ title }) => title === "")).toBe(false);
  });

  it("shows why it failed, and retries on demand", async () => {
    serveStatusConfig();
    on("post", "/status/config/preview", () => new HttpResponse(null, { status: 500 }));
    const { user } = await open();
    await user.click(screen.getByRole("radio", { name: "Preview" }));
    expect(await screen.findByText("Couldn't render the preview")).toBeTruthy();
    on("post", "/status/config/preview", () => ok({ html: "<h1>Again</h1>" }));
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect((await frame()).srcdoc).toBe("<h1>Again</h1>");
  });
});

describe("the logo", () => {
  it("is shown as in browsers, or replaced by a text if it cannot be loaded", async () => {
    serveStatusConfig({ logoUrl: "https://shop.example/logo.svg" });
    const { form } = await open();
    const logo = form.getByRole("img", { name: "The logo" });
    expect(logo.getAttribute("src")).toBe("https://shop.example/logo.svg");
    fireEvent.error(logo);
    expect(form.getByText(/^The image couldn't be loaded/)).toBeTruthy();
  });
});

describe("an uploaded logo", () => {
  const png = new File(["an image"], "logo.png", { type: "image/png" });
  const id = "L".repeat(22);

  it("replaces the address, and is saved with the page", async () => {
    const uploaded: unknown[] = [];
    on("post", "/status/images", async ({ request }) => {
      uploaded.push(await request.json());
      return ok({ image: { id, type: "image/png" } }) as never;
    });
    const { sent } = serveStatusConfig();
    const { form, user, save } = await open();
    await user.upload(form.getByLabelText("Choose an image: Logo"), png);
    const shown = await form.findByRole("img", { name: "Logo, uploaded" });
    expect(shown.getAttribute("src")).toBe(`/api/status/images/${id}`);
    expect(form.queryByLabelText("Logo address")).toBeNull();
    expect(uploaded).toEqual([{ data: btoa("an image") }]);
    await save();
    await waitFor(() => expect(sent).toEqual([{ logo: id }]));
    await user.click(form.getByRole("button", { name: "Remove: Logo" }));
    expect(form.getByLabelText("Logo address")).toBeTruthy();
  });

  it("is refused with the reason: too large at once, otherwise by the server", async () => {
    serveStatusConfig();
    const { form, user } = await open();
    const input = form.getByLabelText("Choose an image: Icon");
    await user.upload(input, new File(["x".repeat(200_001)], "large.png", { type: "image/png" }));
    expect(await form.findByText("The image can have at most 200 KB")).toBeTruthy();
    on("post", "/status/images", () =>
      fail(400, "invalid", "The request is not valid", [
        { path: "data", message: "Choose a PNG, JPEG, WebP or SVG image" },
      ]),
    );
    await user.upload(input, png);
    expect(await form.findByText("Choose a PNG, JPEG, WebP or SVG image")).toBeTruthy();
  });
});

describe("the sections", () => {
  const sectionOf = (element: HTMLElement) => element.closest<HTMLElement>("[data-section]")!;

  it("show one part of the form, keep its input, and are in the address", async () => {
    serveStatusConfig();
    const { form, user } = await open();
    await user.type(title(form), "!");
    await user.click(screen.getByRole("radio", { name: "Services" }));
    expect(location.search).toBe("?section=services");
    expect(sectionOf(title(form)).className).toMatch(/hidden/);
    expect(sectionOf(services(form)).className).not.toMatch(/hidden/);
    await user.click(screen.getByRole("radio", { name: "General" }));
    expect(location.search).toBe("");
    expect(title(form).value).toBe("Shop status!");
  });

  it("open where the first error is", async () => {
    serveStatusConfig();
    const { form, user, save } = await open();
    await user.clear(title(form));
    await user.click(screen.getByRole("radio", { name: "Appearance" }));
    await save();
    await waitFor(() => expect(document.activeElement).toBe(title(form)));
    expect(sectionOf(title(form)).className).not.toMatch(/hidden/);
  });
});

describe("subscriptions", () => {
  const made = { createdAt: "2026-01-01T00:00:00Z", updatedAt: "2026-01-01T00:00:00Z" };
  const mail = { ...made, id: 4, name: "Our mail", type: "smtp", enabled: true, config: {}, healthy: true };
  const slack = { ...mail, id: 5, name: "Ops room", type: "slack" };
  const serveMail = (channels: object[]) => on("get", "/notifications/channels", () => ok({ channels } as never));

  it("use an email channel", async () => {
    serveMail([mail, slack]);
    const { sent } = serveStatusConfig();
    const { form, user, save } = await open();
    await user.click(form.getByRole("checkbox", { name: /^Let visitors subscribe/ }));
    const select = form.getByLabelText("Send emails through");
    await within(select).findByText(/^Our mail/);
    expect(within(select).queryByText(/^Ops room/)).toBeNull();
    expect(form.getByText(/^Choose a channel/)).toBeTruthy();
    await user.selectOptions(select, "4");
    expect(form.queryByText(/^Choose a channel/)).toBeNull();
    await save();
    await waitFor(() => expect(sent).toEqual([{ subscriptions: { enabled: true, channelId: 4 } }]));
  });

  it("report that there is no such channel, and that mails need PUBLIC_URL", async () => {
    serveMail([slack]);
    serveStatusConfig({ subscriptions: { enabled: true, channelId: null } });
    const { form } = await open();
    expect(await form.findByText(/^No SMTP or Resend channel yet/)).toBeTruthy();
    expect(form.getByRole("link", { name: "Add a channel" }).getAttribute("href")).toBe(
      "/notifications/channels/create",
    );
    expect(await form.findByText(/^PUBLIC_URL is not set on the server/)).toBeTruthy();
  });

  it("need no hint if PUBLIC_URL is set", async () => {
    on("get", "/config", () => ok({ ...config, publicUrl: "https://up.example" }));
    serveMail([mail]);
    serveStatusConfig({ subscriptions: { enabled: true, channelId: 4 } });
    const { form } = await open();
    await within(form.getByLabelText("Send emails through")).findByText(/^Our mail/);
    expect(form.queryByText(/^PUBLIC_URL/)).toBeNull();
  });
});

describe("embedding", () => {
  it("offers a badge of each shown service in two formats, a frame and a feed", async () => {
    serveStatusConfig();
    const { user } = await open();
    await user.click(screen.getByRole("radio", { name: "Sharing" }));
    const code = (name: string) => screen.getByRole("region", { name }).textContent;
    const badge = "https://up.example/api/status/badges/7.svg?kind=status";
    await waitFor(() =>
      expect(code("Badge code")).toBe(`[![Status of Shop API](${badge})](https://up.example/status)`),
    );
    await user.selectOptions(screen.getByLabelText("API service"), "Payments");
    await user.selectOptions(screen.getByLabelText("Badge"), "Uptime");
    await user.click(screen.getByRole("radio", { name: "for HTML" }));
    const image = "https://up.example/api/status/badges/8.svg?kind=uptime";
    expect(code("Badge code")).toBe(
      `<a href="https://up.example/status"><img src="${image}" alt="Uptime of Payments"></a>`,
    );
    expect(code("Status line for another site")).toContain('<iframe src="https://up.example/status/embed"');
    expect(code("Atom feed")).toBe("https://up.example/api/status/feed.atom");
  });

  it("uses this browser's address without PUBLIC_URL", async () => {
    serveStatusConfig({ monitors: [7], groups: [], names: [] }, "/status");
    await open();
    expect(screen.getByText("http://localhost/status")).toBeTruthy();
    expect(screen.getByText(/^PUBLIC_URL is not set on the server, so this is the address/)).toBeTruthy();
  });
});
