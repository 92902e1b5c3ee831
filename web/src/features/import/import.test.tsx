import { makeKumaDatabase } from "@sonde/proto/http/testing/kuma-database";
import { screen, waitFor, within } from "@testing-library/react";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { admin, viewer } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";

const folder = mkdtempSync(join(tmpdir(), "sonde-import-"));
afterAll(() => rmSync(folder, { recursive: true }));

const plan = {
  will: [
    {
      type: "monitor",
      name: "Shop",
      detail: "https://shop.example.com/",
      tags: ["Europe"],
      notes: ["At most 10 retries"],
    },
    { type: "channel", name: "Ops", detail: "slack", notes: [] },
  ],
  cannot: [{ type: "monitor", what: "Router", why: "Sonde does not support this type of check (ping)" }],
};

let count = 0;
function kumaFile(): File {
  const path = join(folder, `${(count += 1)}.db`);
  const rows = {
    monitor: [{ name: "Shop", type: "http", url: "https://shop.example.com/", interval: 60 }],
    setting: [
      { key: "tlsExpiryNotifyDays", value: "[7]" },
      { key: "jwtSecret", value: "a secret" },
    ],
    user: [{ username: "boss", password: "a hash" }],
  };
  makeKumaDatabase(path, { version: "2", rows });
  return new File([readFileSync(path)], "kuma.db");
}
const input = () => screen.getByLabelText<HTMLInputElement>("Choose a file…");

test("reads a database in the browser, shows a plan, and imports it after confirmation", async () => {
  const sent: { query: string | null; body: string }[] = [];
  on("post", "/import", async ({ request }) => {
    sent.push({ query: new URL(request.url).searchParams.get("dryRun"), body: await request.text() });
    return ok({ dryRun: sent.length === 1, ...plan });
  });
  on("get", "/monitors", () => ok({ monitors: [], total: 0 }));
  const { user, path } = await renderScreen("/monitors/import", { as: admin });
  await user.upload(await screen.findByLabelText("Choose a file…"), kumaFile());
  await screen.findByText("1 monitor and 1 channel");
  const cannot = within(screen.getByRole("region", { name: "Cannot be imported (1)" }));
  cannot.getByText("Router");
  cannot.getByText("Sonde does not support this type of check (ping)");
  const will = within(screen.getByRole("region", { name: "Will be imported" }));
  for (const text of ["Shop", "https://shop.example.com/", "Europe", "At most 10 retries", "Ops"]) {
    will.getByText(text);
  }
  expect(sent.map(({ query }) => query)).toEqual(["true"]);
  // History, accounts and other settings are not sent.
  expect(Object.keys((JSON.parse(sent[0]!.body) as { tables: object }).tables)).not.toContain("user");
  expect(sent[0]!.body).not.toContain("a secret");
  expect(sent[0]!.body).not.toContain("a hash");

  await user.click(screen.getByRole("button", { name: "Import" }));
  await waitFor(() => expect(path()).toBe("/monitors"));
  await screen.findByText("Imported: 1 monitor and 1 channel");
  expect(sent.map(({ query }) => query)).toEqual(["true", "false"]);
  expect(sent[1]?.body).toBe(sent[0]?.body);
});

test("sends a Sonde export unchanged, and another file can be selected", async () => {
  let body: unknown;
  on("post", "/import", async ({ request }) => {
    body = await request.json();
    return ok({ dryRun: true, will: [], cannot: [] });
  });
  const { user } = await renderScreen("/monitors/import", { as: admin });
  const exported = { success: true, version: 1, monitors: [] };
  await user.upload(await screen.findByLabelText("Choose a file…"), new File([JSON.stringify(exported)], "sonde.json"));
  await screen.findByText("Nothing in this file can be imported.");
  expect(body).toEqual({ source: "sonde", export: exported });
  expect(screen.queryByRole("button", { name: "Import" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Choose another file" }));
  input();
});

test.each([
  ["something else", "hello", "This isn't an Uptime Kuma database, a Sonde export or a healthchecks.io response."],
  [
    "JSON of something else",
    '{"a": 1}',
    "This isn't an Uptime Kuma database, a Sonde export or a healthchecks.io response.",
  ],
  ["a broken database", `SQLite format 3\0${"\0".repeat(100)}`, /^This database can't be read/],
])("%s is recognised before anything is sent", async (_what, text, message) => {
  const { user } = await renderScreen("/monitors/import", { as: admin });
  await user.upload(await screen.findByLabelText("Choose a file…"), new File([text], "kuma.db"));
  expect((await screen.findByRole("alert")).textContent).toMatch(message);
});

test("shows why the server rejected an import, and can retry", async () => {
  let asked = 0;
  on("post", "/import", () =>
    (asked += 1) === 1 ? ok({ dryRun: true, ...plan }) : fail(409, "conflict", "The import was made already"),
  );
  const { user, path } = await renderScreen("/monitors/import", { as: admin });
  await user.upload(await screen.findByLabelText("Choose a file…"), kumaFile());
  await user.click(await screen.findByRole("button", { name: "Import" }));
  expect((await screen.findByRole("alert")).textContent).toMatch("The import was made already");
  expect(path()).toBe("/monitors/import");
  screen.getByRole("button", { name: "Import" });
});

test("is linked from the monitor list, except for viewers, who may not import", async () => {
  on("get", "/monitors", () => ok({ monitors: [], total: 0 }));
  const { unmount } = await renderScreen("/monitors", { as: admin });
  const [link] = await screen.findAllByRole("link", { name: "Import" });
  expect(link?.getAttribute("href")).toBe("/monitors/import");
  unmount();
  on("get", "/auth/me", () => ok({ user: viewer }));
  await renderScreen("/monitors/import", { as: viewer });
  await screen.findByRole("heading", { level: 1 });
  expect(screen.queryByLabelText("Choose a file…")).toBeNull();
});
