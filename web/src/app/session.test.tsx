import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { admin, dashboard } from "../testing/fixtures.ts";
import { renderApp } from "../testing/render-app.tsx";
import { fail, ok, on } from "../testing/server.ts";

const home = /know before your users do/i;

describe("the session on load", () => {
  it("is restored from the stored token and user without a request", async () => {
    const asked = vi.fn();
    on("get", "/auth/me", () => {
      asked();
      return fail(500, "internal");
    });
    on("get", "/dashboard", () => ok({ ...dashboard }));
    await renderApp("/dashboard", { as: admin });
    expect(await screen.findByRole("heading", { name: "Dashboard" })).toBeTruthy();
    expect(asked).not.toHaveBeenCalled();
  });

  it("requests and stores the user if only a token is stored", async () => {
    localStorage.setItem("token", "lonely");
    let authorization: string | null = null;
    on("get", "/auth/me", ({ request }) => {
      authorization = request.headers.get("authorization");
      return ok({ user: admin });
    });
    on("get", "/dashboard", () => ok({ ...dashboard }));
    const { path } = await renderApp("/dashboard");
    expect(await screen.findByRole("heading", { name: "Dashboard" })).toBeTruthy();
    expect(authorization).toBe("Bearer lonely");
    expect(JSON.parse(localStorage.getItem("user") ?? "")).toEqual(admin);
    expect(path()).toBe("/dashboard");
  });

  it.each([
    ["fails", () => fail(500, "internal", "Something went wrong")],
    [
      "is unsuccessful",
      () => new Response(JSON.stringify({ success: false }), { headers: { "content-type": "application/json" } }),
    ],
  ])("clears token and user, and logs it, if that %s", async (_how, answer) => {
    localStorage.setItem("token", "lonely");
    localStorage.setItem("user", "not json");
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    on("get", "/auth/me", answer);
    const { path } = await renderApp("/dashboard");
    await waitFor(() => expect(path()).toBe("/login"));
    expect(localStorage.getItem("token")).toBeNull();
    expect(localStorage.getItem("user")).toBeNull();
    expect(log).toHaveBeenCalledWith("Failed to fetch user information", expect.anything());
  });
});

describe("a 401 response", () => {
  it("clears the session, leads to /login, and back after the login", async () => {
    on("get", "/monitors", () => fail(401, "unauthenticated", "Please log in"));
    const { path, user } = await renderApp("/monitors?status=down", { as: admin });
    expect(await screen.findByRole("heading", { name: "Log in to Sonde" })).toBeTruthy();
    expect(path()).toBe("/login");
    expect(screen.getByText("Your session has expired.")).toBeTruthy();
    expect(localStorage.getItem("token")).toBeNull();
    expect(localStorage.getItem("user")).toBeNull();

    on("post", "/auth/login", () => ok({ token: "fresh", user: admin }));
    on("get", "/monitors", () => ok({ monitors: [], total: 0 }));
    await user.type(screen.getByLabelText("Username"), "ada");
    await user.type(screen.getByLabelText("Password"), "correct horse");
    await user.click(screen.getByRole("button", { name: "Log in" }));
    expect(await screen.findByText("No matching monitors")).toBeTruthy();
    expect(location.search).toBe("?status=down");
    expect(localStorage.getItem("token")).toBe("fresh");
  });
});

