import { makeKumaDatabase } from "@sonde/proto/http/testing/kuma-database";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { inFolder, key, to } from "./testing/call.ts";
import { applied, refusal, standIn } from "./testing/stand-in.ts";

const { call, file, path, write } = inFolder();

describe("login", () => {
  const stored = () => path(".config/sonde/login.json");

  test("stores a valid key for this user only, and other commands use it for that Sonde", async () => {
    write();
    const sonde = await standIn({
      "GET /api/monitors": () => refusal(403, "forbidden", "This key lacks the scope read"),
      "POST /api/apply": applied(),
    });
    mkdirSync(path(".config/sonde"), { recursive: true });
    writeFileSync(stored(), "old", { mode: 0o644 });
    expect((await call(["login", `${sonde.url}/`], {}, `${key}\n`)).code).toBe(0);
    expect(statSync(stored()).mode & 0o777).toBe(0o600);
    expect((await call(["diff", file()])).code).toBe(0);
    expect(sonde.received.at(-1)!.key).toBe(key);
    const other = await standIn({});
    expect(await call(["diff", file()], { SONDE_URL: other.url })).toMatchObject({ code: 1 });
    expect(other.received).toEqual([]);
  });

  test.each([
    ["sonde_unknown\n", /rejected the key: Please log in$/],
    ["hunter2\n", /This is not a Sonde API key/],
    ["", /This is not a Sonde API key/],
  ])("stores nothing for %j", async (input, sentence) => {
    const sonde = await standIn({ "GET /api/monitors": () => refusal(401, "unauthenticated", "Please log in") });
    expect(await call(["login", sonde.url], {}, input)).toMatchObject({
      code: 1,
      err: expect.stringMatching(sentence),
    });
    expect(existsSync(stored())).toBe(false);
  });

  test.each(["ftp://x", "sonde.example.com", "https://user:secret@x", "https://x/?a"])(
    "%s is not an address",
    async (url) => {
      expect((await call(["login", url], {}, key)).code).toBe(1);
    },
  );
});

describe("export", () => {
  const exported = (given: object) => ({ success: true, config: given });

  test("writes a valid document, with references on one line", async () => {
    const monitors = { shop: { url: "https://shop.example.com/", interval: 10 / 60, tags: ["a"] } };
    const channels = { ops: { type: "slack", webhookUrl: { env: "OPS_WEBHOOK_URL" } } };
    const sonde = await standIn({ "GET /api/export/document": exported({ channels, monitors }) });
    const { code, out } = await call(["export"], to(sonde));
    expect([code, out]).toEqual([0, expect.stringContaining("    webhookUrl: {env: OPS_WEBHOOK_URL}\n")]);
    expect(out).toContain("    interval: 10s\n");
    expect(out.split("\n")[0]).toBe(`# yaml-language-server: $schema=${sonde.url}/api/config.schema.json`);
    write(out);
    expect((await call(["validate", file()])).code).toBe(0);
  });

  test("updates a file, unless it is not a configuration", async () => {
    write("# ours\nsource: prod-git\nmonitors:\n  shop: {url: a}  # the shop\n");
    const sonde = await standIn({
      "GET /api/export/document": exported({ monitors: { shop: { url: "b", interval: 5 } } }),
    });
    expect(await call(["export", "--into", file()], to(sonde))).toMatchObject({
      code: 0,
      out: "sonde.yaml is up to date",
    });
    expect(readFileSync(file(), "utf8")).toBe("# ours\nsource: prod-git\nmonitors:\n  shop: {url: b} # the shop\n");
    write("a: [");
    expect(await call(["export", "--into", file()], to(sonde))).toMatchObject({
      code: 4,
      err: expect.stringMatching(/^sonde\.yaml:1:/),
    });
    expect(await call(["export", "--into", path("none")], to(sonde))).toMatchObject({
      code: 1,
      err: "none does not exist",
    });
  });

  test("fails with a Sonde that is too old", async () => {
    const sonde = await standIn({
      "GET /api/export/document": () => refusal(404, "not_found", "Nothing exists at this address"),
    });
    const tooOld = "This version of Sonde cannot export its configuration";
    expect(await call(["export"], to(sonde))).toMatchObject({ code: 1, err: tooOld });
  });
});

