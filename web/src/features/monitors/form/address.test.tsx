import { screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { admin, historyPeriod, monitor, result } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { ok, on } from "../../../testing/server.ts";
import { chooseKind } from "../../../testing/user.ts";

let sent: Record<string, unknown> | undefined;

beforeEach(() => {
  sent = undefined;
  on("get", "/locations", () => ok({ locations: [] }));
  on("get", "/monitors/7", () => ok({ monitor }));
  on("get", "/monitors/7/history", () => ok({ range: "24h", step: 300, buckets: [], ...historyPeriod }));
  on("post", "/monitors", async ({ request }) => {
    sent = (await request.json()) as typeof sent;
    return ok({ monitor }, "Monitor created");
  });
});

async function openCreate() {
  const { user } = await renderScreen("/monitors/create", { as: admin });
  const address = await screen.findByLabelText<HTMLInputElement>(/^URL/);
  const value = (label: RegExp) => screen.getByLabelText<HTMLInputElement>(label).value;
  const kind = () => screen.getByRole<HTMLInputElement>("combobox", { name: "Monitor type" }).value;
  const create = () => user.click(screen.getByRole("button", { name: "Create monitor" }));
  const advanced = () => screen.getByText("Advanced").closest("details");
  return { user, address, value, kind, create, advanced };
}

describe("the address of a new monitor", () => {
  it("chooses the kind and fills in its fields, with the password only in its own field", async () => {
    const { user, address, value, kind, create } = await openCreate();
    await user.type(address, "postgres://sonde:s3cret@db.example:5433/shop");
    expect(kind()).toBe("PostgreSQL");
    expect(value(/^Name/)).toBe("db.example:5433");
    // The field stays until the user goes on to another one.
    expect(document.activeElement).toBe(address);
    await user.tab();
    expect([/^Host/, /^Port/, /^Username/, /^Password/, /^Database/].map(value)).toEqual([
      "db.example",
      "5433",
      "sonde",
      "s3cret",
      "shop",
    ]);
    expect(screen.getByLabelText<HTMLInputElement>(/^Password/).type).toBe("password");
    expect(screen.queryByDisplayValue(/postgres:/)).toBeNull();
    await create();
    await waitFor(() => expect(sent).toBeDefined());
    const account = { username: "sonde", password: "s3cret", database: "shop" };
    expect(sent).toMatchObject({
      type: "postgres",
      name: "db.example:5433",
      host: "db.example",
      port: 5433,
      ...account,
    });
    expect(sent).not.toHaveProperty("address");
  });

  it("can be saved with Enter, and forgets what an earlier text contained", async () => {
    const { user, address, kind } = await openCreate();
    await user.type(address, "mysql://root:s3cret@db.example/shop");
    await user.clear(address);
    await user.type(address, "db.example:3306");
    expect(kind()).toBe("MySQL");
    await user.clear(address);
    await user.type(address, "192.0.2.7{Enter}");
    await waitFor(() => expect(sent).toMatchObject({ type: "icmp", name: "192.0.2.7", host: "192.0.2.7" }));
    expect(JSON.stringify(sent)).not.toContain("s3cret");
  });

  it("becomes a heartbeat's schedule if it is a cron expression", async () => {
    const { user, address, value, kind, create } = await openCreate();
    await user.type(address, "0 3 * * *");
    expect(kind()).toBe("Heartbeat");
    await user.type(screen.getByLabelText(/^Name/), "Backup");
    expect(value(/^Cron expression/)).toBe("0 3 * * *");
    await create();
    await waitFor(() => expect(sent).toMatchObject({ type: "heartbeat", name: "Backup", cron: "0 3 * * *" }));
  });

  it("opens the advanced section if it filled in a field there", async () => {
    const { user, address, advanced } = await openCreate();
    await user.type(address, "rediss://:s3cret@cache.example");
    expect(advanced()?.open).toBe(false);
    await user.click(screen.getByLabelText(/^Name/));
    await waitFor(() => expect(advanced()?.open).toBe(true));
  });

  it("changes the kind no more once the user has chosen one", async () => {
    const { user, address, value, kind } = await openCreate();
    await user.type(address, "db.example:5432");
    await chooseKind(user, "TCP");
    expect([kind(), value(/^Host/), value(/^Port/)]).toEqual(["TCP", "db.example", "5432"]);
    await chooseKind(user, "HTTP");
    expect(value(/^URL/)).toBe("db.example:5432");
    await user.clear(screen.getByLabelText(/^URL/));
    await user.type(screen.getByLabelText(/^URL/), "0 3 * * *");
    expect(kind()).toBe("HTTP");
  });

  it("is refused at the field if its scheme is unknown, before anything is sent", async () => {
    const { user, address, value } = await openCreate();
    await user.type(address, "htp:/bad");
    await user.tab();
    const note = await screen.findByText("Please enter a full http or https address");
    expect(address.getAttribute("aria-describedby")).toBe(note.id);
    expect(value(/^URL/)).toBe("htp:/bad");
    expect(screen.queryByText("Name is required")).toBeNull();
    await user.type(address, "x");
    expect(screen.queryByText("Please enter a full http or https address")).toBeNull();
  });

  it("forgets a password when the kind changes", async () => {
    const { user, address, value } = await openCreate();
    await user.type(address, "mysql://root:s3cret@db.example/shop");
    await user.clear(address);
    await user.type(address, "192.0.2.7");
    await chooseKind(user, "MySQL");
    expect([/^Host/, /^Username/, /^Password/, /^Database/].map(value)).toEqual(["192.0.2.7", "", "", ""]);
  });

  it("shows the fields that a test lacks", async () => {
    const { user, address } = await openCreate();
    await user.type(address, "postgres://db.example");
    await user.click(screen.getByRole("button", { name: "Test" }));
    expect((await screen.findByLabelText(/^Username/)).getAttribute("aria-invalid")).toBe("true");
  });

  it("tests without a name, and does not ask for one until it is saved", async () => {
    let tested: unknown;
    on("post", "/monitors/test", async ({ request }) => {
      tested = await request.json();
      return ok({ result });
    });
    const { user, address, create } = await openCreate();
    await user.click(screen.getByRole("button", { name: "Test" }));
    expect(await screen.findByText("URL is required")).toBeTruthy();
    expect(screen.queryByText("Name is required")).toBeNull();
    await user.type(address, "https://shop.example/");
    await user.clear(screen.getByLabelText(/^Name/));
    await user.click(screen.getByRole("button", { name: "Test" }));
    await screen.findByRole("region", { name: "Result" });
    expect(tested).toMatchObject({ url: "https://shop.example/" });
    await create();
    expect(await screen.findByText("Name is required")).toBeTruthy();
  });
});
