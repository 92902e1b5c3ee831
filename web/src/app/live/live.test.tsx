import { screen, waitFor } from "@testing-library/react";
import { HttpResponse } from "msw";
import { describe, expect, it } from "vitest";
import { admin, dashboard, incident } from "../../testing/fixtures.ts";
import { renderApp } from "../../testing/render-app.tsx";
import { ok, on } from "../../testing/server.ts";

function stream(text: string) {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
  });
  return new HttpResponse(body, { headers: { "content-type": "text/event-stream" } });
}

describe("the live connection", () => {
  it("is shown as lost while interrupted, and updates the screen after reconnecting", async () => {
    let heal = false;
    let fetched = 0;
    on("get", "/dashboard", () => {
      fetched += 1;
      return ok({ ...dashboard, recent: [] });
    });
    const opened = { change: "opened", incident: { ...incident, id: "m8", cause: "Freshly broken" } };
    on("get", "/events", () =>
      heal
        ? stream(`event: incident\nid: 1-8\ndata: ${JSON.stringify(opened)}\n\n`)
        : new HttpResponse(null, { status: 503 }),
    );
    await renderApp("/dashboard", { as: admin });
    expect(await screen.findByText("Connection lost. Data may be out of date. Reconnecting…")).toBeTruthy();
    await waitFor(() => expect(fetched).toBeGreaterThan(0));
    heal = true;
    expect(await screen.findByText("Freshly broken")).toBeTruthy();
    expect(screen.queryByText(/Connection lost/)).toBeNull();
  });

  it("ends the session if the token is rejected", async () => {
    on("get", "/dashboard", () => ok({ ...dashboard }));
    on("get", "/events", () => new HttpResponse(null, { status: 401 }));
    const { path } = await renderApp("/dashboard", { as: admin });
    await waitFor(() => expect(path()).toBe("/login"));
    expect(localStorage.getItem("token")).toBeNull();
  });
});