describe("import", () => {
  const answer = {
    success: true,
    dryRun: true,
    will: [{ type: "monitor", name: "Shop", detail: "https://shop.example.com/", notes: ["Name shortened"] }],
    cannot: [{ type: "monitor", what: "Game", why: "Sonde does not support this type of check (steam)" }],
  };

  test("reads a database of Uptime Kuma locally, and shows the result", async () => {
    const database = path("kuma.db");
    makeKumaDatabase(database, {
      version: "2",
      rows: { monitor: [{ name: "Shop", type: "http", url: "https://shop.example.com/" }] },
    });
    const sonde = await standIn({ "POST /api/import": answer });
    expect(await call(["import", database, "--dry-run"], to(sonde))).toEqual({
      code: 0,
      err: "",
      out: [
        "+ monitor Shop https://shop.example.com/",
        "    Name shortened",
        "! monitor Game: Sonde does not support this type of check (steam)",
        "1 to import, 1 cannot be imported",
      ].join("\n"),
    });
    expect(sonde.received[0]!.path).toBe("/api/import?dryRun=true");
    expect(JSON.parse(sonde.received[0]!.body)).toMatchObject({
      source: "kuma",
      tables: { monitor: [{ name: "Shop" }] },
    });
  });

  test("imports an export of Sonde, with JSON output", async () => {
    const exported = path("export.json");
    writeFileSync(exported, JSON.stringify({ version: 1, monitors: [] }));
    const sonde = await standIn({ "POST /api/import": answer });
    const { code, out } = await call(["import", exported, "--output", "json"], to(sonde));
    expect([code, JSON.parse(out)]).toEqual([0, { will: answer.will, cannot: answer.cannot }]);
    expect(sonde.received[0]).toMatchObject({
      path: "/api/import",
      body: '{"source":"sonde","export":{"version":1,"monitors":[]}}',
    });
  });

  test("rejects unreadable files, and reports why Sonde rejects others", async () => {
    write();
    const sonde = await standIn({ "POST /api/import": () => refusal(422, "impossible", "There are too many") });
    expect(await call(["import", file()], to(sonde))).toMatchObject({
      code: 4,
      err: expect.stringContaining("is not a kuma.db"),
    });
    expect(await call(["import", path("none")], to(sonde))).toMatchObject({
      code: 1,
      err: "none does not exist",
    });
    expect(sonde.received).toEqual([]);
    writeFileSync(file(), JSON.stringify({ version: 1, monitors: [] }));
    expect(await call(["import", file()], to(sonde))).toMatchObject({ code: 1, err: "There are too many" });
  });
});

describe("get", () => {
  test("lists all pages", async () => {
    const monitor = (id: number) => ({ id, status: "up", type: "http", name: `m${id}`, target: "https://a.test/" });
    const sonde = await standIn({
      "GET /api/monitors": ({ path: asked }: { path: string }) => {
        const isFirst = asked.includes("page=1&");
        return {
          body: {
            success: true,
            monitors: isFirst ? Array.from({ length: 200 }, (_, at) => monitor(at + 1)) : [monitor(201)],
          },
        };
      },
    });
    const { code, out } = await call(["get", "monitors"], to(sonde));
    const lines = out.split("\n");
    expect([code, lines.length, lines[0], lines[201]]).toEqual([
      0,
      202,
      "id   status  type  name  target",
      "201  up      http  m201  https://a.test/",
    ]);
    expect(JSON.parse((await call(["get", "monitors", "--output", "json"], to(sonde))).out)).toHaveLength(201);
  });

  test("reports missing permissions and unknown lists", async () => {
    const lacks = "This key lacks the scope read";
    const sonde = await standIn({
      "GET /api/agents": () => refusal(403, "forbidden", lacks),
      "GET /api/sources": { success: true },
    });
    expect(await call(["get", "agents"], to(sonde))).toMatchObject({ code: 1, err: lacks });
    expect(await call(["get", "sources"], to(sonde))).toMatchObject({
      code: 1,
      err: "This version of Sonde cannot list sources",
    });
  });
});
