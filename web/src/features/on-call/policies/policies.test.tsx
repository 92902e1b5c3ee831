import type { EscalationPolicy } from "@sonde/proto/http/on-call/policies";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { admin, viewer } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";

const policy: EscalationPolicy = {
  ...{ id: 3, name: "Night", repeat: 2, lowUrgency: { monitors: [7], tags: ["batch"] } },
  steps: [
    { after: 0, notify: ["schedule:1"], needs: 1 },
    { after: 5, notify: ["user:4", "channel:9"], needs: 2 },
  ],
};

let sent: unknown[];
beforeEach(() => {
  sent = [];
  on("get", "/on-call/policies", () => ok({ policies: [policy], total: 1 } as never));
  on("get", "/on-call/policies/3", () => ok({ policy, warnings: [] } as never));
  on("get", "/on-call/schedules", () => ok({ schedules: [{ id: 1, name: "Primary" }], people: [], total: 1 } as never));
  on("get", "/on-call/people", () => ok({ people: [{ id: 4, name: "ben" }] } as never));
  on("get", "/notifications/channels", () => ok({ channels: [{ id: 2, name: "Ops chat" }] } as never));
});
const take = (method: "post" | "put", path: string, warnings: object[] = []) =>
  on(method, path, async ({ request }) => {
    sent.push(await request.json());
    return ok({ policy, warnings } as never, "Escalation policy saved");
  });
const step = (number: number) => within(screen.getByRole("listitem", { name: `Step ${number}` }));
const add = (number: number, value: string) =>
  fireEvent.change(step(number).getByRole("combobox", { name: "Notify" }), { target: { value } });
const type = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } });

describe("the escalation policies", () => {
  it("are listed with their steps and first recipients", async () => {
    await renderScreen("/on-call/policies", { as: admin });
    const row = (await screen.findByRole("link", { name: "Night" })).closest("li") as HTMLElement;
    expect(row.textContent).toContain("2 steps · repeats 2 times");
    await waitFor(() => expect(row.textContent).toContain("Primary (on call)"));
  });

  it("cannot be changed by viewers", async () => {
    await renderScreen("/on-call/policies", { as: viewer });
    await screen.findByRole("link", { name: "Night" });
    expect(screen.queryByRole("link", { name: "Add policy" })).toBeNull();
    expect(screen.queryByRole("button", { name: /Delete/ })).toBeNull();
  });

  it("say where one is used that cannot be deleted", async () => {
    on("delete", "/on-call/policies/3", () => fail(409, "conflict", "It is used by global-monitor"));
    await renderScreen("/on-call/policies", { as: admin });
    fireEvent.click(await screen.findByRole("button", { name: /Delete/ }));
    const dialog = within(await screen.findByRole("dialog"));
    fireEvent.click(dialog.getByRole("button", { name: "Delete" }));
    expect(await dialog.findByText("It is used by global-monitor")).toBeTruthy();
  });
});

describe("the form of a policy", () => {
  it("creates a policy with recipients from the list", async () => {
    take("post", "/on-call/policies");
    await renderScreen("/on-call/policies/create", { as: admin });
    type(await screen.findByRole("textbox", { name: /^Name/ }), "Day");
    await screen.findByRole("option", { name: "Ops chat" });
    add(1, "channel:2");
    add(1, "user:4");
    fireEvent.click(step(1).getByRole("button", { name: "Remove Ops chat" }));
    fireEvent.click(screen.getByRole("button", { name: "Add step" }));
    add(2, "everyone:1");
    expect(step(2).getByText("Everyone in Primary")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Add policy" }));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent).toEqual([
      {
        name: "Day",
        steps: [
          { after: 5, notify: ["user:4"], needs: 1 },
          { after: 5, notify: ["everyone:1"], needs: 1 },
        ],
        repeat: 0,
      },
    ]);
    expect(await screen.findByText("Escalation policy saved")).toBeTruthy();
  });

  it("asks for a recipient of each step, and sends nothing", async () => {
    take("post", "/on-call/policies");
    await renderScreen("/on-call/policies/create", { as: admin });
    type(await screen.findByRole("textbox", { name: /^Name/ }), "Day");
    fireEvent.click(screen.getByRole("button", { name: "Add policy" }));
    expect(await step(1).findByText("Choose at least one recipient")).toBeTruthy();
    expect(sent).toEqual([]);
  });

  it("shows what the server rejects next to its step", async () => {
    on("put", "/on-call/policies/3", () =>
      fail(422, "impossible", "The request is not valid", [{ path: "steps.1.notify.1", message: "It does not exist" }]),
    );
    await renderScreen("/on-call/policies/edit/3", { as: admin });
    fireEvent.click(await screen.findByRole("button", { name: "Save changes" }));
    expect(await step(2).findByText("It does not exist")).toBeTruthy();
    expect(step(2).getByText("deleted (9)")).toBeTruthy();
  });

  it("keeps monitors of low urgency, and lists members without contacts after saving", async () => {
    take("put", "/on-call/policies/3", [{ step: 2, recipient: "user:4", message: "ben has no contacts" }]);
    await renderScreen("/on-call/policies/edit/3", { as: admin });
    type(await screen.findByRole("textbox", { name: /^Low urgency/ }), "");
    fireEvent.click(screen.getByRole("button", { name: "Save changes" }));
    expect(await screen.findByText("Step 2: ben has no contacts")).toBeTruthy();
    expect(sent).toMatchObject([{ lowUrgency: { monitors: [7], tags: [] }, repeat: 2 }]);
  });
});
