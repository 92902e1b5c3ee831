import { afterEach, expect, test } from "vitest";
import { startTestApp, type TestApp, testConfig } from "../../testing/test-app.ts";

let app: TestApp;
afterEach(() => app.stop());

const save = async (hosts: string[], config: Partial<typeof testConfig> = {}) => {
  app = await startTestApp({ config: { ...testConfig, ...config } });
  const made = await app.ask("POST", "/api/pages", { as: "user", body: { slug: "acme", title: "Acme", hosts } });
  const changed = await app.ask("PUT", "/api/pages/acme", { as: "user", body: { hosts } });
  return { made, changed };
};
const known = "status.acme.example";

test("a page accepts no new host while Sonde's own names are unknown", async () => {
  const { made, changed } = await save([known, "sonde.example.com"]);
  const message = "Set PUBLIC_URL first. Otherwise a page could claim Sonde's own host name";
  expect([made.status, made.body["errors"]]).toEqual([422, [{ path: "hosts.0", message }]]);
  expect([changed.status, changed.body["errors"]]).toEqual([422, [{ path: "hosts.1", message }]]);
  expect(app.fakes.calls.map(({ method }) => method)).not.toContain("createPage");
});

test("an existing host can stay or be removed", async () => {
  const { changed } = await save([known]);
  expect(changed.status).toBe(200);
  expect((await app.ask("PUT", "/api/pages/acme", { as: "user", body: { hosts: [] } })).status).toBe(200);
});

test.each([{ host: "127.0.0.1" }, { publicUrl: "https://sonde.example.com" }])(
  "with %j any host is accepted",
  async (config) => {
    const { made, changed } = await save(["new.acme.example"], config);
    const refused = [made, changed].filter(({ body }) => JSON.stringify(body).includes("PUBLIC_URL"));
    expect(refused).toEqual([]);
  },
);
