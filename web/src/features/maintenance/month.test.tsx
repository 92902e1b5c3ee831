import { screen, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { showTimesIn } from "../../lib/format.ts";
import { admin } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { ok, on } from "../../testing/server.ts";

let asked: string[];
const serve = (...occurrences: [name: string, start: string, end: string][]) =>
  on("get", "/maintenance/occurrences", ({ request }) => {
    const { searchParams } = new URL(request.url);
    asked.push(`${searchParams.get("from")} ${searchParams.get("until")}`);
    const shown = occurrences.map(([name, start, end], id) => ({ id: id + 1, name, start, end }));
    return ok({ occurrences: shown, more: false });
  });

beforeEach(() => {
  asked = [];
  showTimesIn("Europe/Berlin");
  serve(["Database", "2099-03-28T23:30:00.000Z", "2099-03-30T22:00:00.000Z"]);
});
afterEach(() => showTimesIn(null));

const open = (month = "2099-03") => renderScreen(`/maintenance?view=month&month=${month}`, { as: admin });
const dayOf = async (label: string) => within((await screen.findByLabelText(label)).closest("li") as HTMLElement);

describe("the month of maintenance", () => {
  it("has the weeks of the month from Monday on, and asks for them in the user's zone", async () => {
    await open();
    expect(await screen.findByText("March 2099")).toBeTruthy();
    // From the 23rd of February to the 5th of April, in summer time.
    expect(asked).toEqual(["2099-02-22T23:00:00.000Z 2099-04-05T22:00:00.000Z"]);
  });

  it("shows an occurrence on each day that it touches, with its start on the first", async () => {
    await open();
    const first = await dayOf("Sunday, March 29");
    expect((await first.findByRole("link")).textContent).toBe("00:30Database");
    expect(first.getByRole("link").getAttribute("href")).toBe("/maintenance?window=1");
    expect((await dayOf("Monday, March 30")).getByRole("link").textContent).toBe("Database");
    // It ends at midnight.
    expect((await dayOf("Tuesday, March 31")).queryByRole("link")).toBeNull();
    expect((await dayOf("Saturday, March 28")).queryByRole("link")).toBeNull();
  });

  it("leads to the month before and after, also over a year", async () => {
    const { user } = await open("2098-12");
    await user.click(await screen.findByRole("link", { name: "Next month" }));
    expect(await screen.findByText("January 2099")).toBeTruthy();
    await user.click(screen.getByRole("link", { name: "Previous month" }));
    expect(await screen.findByText("December 2098")).toBeTruthy();
  });

  it("shows the first of many, and the rest on demand", async () => {
    serve(
      ...["a", "b", "c", "d", "e", "f"].map((name): [string, string, string] => [
        name,
        "2099-03-10T10:00:00.000Z",
        "2099-03-10T11:00:00.000Z",
      ]),
    );
    const { user } = await open();
    const day = await dayOf("Tuesday, March 10");
    expect(await day.findAllByRole("link")).toHaveLength(4);
    await user.click(day.getByRole("button", { name: "and 2 more" }));
    expect(day.getAllByRole("link")).toHaveLength(6);
  });

  it("says if there is none", async () => {
    serve();
    await open();
    expect(await screen.findByText("No maintenance in this month.")).toBeTruthy();
  });

  it("can be requested again after a failure", async () => {
    on("get", "/maintenance/occurrences", () => new HttpResponse(null, { status: 500 }));
    const { user } = await open();
    const again = await screen.findByRole("button", { name: "Try again" });
    serve();
    await user.click(again);
    expect(await screen.findByText("No maintenance in this month.")).toBeTruthy();
  });
});
