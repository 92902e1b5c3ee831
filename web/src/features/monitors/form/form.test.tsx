import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, describe, expect, it } from "vitest";
import { changeLanguage } from "../../../app/i18n.ts";
import { admin, config, historyPeriod, monitor, result } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";
import { chooseKind } from "../../../testing/user.ts";

let sent: unknown;
const addressChanged = "The address has changed: enter this secret value again";

beforeEach(() => {
  sent = undefined;
  on("get", "/locations", () => ok({ locations: [{ name: "default", runners: 1, monitors: 1 }] }));
  on("get", "/monitors/7", () => ok({ monitor }));
  on("get", "/monitors/7/history", () => ok({ range: "24h", step: 300, buckets: [], ...historyPeriod }));
});

async function openCreate() {
  const app = await renderScreen("/monitors/create", { as: admin });
  await screen.findByRole("heading", { name: "Add monitor" });
  const { user } = app;
  const type = async (label: RegExp, text: string) => {
    const field = await screen.findByLabelText(label);
    await user.clear(field);
    await user.type(field, text);
  };
  const save = async () => user.click(await screen.findByRole("button", { name: "Create monitor" }));
  const advanced = () => user.click(screen.getByText("Advanced"));
  return { ...app, type, save, advanced };
}

function acceptCreate() {
  on("post", "/monitors", async ({ request }) => {
    sent = await request.json();
    return ok({ monitor }, "Monitor created");
  });
}

