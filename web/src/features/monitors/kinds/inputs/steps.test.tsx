import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { admin, historyPeriod, monitor, monitors, result } from "../../../../testing/fixtures.ts";
import { renderScreen } from "../../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../../testing/server.ts";
import { chooseKind } from "../../../../testing/user.ts";

let sent: { steps?: { url: string; name?: string }[] } | undefined;
const keep = async ({ request }: { request: Request }) => {
  sent = (await request.json()) as typeof sent;
  return ok({ monitor });
};

beforeEach(() => {
  sent = undefined;
  on("get", "/locations", () => ok({ locations: [] }));
  on("get", "/monitors/7", () => ok({ monitor: monitors.flow }));
  on("get", "/monitors/7/history", () => ok({ range: "24h", step: 300, buckets: [], ...historyPeriod }));
  on("post", "/monitors", keep);
  on("put", "/monitors/7", keep);
});

const step = (number: number) => within(screen.getByRole("listitem", { name: `Step ${number}` }));
const save = () => screen.getByRole("button", { name: "Save changes" });

async function openEdit() {
  const app = await renderScreen("/monitors/edit/7", { as: admin });
  await screen.findByRole("listitem", { name: "Step 2" });
  return app;
}

describe("the steps of a flow", () => {
  it("are added, filled in and sent with as few values as a new one has", async () => {
    const { user } = await renderScreen("/monitors/create", { as: admin });
    const paste = async (field: HTMLElement, text: string) => {
      await user.click(field);
      await user.paste(text);
    };
    await chooseKind(user, "HTTP flow");
    await paste(step(1).getByLabelText(/^URL/), "shop.example/login");
    await user.click(step(1).getByText("Headers, body, assertions, values"));
    await user.click(step(1).getByRole("button", { name: "Add value" }));
    await paste(step(1).getByLabelText("Value name"), "token");
    await paste(step(1).getByLabelText("Path, pattern or name"), "$.token");
    await user.click(screen.getByRole("button", { name: "Add step" }));
    await paste(step(2).getByLabelText(/^URL/), "https://shop.example/me?t={{token}}");
    await user.click(screen.getByRole("button", { name: "Create monitor" }));
    await waitFor(() => expect(sent).toBeDefined());
    const usual = { method: "GET", expectedStatus: 200, headers: [], assertions: [] };
    expect(sent).toMatchObject({ type: "flow", name: "shop.example" });
    expect(sent?.steps).toEqual([
      {
        ...usual,
        url: "https://shop.example/login",
        extract: [{ name: "token", source: "json", property: "$.token" }],
      },
      { ...usual, url: "https://shop.example/me?t={{token}}", extract: [] },
    ]);
  });

  it("are moved with all values by buttons that keep the focus", async () => {
    const { user } = await openEdit();
    const down = step(1).getByRole("button", { name: "Move step 1 down" });
    down.focus();
    await user.keyboard("{Enter}");
    await waitFor(() => expect(document.activeElement).toBe(down));
    expect(down.getAttribute("aria-label")).toBe("Move step 2 down");
    expect(step(2).getByLabelText<HTMLInputElement>("Step name").value).toBe("login");
    expect(step(2).getByLabelText<HTMLInputElement>("Header name 1").value).toBe("X-Api-Key");
    // The other step has no value to insert any more.
    await user.click(save());
    expect(await step(1).findByText("No earlier step extracts a value named token")).toBeTruthy();
    expect(sent).toBeUndefined();
    await user.click(step(1).getByRole("button", { name: "Move step 1 down" }));
    await user.click(save());
    await waitFor(() => expect(sent?.steps).toEqual(monitors.flow.steps));
  });

  it("are removed, and server errors are shown at their fields", async () => {
    const { user } = await openEdit();
    await user.click(step(2).getByRole("button", { name: "Remove step 2" }));
    expect(screen.queryByRole("listitem", { name: "Step 2" })).toBeNull();
    on("put", "/monitors/7", () =>
      fail(400, "invalid", "The request is not valid", [
        { path: "steps.0.url", message: "This address cannot be monitored" },
      ]),
    );
    await user.click(save());
    expect(await step(1).findByText("This address cannot be monitored")).toBeTruthy();
  });

  it("are shown in order on the monitor page", async () => {
    on("get", "/monitors/7/checks", () => ok({ checks: [result] }));
    on("get", "/monitors/7/incidents", () => ok({ incidents: [], total: 0 }));
    await renderScreen("/monitors/7", { as: admin });
    const shown = (await screen.findByText("Steps", { selector: "dt" })).nextElementSibling?.textContent;
    expect(shown).toMatch(
      /^1\. login POST https:\/\/shop\.example\/login → 200.*token = .*2\. .*GET .*t=\{\{token\}\}/,
    );
  });
});
