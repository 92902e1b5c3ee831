import type { ConfigPlan } from "@sonde/proto/http/config/apply";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Api, firstAdmin } from "@sonde/testing/api";
import { type Product, startProduct } from "@sonde/testing/product";
import { startTarget, type Target } from "@sonde/testing/target";

let product: Product;
let target: Target;
let api: Api;
let folder: string;
let key: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-command-"));
  target = await startTarget();
  product = await startProduct();
  api = (await firstAdmin(product.url)).api;
  const made = await api.send<{ secret: string }>("POST", "/api/keys", { name: "CI", scopes: ["config", "read"] });
  key = made.secret;
  const served = await fetch(`${product.url}/downloads/sonde.mjs`);
  await writeFile(join(folder, "sonde.mjs"), new Uint8Array(await served.arrayBuffer()));
});
afterAll(async () => {
  await product?.remove();
  await target?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs the served command on the machine's Node. */
async function sonde(args: string, env: Record<string, string> = {}) {
  const path = "/usr/local/bin:/usr/bin:/bin";
  const child = spawn("node", ["sonde.mjs", ...args.split(" ")], {
    cwd: folder,
    env: { PATH: path, HOME: folder, SONDE_URL: product.url, SONDE_KEY: key, OPS_TOKEN: "a secret", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => (out += String(chunk)));
  child.stderr.on("data", (chunk) => (err += String(chunk)));
  const code = await new Promise((done) => child.once("close", done));
  for (const text of [out, err]) expect(text).not.toContain("a secret");
  return { code, out: out.trimEnd(), err: err.trimEnd() };
}
const planOf = async (args: string) =>
  (JSON.parse((await sonde(`${args} --output json`)).out) as { plan: ConfigPlan }).plan;
const write = (text: string, name = "sonde.yaml") => writeFile(join(folder, name), text);
const monitors = async () => (await api.get<{ monitors: Monitor[] }>("/api/monitors?sort=name")).monitors;

const document = () => `# Ours.
source: prod-git
defaults:
  monitor: {tags: [prod]}
channels:
  ops: {type: ntfy, topic: sonde-ops, token: {env: OPS_TOKEN}}
monitors:
  db: {type: tcp, host: db.example.com, port: 5432, paused: true}
  shop:
    name: The shop # Ours, too.
    url: ${target.url}
    method: GET
    dependsOn: [monitor:db]
    notify: {channels: [ops]}
settings:
  monitors: {channels: [ops]}
`;
beforeEach(() => write(document()));

test("a file is validated, planned and applied, and does not differ afterwards", async () => {
  expect(await sonde("validate")).toEqual({ code: 0, out: "4 objects are valid", err: "" });
  const diff = await sonde("diff");
  expect([diff.code, diff.out]).toEqual([2, expect.stringContaining("+ monitors.shop  (sonde.yaml:9)")]);
  expect(await monitors()).toEqual([]);
  expect(await sonde("apply --revision abc")).toMatchObject({
    code: 0,
    out: expect.stringMatching(/\nApplied as prod-git$/),
  });
  expect(await sonde("diff")).toMatchObject({ code: 0, err: "" });
  const [, shop] = await monitors();
  expect(shop).toMatchObject({ name: "The shop", managed: { source: "prod-git", place: "sonde.yaml:9" } });
  expect((await sonde("get sources")).out).toMatch(/^name .*\nprod-git +1 +abc /);
});

test("users may edit fields that the file omits, and others only after releasing the object", async () => {
  const { id } = (await monitors())[1]!;
  await api.send("PUT", `/api/monitors/${id}`, { note: "Ask Ada" });
  const edit = api.send("PUT", `/api/monitors/${id}`, { url: "https://example.org/" });
  await expect(edit).rejects.toThrow(/409 .*url is managed by prod-git/);
  expect(await sonde("apply")).toMatchObject({ code: 0, out: expect.stringMatching(/\nNothing to apply$/) });
  expect((await monitors())[1]).toMatchObject({ note: "Ask Ada", url: target.url });

  await api.send("DELETE", "/api/sources/prod-git/objects/monitor/shop");
  await api.send("PUT", `/api/monitors/${id}`, { method: "HEAD" });
  const refused = await sonde("diff --output github");
  expect(refused.code).toBe(3);
  expect(refused.out).toMatch(/^::error file=sonde\.yaml,line=9,col=3,title=Conflict::monitors\.shop: .*adopt/m);
  expect(await sonde("apply")).toMatchObject({ code: 3, out: "", err: expect.stringContaining("sonde.yaml:9:3: ") });
  await sonde("export --into sonde.yaml");
  const taken = document().replace("method: GET", "method: HEAD");
  expect((await readFile(join(folder, "sonde.yaml"), "utf8")).trim()).toContain(
    taken.slice(0, taken.indexOf("settings:")).trim(),
  );
  expect((await sonde("diff")).code).toBe(0);

  await write(document().replace("name: The shop", "name: The shop\n    adopt: true"));
  const diff = await sonde("diff");
  expect([diff.code, diff.out]).toEqual([2, expect.stringMatching(/^~ monitors\.shop\.method: HEAD → GET/m)]);
});

test("an export updates a file and keeps matching values as they are written", async () => {
  const text = document().replace("name: The shop", "name: The shop\n    adopt: true");
  await write(text);
  expect(await sonde("apply")).toMatchObject({ code: 0 });
  await sonde("export --into sonde.yaml");
  expect(await readFile(join(folder, "sonde.yaml"), "utf8")).toBe(text);
  await write(text.replace(target.url, "https://old.example.com/"));
  await sonde("export --into sonde.yaml");
  expect(await readFile(join(folder, "sonde.yaml"), "utf8")).toBe(text);
  expect((await sonde("diff")).code).toBe(0);
});

test("a full export applies as another source without differences", async () => {
  await api.send("DELETE", "/api/sources/prod-git?keep=true");
  const { out } = await sonde("export");
  await write(out, "all.yaml");
  const plan = await planOf("diff all.yaml --source mine");
  expect({ ...plan, same: plan.same.toSorted() }).toEqual({
    create: [],
    update: [],
    remove: [],
    conflicts: [],
    same: ["channels.ops", "monitors.db", "monitors.the-shop", "settings.monitors"],
  });
  expect((await sonde("apply all.yaml --source mine")).code).toBe(0);
  expect((await monitors()).map(({ managed }) => managed?.source)).toEqual(["mine", "mine"]);
});

test("rejected and invalid files end with an exit code and a message", async () => {
  await write("source: mine\nmonitors: {}\n");
  expect(await sonde("apply")).toMatchObject({
    code: 3,
    err: expect.stringContaining("This would remove 3 objects from this source; the limit is 0"),
  });
  await write(
    "source: mine\nmonitors:\n  a: {type: tcp, host: a}\n  b: {url: https://b.test/, dependsOn: [monitor:c]}\n",
  );
  expect(await sonde("validate")).toEqual({
    code: 4,
    out: "",
    err: "sonde.yaml:3:3: monitors.a.port: Enter a port from 1 to 65535",
  });
  await write("source: mine\nmonitors:\n  b: {url: https://b.test/, dependsOn: [monitor:c]}\n");
  expect(await sonde("diff")).toMatchObject({
    code: 4,
    err: expect.stringMatching(/^sonde\.yaml:3:\d+: monitors\.b\.dependsOn\.0: /m),
  });
  expect(await sonde("diff", { SONDE_KEY: `${key.slice(0, -4)}AAAA` })).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^http:\S+ rejected the key: /),
  });
  const other = await api.send<{ secret: string }>("POST", "/api/keys", { name: "Looks", scopes: ["read"] });
  expect(await sonde("diff", { SONDE_KEY: other.secret })).toMatchObject({
    code: 1,
    err: expect.stringContaining("lacks the scope config"),
  });
});