describe("creating a monitor", () => {
  it("lets the server choose a single location, and offers only those with runners otherwise", async () => {
    acceptCreate();
    on("get", "/locations", () =>
      ok({
        locations: [
          { name: "default", runners: 0, monitors: 3 },
          { name: "eu1", runners: 1, monitors: 0 },
          { name: "us1", runners: 2, monitors: 0 },
        ],
      }),
    );
    const { type, save, advanced, user } = await openCreate();
    await type(/^Name/, "Shop API");
    await type(/^URL/, "https://shop.example/");
    await advanced();
    expect(await screen.findByRole("checkbox", { name: /us1/ })).toBeTruthy();
    expect(screen.queryByRole("checkbox", { name: /default/ })).toBeNull();
    await user.click(screen.getByRole("checkbox", { name: /eu1/ }));
    await save();
    await waitFor(() => expect(sent).toMatchObject({ locations: ["eu1"] }));
  });

  it("offers other locations for confirmation when that section is opened", async () => {
    acceptCreate();
    const runners = (name: string) => ({ name, runners: 1, monitors: 0 });
    on("get", "/locations", () => ok({ locations: ["default", "eu1", "us1"].map(runners) }));
    on("get", "/monitors/confirm", () => ok({ confirm: { locations: ["eu1"], need: 1 } }));
    const { type, save, advanced, user } = await openCreate();
    await type(/^Name/, "Shop API");
    await type(/^URL/, "https://shop.example/");
    await advanced();
    await user.click(await screen.findByText("Second opinion"));
    const part = within(await screen.findByRole("group", { name: "Second opinion" }));
    await waitFor(() => expect(part.queryByRole("checkbox", { name: "default" })).toBeNull());
    for (const name of ["eu1", "us1"]) await user.click(await part.findByRole("checkbox", { name }));
    await save();
    await waitFor(() => expect(sent).toMatchObject({ confirm: { locations: ["eu1", "us1"], need: 1 } }));
  });

  it.each([
    ["a validation error", "", "Please fix the highlighted fields", "请修正标出的字段"],
    [
      "a request error",
      "https://shop.example/",
      "Failed to create monitor, please try again later",
      "创建监控项失败，请稍后再试",
    ],
  ])("translates %s when the language changes", async (_what, url, english, chinese) => {
    on("post", "/monitors", () => new HttpResponse(null, { status: 500 }));
    const { type, save } = await openCreate();
    await type(/^Name/, "Shop API");
    if (url !== "") await type(/^URL/, url);
    await save();
    expect(await screen.findByText(english)).toBeTruthy();
    await act(() => changeLanguage("zh-CN"));
    expect(await screen.findByText(chinese)).toBeTruthy();
    expect(screen.queryByText(english)).toBeNull();
  });

  it("requires only name and URL, and opens the monitor", async () => {
    acceptCreate();
    const { type, save, path } = await openCreate();
    await type(/^Name/, "Shop API");
    await type(/^URL/, "https://shop.example/health");
    await save();
    await waitFor(() => expect(path()).toBe("/monitors/7"));
    expect(await screen.findByText("Monitor created")).toBeTruthy();
    // A reload must not show the message again.
    expect(JSON.stringify(window.history.state)).not.toContain("Monitor created");
    expect(sent).toMatchObject({
      name: "Shop API",
      url: "https://shop.example/health",
      method: "GET",
      interval: 1,
      expectedStatus: 200,
    });
    expect(sent).not.toHaveProperty("timeout");
  });

  it("shows missing fields without a request", async () => {
    acceptCreate();
    const { save } = await openCreate();
    await save();
    expect(await screen.findByText("Name is required")).toBeTruthy();
    expect(screen.getByText("URL is required")).toBeTruthy();
    expect(screen.getByText("Please fix the highlighted fields")).toBeTruthy();
    expect(sent).toBeUndefined();
  });

  it("translates its errors when the language changes", async () => {
    const { save } = await openCreate();
    await save();
    await screen.findByText("Name is required");
    await act(() => changeLanguage("zh-CN"));
    expect(await screen.findByText("请输入名称")).toBeTruthy();
    expect(screen.queryByText("Name is required")).toBeNull();
  });

  it("accepts durations and status codes in common notations", async () => {
    acceptCreate();
    const { type, save, advanced, path } = await openCreate();
    await type(/^Name/, "Shop API");
    await type(/^URL/, "https://shop.example/");
    await advanced();
    await type(/^Interval/, "1h 30m");
    await type(/^Timeout/, "2500ms");
    await type(/^Expected status code/, "200-204, 301");
    await type(/^Tags/, "shop，api");
    await save();
    await waitFor(() => expect(path()).toBe("/monitors/7"));
    expect(sent).toMatchObject({ interval: 90, timeout: 2.5, expectedStatus: "200-204, 301", tags: ["shop", "api"] });
  });

  it("stores the response of failed checks unless disabled", async () => {
    acceptCreate();
    const { type, save, advanced, user } = await openCreate();
    await type(/^Name/, "Shop API");
    await type(/^URL/, "https://shop.example/");
    await advanced();
    const keep = screen.getByRole<HTMLInputElement>("checkbox", { name: /Keep the response of failed/ });
    expect(keep.checked).toBe(true);
    await user.click(keep);
    await user.click(screen.getByRole("checkbox", { name: /^Invert result/ }));
    await save();
    await waitFor(() => expect(sent).toMatchObject({ keepBody: false, invert: true }));
  });

  it.each([
    ["below the minimum", "30s", "At least 1 min"],
    ["that is not a duration", "often", "Enter a duration such as 5m, 90s or 1h"],
  ])("rejects an interval %s next to its field", async (_what, text, words) => {
    acceptCreate();
    const { type, save } = await openCreate();
    await type(/^URL/, "https://shop.example/");
    await type(/^Interval/, text);
    await save();
    expect(screen.getByLabelText("Interval").getAttribute("aria-describedby")).toBe(
      (await screen.findByText(words)).id,
    );
    expect(sent).toBeUndefined();
  });

  it("focuses the first invalid field in page order, and removes the summary with the last error", async () => {
    acceptCreate();
    const { type, save, user } = await openCreate();
    await chooseKind(user, "TCP");
    await save();
    const host = await screen.findByLabelText(/^Host/);
    await waitFor(() => expect(document.activeElement).toBe(host));
    expect(screen.getByText("Port is required")).toBeTruthy();
    expect(screen.getByText("Please fix the highlighted fields")).toBeTruthy();
    await type(/^Host/, "db.example");
    await type(/^Port/, "5432");
    await waitFor(() => expect(screen.queryByText("Please fix the highlighted fields")).toBeNull());
  });

  it("offers common intervals that the server allows, and selects one by a click", async () => {
    on("get", "/config", () => ok({ ...config, minIntervalMinutes: 0.5 }));
    acceptCreate();
    const { type, save, user } = await openCreate();
    await type(/^URL/, "https://shop.example/");
    const presets = () => within(screen.getByRole("group", { name: "Presets" })).getAllByRole("button");
    const words = ({ textContent }: HTMLElement) => textContent.replaceAll(/\s/g, " ");
    await waitFor(() => expect(presets().map(words).slice(0, 3)).toEqual(["30 s", "1 min", "5 min"]));
    const pressed = () =>
      presets()
        .filter((preset) => preset.ariaPressed === "true")
        .map(words);
    expect(pressed()).toEqual(["1 min"]);
    await user.click(screen.getByRole("button", { name: "15 min" }));
    expect(screen.getByLabelText<HTMLInputElement>("Interval").value).toBe("15");
    expect(pressed()).toEqual(["15 min"]);
    await save();
    await waitFor(() => expect(sent).toMatchObject({ interval: 15 }));
  });

  it("requires only the address: adds https:// and proposes a name", async () => {
    acceptCreate();
    const { save, user } = await openCreate();
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText(/^URL/)));
    await user.keyboard("www.shop.example/health");
    expect(screen.getByLabelText<HTMLInputElement>(/^Name/).value).toBe("shop.example");
    await user.tab();
    expect(screen.getByLabelText<HTMLInputElement>(/^URL/).value).toBe("https://www.shop.example/health");
    await save();
    await waitFor(() => expect(sent).toBeDefined());
    expect(sent).toMatchObject({ name: "shop.example", url: "https://www.shop.example/health", interval: 1 });
  });

  it("keeps a typed name, and completes an address submitted with Enter", async () => {
    acceptCreate();
    const { type } = await openCreate();
    await type(/^URL/, "shop.example");
    await type(/^Name/, "Checkout");
    await type(/^URL/, "pay.example{Enter}");
    await waitFor(() => expect(sent).toMatchObject({ name: "Checkout", url: "https://pay.example" }));
  });

  it.each([
    ["a timeout longer than the interval", /^Timeout/, "60", "The timeout must be shorter than the interval"],
    ["a limit for slow checks as long as the timeout", /^Slow after/, "10000", "This must be less than the timeout"],
    [
      "an invalid status",
      /^Expected status code/,
      "ok",
      "Enter a status code, class or range, such as 200, 2xx or 200-204,301",
    ],
  ])("rejects %s next to its field, and expands the advanced section", async (_what, label, text, words) => {
    acceptCreate();
    const { type, save, advanced } = await openCreate();
    await type(/^Name/, "Shop API");
    await type(/^URL/, "https://shop.example/");
    await advanced();
    await type(label, text);
    await advanced();
    await save();
    const note = await screen.findByText(words);
    const field = screen.getByLabelText(label);
    expect(field.getAttribute("aria-describedby")).toBe(note.id);
    expect(field.getAttribute("aria-invalid")).toBe("true");
    expect(field.closest("details")?.open).toBe(true);
    expect(sent).toBeUndefined();
  });

  it("shows the server's errors next to the fields and keeps the input", async () => {
    on("post", "/monitors", () =>
      fail(400, "invalid", "The request is not valid", [{ path: "url", message: "This address cannot be monitored" }]),
    );
    const { type, save, path } = await openCreate();
    await type(/^Name/, "Metadata");
    await type(/^URL/, "http://169.254.169.254/");
    await save();
    expect(await screen.findByText("This address cannot be monitored")).toBeTruthy();
    expect(screen.getByText("The request is not valid")).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>(/^Name/).value).toBe("Metadata");
    expect(path()).toBe("/monitors/create");
  });

  it("shows why an assertion's pattern or path is invalid, and accepts a correction", async () => {
    const words = "Missing closing ): (ok";
    on("post", "/monitors", () =>
      fail(400, "invalid", "The request is not valid", [{ path: "assertions.0.value", message: words }]),
    );
    const { type, save, advanced, user, path } = await openCreate();
    await type(/^Name/, "Shop API");
    await type(/^URL/, "https://shop.example/");
    await advanced();
    await user.click(screen.getByRole("button", { name: "Add assertion" }));
    await user.selectOptions(screen.getByLabelText("Part of the response"), "json");
    await user.selectOptions(screen.getByLabelText("Comparison"), "matches");
    await type(/^Property$/, "$.items[[*]");
    await type(/^Value$/, "(ok");
    await save();
    const note = await screen.findByText(/^The path must select one value.*: \[\*\]$/);
    expect(screen.getByLabelText("Property").getAttribute("aria-describedby")).toBe(note.id);
    await type(/^Property$/, "$.items[[0]");
    await save();
    const refusal = await screen.findByText(words);
    expect(screen.getByLabelText("Value").getAttribute("aria-describedby")).toBe(refusal.id);
    expect(screen.getByLabelText("Value").getAttribute("aria-invalid")).toBe("true");
    expect(screen.getByLabelText("Property").getAttribute("aria-invalid")).toBeNull();
    acceptCreate();
    await type(/^Value$/, "(ok)");
    await save();
    await waitFor(() => expect(path()).toBe("/monitors/7"));
    expect(sent).toMatchObject({
      assertions: [{ source: "json", property: "$.items[0]", op: "matches", value: "(ok)" }],
    });
  });

  it("uses its own text without a server message, and can retry", async () => {
    on("post", "/monitors", () => new HttpResponse(null, { status: 500 }));
    const { type, save, path } = await openCreate();
    await type(/^Name/, "Shop API");
    await type(/^URL/, "https://shop.example/");
    await save();
    expect(await screen.findByText("Failed to create monitor, please try again later")).toBeTruthy();
    acceptCreate();
    await save();
    await waitFor(() => expect(path()).toBe("/monitors/7"));
  });

  it("tests before saving: runs one check, shows the result, and saves nothing", async () => {
    acceptCreate();
    let tested: unknown;
    on("post", "/monitors/test", async ({ request }) => {
      tested = await request.json();
      return ok({
        result: { ...result, status: "down", error: { kind: "blocked", message: "This address cannot be monitored" } },
      });
    });
    const { type, user } = await openCreate();
    await type(/^Name/, "Shop API");
    await type(/^URL/, "https://shop.example/");
    await user.click(screen.getByRole("button", { name: "Test" }));
    const panel = await screen.findByRole("region", { name: "Result" });
    expect(panel.textContent).toContain("Blocked");
    expect(tested).toMatchObject({ url: "https://shop.example/" });
    expect(sent).toBeUndefined();
  });

  it("warns before unsaved changes are lost, and leaves on confirmation", async () => {
    on("get", "/monitors", () => ok({ monitors: [], total: 0 }));
    const { type, user, path } = await openCreate();
    await type(/^Name/, "Half done");
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    expect((await screen.findByRole("dialog")).textContent).toContain("Leave without saving?");
    await user.click(screen.getByRole("button", { name: "Stay" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(path()).toBe("/monitors/create");
    expect(screen.getByLabelText<HTMLInputElement>(/^Name/).value).toBe("Half done");
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    await user.click(await screen.findByRole("button", { name: "Leave" }));
    await waitFor(() => expect(path()).toBe("/monitors"));
  });
});

describe("editing a monitor", () => {
  it("shows the stored values with masks, and sends masks back to keep the secrets", async () => {
    on("put", "/monitors/7", async ({ request }) => {
      sent = await request.json();
      return ok({ monitor }, "Monitor updated");
    });
    const { user, path } = await renderScreen("/monitors/edit/7", { as: admin });
    const name = await screen.findByLabelText<HTMLInputElement>(/^Name/);
    expect(name.value).toBe("Shop API");
    expect(screen.getByLabelText<HTMLInputElement>("Header value 1").type).toBe("password");
    await user.type(name, " 2");
    await user.click(screen.getByRole("button", { name: "Save changes" }));
    await waitFor(() => expect(path()).toBe("/monitors/7"));
    expect(sent).toMatchObject({
      name: "Shop API 2",
      headers: [{ name: "X-Api-Key", value: "••••••" }],
      interval: 5,
      timeout: 10,
    });
  });

  it.each([
    ["the fallback", () => new HttpResponse(null, { status: 500 }), "Failed to update monitor"],
    [
      "that a secret must be entered again",
      () => fail(400, "invalid", "The request is not valid", [{ path: "headers.0.value", message: addressChanged }]),
      addressChanged,
    ],
  ])("shows %s", async (_what, answer, words) => {
    on("put", "/monitors/7", answer);
    const { user } = await renderScreen("/monitors/edit/7", { as: admin });
    await user.type(await screen.findByLabelText(/^Name/), " 2");
    await user.click(screen.getByRole("button", { name: "Save changes" }));
    expect(await screen.findByText(words)).toBeTruthy();
  });

  it("shows 'Monitor does not exist' for a deleted monitor", async () => {
    on("get", "/monitors/9", () => fail(404, "not_found", "Monitor does not exist"));
    await renderScreen("/monitors/edit/9", { as: admin });
    expect((await screen.findByRole("alert")).textContent).toBe("Monitor does not exist");
  });
});