describe("routes that need a login", () => {
  it.each([
    "/dashboard",
    "/monitors",
    "/monitors/3",
    "/agents",
    "/status/config",
    "/notifications",
    "/notifications/noise",
    "/users",
    "/profile",
  ])("%s redirects a visitor to /login", async (address) => {
    const { path } = await renderApp(address);
    expect(await screen.findByRole("heading", { name: "Log in to Sonde" })).toBeTruthy();
    expect(path()).toBe("/login");
  });

  it.each([
    ["/monitors/create", "/monitors"],
    ["/monitors/create?clone=7", "/monitors"],
    ["/monitors/edit/7", "/monitors/7"],
    ["/agents/create", "/agents"],
    ["/agents/edit/3", "/agents/3"],
    ["/notifications/channels/create", "/notifications"],
    ["/notifications/channels/edit/1", "/notifications"],
    ["/notifications/templates/create", "/notifications"],
  ])("%s shows viewers a notice with a link to %s instead of the form", async (address, readAt) => {
    const viewer = { ...admin, role: "viewer" as const };
    on("get", "/auth/me", () => ok({ user: viewer }));
    await renderApp(address, { as: viewer });
    expect(
      await screen.findByText(/^Viewers can read everything but can't change anything\. .*ada \(Viewer\)/),
    ).toBeTruthy();
    expect(screen.getByRole("link", { name: "View without editing" }).getAttribute("href")).toBe(readAt);
    expect(document.querySelector("main form")).toBeNull();
  });

  it.each(["/users", "/users/create", "/users/2"])(
    "%s shows a notice to users who are not administrators",
    async (address) => {
      const user = { ...admin, role: "user" as const };
      on("get", "/auth/me", () => ok({ user }));
      const { path } = await renderApp(address, { as: user });
      expect(await screen.findByRole("heading", { name: "Not allowed" })).toBeTruthy();
      expect(path()).toBe(address);
    },
  );
});

describe("the layout", () => {
  it("has language and Log in for a visitor, footer links from the configuration, and the year", async () => {
    await renderApp("/");
    expect(await screen.findByRole("heading", { name: home })).toBeTruthy();
    expect(screen.getByRole("banner").querySelector('a[href="/login"]')?.textContent).toBe("Log in");
    expect(screen.getByRole("button", { name: "Language: English" })).toBeTruthy();
    const blog = await screen.findByRole("link", { name: "Blog" });
    expect(blog.getAttribute("href")).toBe("https://blog.example/");
    expect(screen.getByRole("contentinfo").querySelectorAll("a")).toHaveLength(3);
    expect(screen.getByRole("contentinfo").textContent).toContain(String(new Date().getFullYear()));
  });

  it("is omitted for visitors who follow a link from a message", async () => {
    await renderApp("/acknowledge");
    expect(await screen.findByRole("heading", { level: 1 })).toBeTruthy();
    expect(screen.queryByRole("navigation")).toBeNull();
    expect(screen.queryByRole("contentinfo")).toBeNull();
  });

  it("lists the main pages, and administrators' pages in the user menu", async () => {
    on("get", "/dashboard", () => ok({ ...dashboard }));
    const { user, path } = await renderApp("/dashboard", { as: admin });
    const links = () => [...screen.getByRole("navigation", { name: "Main" }).querySelectorAll("a")];
    await screen.findByRole("link", { name: "Incidents 1 open" });
    expect(links().map((link) => [link.textContent?.trim(), link.getAttribute("href")])).toEqual([
      ["Dashboard", "/dashboard"],
      ["API Monitors", "/monitors"],
      ["Agent Monitors", "/agents"],
      ["Incidents 11 open", "/incidents"],
      ["On Call", "/on-call"],
      ["Service levels", "/service-levels"],
      ["Maintenance", "/maintenance"],
      ["Status Page", "/status/config"],
      ["Notifications", "/notifications"],
    ]);
    await user.click(screen.getByRole("button", { name: /ada/ }));
    const menu = await screen.findByRole("menu");
    expect(menu.textContent).toContain("Logged in asada");
    expect([...menu.querySelectorAll('[role="menuitem"]')].map(({ textContent }) => textContent)).toEqual([
      "User Management",
      "Settings",
      "Profile",
      "Documentation",
      "Log out",
    ]);
    expect(screen.getByRole("menuitem", { name: "Documentation" }).getAttribute("href")).toBe("/docs/");
    await user.click(screen.getByRole("menuitem", { name: "Log out" }));
    await waitFor(() => expect(path()).toBe("/login"));
    expect(localStorage.getItem("token")).toBeNull();
    expect(localStorage.getItem("user")).toBeNull();
  });

  it("hides User Management from other users", async () => {
    on("get", "/dashboard", () => ok({ ...dashboard }));
    const { user } = await renderApp("/dashboard", { as: { ...admin, role: "user" } });
    await user.click(await screen.findByRole("button", { name: /ada/ }));
    await screen.findByRole("menu");
    expect(screen.queryByRole("menuitem", { name: "User Management" })).toBeNull();
  });

  it("gets the scrolled style beyond ten pixels", async () => {
    await renderApp("/");
    await screen.findByRole("heading", { name: home });
    const bar = screen.getByRole("banner");
    const scrollTo = (y: number) => {
      Object.defineProperty(window, "scrollY", { value: y, configurable: true });
      window.dispatchEvent(new Event("scroll"));
    };
    scrollTo(10);
    await waitFor(() => expect(bar.dataset["scrolled"]).toBeUndefined());
    scrollTo(11);
    await waitFor(() => expect(bar.dataset["scrolled"]).toBe("true"));
    scrollTo(0);
  });
});

describe("the language", () => {
  it("is zh-CN by default, applies to the page, its lang attribute and requests, and is stored", async () => {
    const asked: (string | null)[] = [];
    on("get", "/monitors", ({ request }) => {
      asked.push(request.headers.get("accept-language"));
      return fail(500, "internal");
    });
    const { user } = await renderApp("/monitors", { as: admin, language: "zh-CN" });
    expect(await screen.findByText("获取监控项数据失败")).toBeTruthy();
    expect(document.documentElement.lang).toBe("zh-CN");
    await user.click(screen.getByRole("button", { name: "语言: 中文" }));
    await user.click(await screen.findByRole("menuitemradio", { name: "English" }));
    expect(await screen.findByText("Failed to fetch monitor data")).toBeTruthy();
    expect(document.documentElement.lang).toBe("en-US");
    expect(localStorage.getItem("language")).toBe("en-US");
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(asked.at(-1)).toBe("en-US"));
    expect(asked[0]).toBe("zh-CN");
  });

  it.each(["/", "/login", "/register", "/invite"])("%s offers English to a browser that prefers it", async (at) => {
    vi.spyOn(navigator, "languages", "get").mockReturnValue(["fr-FR", "en-GB", "zh-CN"]);
    const { user } = await renderApp(at, { language: "zh-CN" });
    await user.click(await screen.findByRole("button", { name: "View this page in English" }));
    await waitFor(() => expect(document.documentElement.lang).toBe("en-US"));
    expect(localStorage.getItem("language")).toBe("en-US");
    expect(screen.queryByRole("button", { name: "View this page in English" })).toBeNull();
  });

  it.each([
    ["a browser that prefers Chinese", ["zh-TW", "en-US"], null],
    ["a visitor who has chosen Chinese", ["en-US"], "zh-CN"],
  ])("is not offered to %s", async (_who, preferred, stored) => {
    vi.spyOn(navigator, "languages", "get").mockReturnValue(preferred);
    if (stored !== null) localStorage.setItem("language", stored);
    await renderApp("/login", { language: "zh-CN" });
    expect(await screen.findByRole("heading", { name: "登录 Sonde" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: "View this page in English" })).toBeNull();
  });
});

describe("an unknown URL", () => {
  it("shows a notice with a button to home", async () => {
    await renderApp("/nowhere");
    expect(await screen.findByRole("heading", { name: "Page not found" })).toBeTruthy();
    expect(screen.getByRole("link", { name: "Back to home" }).getAttribute("href")).toBe("/");
  });
});

describe("the theme", () => {
  it("is applied at once and stored", async () => {
    const { user } = await renderApp("/nowhere");
    await user.click(await screen.findByRole("button", { name: "Theme: System" }));
    await user.click(await screen.findByRole("menuitemradio", { name: "Dark" }));
    expect(document.documentElement.dataset["theme"]).toBe("dark");
    expect(localStorage.getItem("theme")).toBe("dark");
    expect(await screen.findByRole("button", { name: "Theme: Dark" })).toBeTruthy();
  });
});
