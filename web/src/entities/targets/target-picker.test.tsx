import type { TargetRef, TargetType } from "@sonde/proto/http/monitors/targets";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { Provider } from "react-redux";
import { beforeEach, describe, expect, it } from "vitest";
import { agent, monitor } from "../../testing/fixtures.ts";
import { fail, ok, on } from "../../testing/server.ts";
import { Field } from "../../ui/field.tsx";
import { startI18n } from "../../app/i18n.ts";
import { createStore } from "../../app/store.ts";
import { TargetPicker } from "./target-picker.tsx";

let chosen: TargetRef[];
let asked: string[];

beforeEach(() => {
  asked = [];
  chosen = [];
  on("get", "/monitors/7", () => ok({ monitor }));
  serveMonitors(3);
  on("get", "/agents", ({ request }) => {
    asked.push(new URL(request.url).pathname);
    return ok({ agents: [agent as never], total: 1 });
  });
});

function serveMonitors(total: number) {
  on("get", "/monitors", ({ request }) => {
    const { searchParams, pathname } = new URL(request.url);
    asked.push(pathname);
    const [page, pageSize] = [Number(searchParams.get("page")), Number(searchParams.get("pageSize"))];
    const ids = Array.from({ length: total }, (_, index) => index + 1).slice((page - 1) * pageSize, page * pageSize);
    return ok({ monitors: ids.map((id) => ({ ...monitor, id, name: `Service ${id}` })) as never, total });
  });
}

type PickerOptions = { value?: TargetRef[]; type?: TargetType; max?: number; disabled?: boolean };

async function show({ value = [], ...rest }: PickerOptions = {}) {
  await startI18n("en-US");
  function Host() {
    const [targets, setTargets] = useState(value);
    const take = (next: TargetRef[]) => {
      chosen = next;
      setTargets(next);
    };
    return (
      <Field label="Targets">{(ids) => <TargetPicker {...ids} {...rest} value={targets} onChange={take} />}</Field>
    );
  }
  render(
    <Provider store={createStore()}>
      <Host />
    </Provider>,
  );
  return { user: userEvent.setup(), field: screen.getByRole("combobox", { name: "Targets" }) };
}
const ids = (targets: readonly TargetRef[]) => targets.map(({ type, id }) => `${type}:${id}`);

describe("the target picker", () => {
  it("offers monitors and agents with name and state, and adds the one selected by keyboard", async () => {
    const { user, field } = await show();
    await user.click(field);
    const offered = await screen.findAllByRole("option");
    expect(offered[0]?.textContent).toMatch(/^Service 1.*Normal$/);
    expect(offered.at(-1)?.textContent).toMatch(/^web-1.*Online$/);
    await user.keyboard("{ArrowUp}{Enter}");
    expect(ids(chosen)).toEqual(["agent:3"]);
    expect(screen.getByRole("button", { name: "Remove web-1" })).toBeTruthy();
  });

  it("requests only one type if restricted to it", async () => {
    const { user, field } = await show({ type: "agent", max: 10 });
    await user.click(field);
    expect(await screen.findAllByRole("option")).toHaveLength(1);
    expect(asked).toEqual(["/api/agents"]);
    expect(screen.queryByRole("button", { name: "Add all monitors" })).toBeNull();
  });

  it("adds all targets of a type page by page and keeps earlier ones", async () => {
    serveMonitors(450);
    const { user } = await show({ value: [{ type: "monitor", id: 7 }], max: 500 });
    await user.click(screen.getByRole("button", { name: "Add all monitors" }));
    expect(await screen.findByText("449 added")).toBeTruthy();
    expect(chosen).toHaveLength(450);
    expect(new Set(ids(chosen)).size).toBe(450);
    await user.click(screen.getByRole("button", { name: "Add all monitors" }));
    expect(await screen.findByText("All are already selected")).toBeTruthy();
  });

  it("stops at the maximum and reports it", async () => {
    const { user, field } = await show({ max: 2 });
    await user.click(screen.getByRole("button", { name: "Add all monitors" }));
    expect(await screen.findByText("Added the first 2 by name. You can choose at most 2.")).toBeTruthy();
    expect(field.matches(":disabled")).toBe(true);
    await user.click(screen.getByRole("button", { name: "Remove Service 2" }));
    expect(ids(chosen)).toEqual(["monitor:1"]);
    expect(field.matches(":disabled")).toBe(false);
  });

  it("reports why not all could be added", async () => {
    on("get", "/monitors", () => fail(503, "unavailable", "The monitors service is currently unavailable"));
    const { user } = await show({ max: 500 });
    await user.click(screen.getByRole("button", { name: "Add all monitors" }));
    expect(await screen.findByText("The monitors service is currently unavailable")).toBeTruthy();
    expect(chosen).toEqual([]);
  });

  it("shows the first of hundreds, the rest on demand, and removes all at once", async () => {
    serveMonitors(60);
    const { user } = await show({ max: 500 });
    await user.click(screen.getByRole("button", { name: "Add all monitors" }));
    await screen.findByText("60 added");
    const chips = () => within(screen.getByRole("list")).getAllByRole("listitem");
    expect(chips()).toHaveLength(24);
    await user.click(screen.getByRole("button", { name: "Show 36 more" }));
    expect(chips()).toHaveLength(60);
    await user.click(screen.getByRole("button", { name: "Remove all" }));
    expect(chosen).toEqual([]);
  });

  it("has no button to add all without a maximum", async () => {
    await show();
    expect(screen.queryByRole("button", { name: /^Add all/ })).toBeNull();
  });
});
