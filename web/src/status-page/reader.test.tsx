import { http, HttpResponse } from "msw";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { demoSnapshot } from "@sonde/status-page/testing/demo-status";
import { server } from "../testing/server.ts";
import { useLanguage } from "./refresh.ts";
import { openDemo, parseDemo } from "./page.testing.ts";
import { watchSubscribe } from "./subscribe.ts";
import { bindThemeButton } from "./page.ts";
import { agoText, localise } from "./times.ts";

const root = document.documentElement;
const button = () => document.querySelector<HTMLButtonElement>("#theme")!;

describe("the theme", () => {
  it("is the visitor's choice if the page allows it, else the system's", () => {
    openDemo();
    bindThemeButton();
    expect(root.dataset["theme"]).toBeUndefined();
    localStorage.setItem("theme", "dark");
    bindThemeButton();
    expect(root.dataset["theme"]).toBe("dark");
  });

  it("is changed by a button that shows it, and stored", () => {
    openDemo();
    bindThemeButton();
    expect([button().hidden, button().textContent]).toEqual([false, "Theme: system"]);
    button().click();
    expect([root.dataset["theme"], localStorage.getItem("theme")]).toEqual(["light", "light"]);
    button().click();
    expect([root.dataset["theme"], button().textContent]).toEqual(["dark", "Theme: dark"]);
    button().click();
    expect(root.dataset["theme"]).toBeUndefined();
  });

  it("is the page's if it prescribes one, whatever is stored", () => {
    const page = { ...demoSnapshot.page, theme: { mode: "light" as const, accent: "#123456" } };
    openDemo({ snapshot: { ...demoSnapshot, page } });
    localStorage.setItem("theme", "dark");
    bindThemeButton();
    expect(root.dataset["theme"]).toBe("light");
    expect(button()).toBeNull();
  });
});

describe("times", () => {
  it.each([
    [-5000, "just now"],
    [59_000, "just now"],
    [60_000, "1 minute ago"],
    [3 * 3_600_000, "3 hours ago"],
    [49 * 3_600_000, "2 days ago"],
  ])("%d ms ago are %s", (agoMs, text) => {
    openDemo();
    expect(agoText(new Date(1e12 - agoMs).toISOString(), 1e12)).toBe(text);
  });

  it("are in the visitor's zone, and a range within a day has one date", () => {
    vi.stubEnv("TZ", "Asia/Shanghai");
    openDemo();
    localise();
    const [open, running] = [".open .facts time", ".coming .range"].map((one) => document.querySelector(one)!);
    expect(open!.textContent).toBe("Nov 22, 18:04");
    expect(open!.getAttribute("title")).toMatch(/Sunday, November 22, 2026 at 18:04:00 (GMT\+8|China)/);
    expect(running!.textContent.replace(/\s+/g, " ")).toBe("Nov 22, 19:00 – 21:00");
    const overnight = document.querySelectorAll(".range")[1]!;
    expect(overnight.textContent.replace(/\s+/g, " ")).toBe("Nov 25, 19:40 – 23:40");
    vi.unstubAllEnvs();
  });
});

describe("the language", () => {
  it("is the stored one if the URL has none", async () => {
    openDemo();
    localStorage.setItem("language", "zh-CN");
    const asked: (string | null)[] = [];
    server.use(
      http.get("*/status", ({ request }) => {
        asked.push(request.headers.get("accept-language"));
        return new HttpResponse(parseDemo({ language: "zh-CN" }).documentElement.outerHTML);
      }),
    );
    history.replaceState(null, "", "/status");
    useLanguage();
    await vi.waitFor(() => expect(root.lang).toBe("zh-CN"));
    expect(asked).toEqual(["zh-CN"]);
  });

  it("is the URL's, whatever is stored", () => {
    openDemo();
    localStorage.setItem("language", "zh-CN");
    const asked = vi.spyOn(globalThis, "fetch");
    history.replaceState(null, "", "/status?lang=en-US");
    useLanguage();
    expect(asked).not.toHaveBeenCalled();
  });

  it("is stored when its link is clicked", () => {
    openDemo();
    history.replaceState(null, "", "/status?lang=en-US");
    useLanguage();
    const link = document.querySelector<HTMLAnchorElement>("a.language")!;
    link.addEventListener("click", (event) => event.preventDefault());
    link.click();
    expect(localStorage.getItem("language")).toBe("zh-CN");
  });
});

describe("the subscription form", () => {
  beforeAll(() => watchSubscribe());
  const form = () => document.querySelector<HTMLFormElement>("#subscribe form")!;
  const fill = (email: string) => void (form().querySelector<HTMLInputElement>("#email")!.value = email);
  const answer = () => document.querySelector<HTMLElement>("#subscribe-answer")!;

  it("is sent without leaving the page, in the page's language, and shows the response", async () => {
    openDemo({ language: "zh-CN" });
    const asked: unknown[] = [];
    server.use(
      http.post("*/api/status/subscribers", async ({ request }) => {
        asked.push(request.headers.get("accept-language"), await request.json());
        return HttpResponse.json({ success: true, message: "请查收邮件" });
      }),
    );
    fill("reader@example.com");
    form().querySelector<HTMLInputElement>("[value='monitor:4']")!.checked = true;
    form().requestSubmit();
    await vi.waitFor(() => expect(answer().textContent).toBe("请查收邮件"));
    expect(asked).toEqual(["zh-CN", { email: "reader@example.com", services: ["monitor:4"] }]);
    expect(form().querySelector<HTMLInputElement>("#email")!.value).toBe("");
  });

  it("shows why it was rejected and keeps the input", async () => {
    openDemo();
    server.use(
      http.post("*/api/status/subscribers", () =>
        HttpResponse.json({ success: false, message: "Too many requests" }, { status: 429 }),
      ),
    );
    fill("reader@example.com");
    form().requestSubmit();
    await vi.waitFor(() => expect(answer().textContent).toBe("Too many requests"));
    expect(answer().dataset["state"]).toBe("failed");
    expect(form().querySelector<HTMLInputElement>("#email")!.value).toBe("reader@example.com");
    expect(form().querySelector("button")!.disabled).toBe(false);
  });

  it("is submitted by the browser if the request fails", async () => {
    openDemo();
    server.use(http.post("*/api/status/subscribers", () => HttpResponse.error()));
    const sent = vi.spyOn(HTMLFormElement.prototype, "submit").mockReturnValue();
    fill("reader@example.com");
    form().requestSubmit();
    await vi.waitFor(() => expect(sent).toHaveBeenCalled());
    expect(form().getAttribute("action")).toBe("/status/subscribe?lang=en-US");
  });
});
