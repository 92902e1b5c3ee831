import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { InvalidConfig, readConfig, resolveReferences } from "./read.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sonde-read-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function read(files: Record<string, string | Uint8Array>) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return readConfig(folder);
}
/** Errors as `file:line:column: path: message`, with base names. */
function faults(files: Record<string, string | Uint8Array>): string[] {
  try {
    resolveReferences(read(files), {});
  } catch (error) {
    if (!(error instanceof InvalidConfig)) throw error;
    return error.faults.map(({ message, path, place }) => {
      const at = place === null ? "-" : `${place.file}:${place.line}:${place.column}`;
      return `${at}: ${path}: ${message}`.replaceAll(`${folder}/`, "");
    });
  }
  return [];
}
const monitors = (count: number) =>
  `monitors:\n${Array.from({ length: count }, (_, at) => `  m${at}: {url: "https://example.com/${at}", tags: [a]}\n`).join("")}`;

describe("places", () => {
  test("a path has the place of its key, or of its nearest ancestor if it is missing", () => {
    const { placeOf, objects } = read({
      "a.yaml": "source: x\nmonitors:\n  shop:\n    url: u\n    tags: [a,\n      b]\n",
    });
    const at = (path: string) => {
      const place = placeOf(path);
      return place && [place.file, place.line, place.column];
    };
    const file = join(folder, "a.yaml");
    expect(at("monitors.shop.url")).toEqual([file, 4, 5]);
    expect(at("monitors.shop.tags.1")).toEqual([file, 6, 7]);
    expect(at("monitors.shop.headers.0.value")).toEqual([file, 3, 3]);
    expect(at("channels.ops")).toBeNull();
    expect(objects).toEqual({ "monitors.shop": `${file}:3` });
  });

  test("a key with dots has its own place", () => {
    const { placeOf } = read({ "a.yaml": "monitors:\n  a.b:\n    url: u\n" });
    expect(placeOf("monitors.a.b.url")).toMatchObject({ line: 3, column: 5 });
    expect(placeOf("monitors.a.b.port")).toMatchObject({ line: 2, column: 3 });
  });

  test("JSON files have places, too", () => {
    const { document, placeOf } = read({
      "a.json": '{\n\t"monitors": {\n\t\t"shop": {"url": "u", "interval": 2}\n\t}\n}\n',
    });
    expect(document).toEqual({ monitors: { shop: { url: "u", interval: 2 } } });
    expect(placeOf("monitors.shop.interval")).toMatchObject({ line: 3, column: 24 });
  });
});

describe("several files", () => {
  test("are merged by section, in the order of their names; other files are ignored", () => {
    const { document } = read({
      "b.yml": "monitors: {b: {url: u}}\nchannels: {ops: {type: slack}}",
      "a.yaml": "source: x\nmonitors: {a: {url: u}}",
      "c.json": '{"monitors": {"c": {"url": "u"}}}',
      "empty.yaml": "# nothing\n",
      "notes.txt": "no",
      ".hidden.yaml": "no",
      "below/d.yaml": "monitors: {d: {}}",
      "folder.yaml/e.yaml": "monitors: {e: {}}",
    });
    expect(document).toEqual({
      source: "x",
      monitors: { a: { url: "u" }, b: { url: "u" }, c: { url: "u" } },
      channels: { ops: { type: "slack" } },
    });
  });

  test("a duplicate key is reported with both places, within a file and across files", () => {
    expect(
      faults({
        "a.yaml": "source: x\nmonitors:\n  shop: {url: u}\n",
        "b.yaml": "source: y\nmonitors:\n\n  shop: {url: v}\n",
      }),
    ).toEqual([
      "b.yaml:1:1: source: Duplicate key source: also in a.yaml, line 1, column 1",
      "b.yaml:4:3: monitors.shop: Duplicate key shop: also in a.yaml, line 3, column 3",
    ]);
    rmSync(join(folder, "b.yaml"));
    expect(faults({ "a.yaml": "monitors:\n  shop:\n    url: u\n    url: v\n" })).toEqual([
      "a.yaml:4:5: monitors.shop.url: Duplicate key url: also in a.yaml, line 3, column 5",
    ]);
  });

  test("a section must be a map in each file", () => {
    expect(faults({ "a.yaml": "monitors: [x]", "b.yaml": "monitors: {a: {}}" })).toHaveLength(1);
  });
});

describe("merge keys", () => {
  const base = "monitors:\n  shop: &shop\n    url: u\n    tags: [a]\n    headers: {x: {env: KEY}}\n";

  test("a map inherits the entries of another; its own win, and places refer to where entries are written", () => {
    const { document, placeOf } = read({ "a.yaml": `${base}  api:\n    url: v\n    <<: *shop\n` });
    expect(document["monitors"]).toMatchObject({ api: { url: "v", tags: ["a"] } });
    expect(document["monitors"]).not.toHaveProperty(["api", "<<"]);
    expect([placeOf("monitors.api.url"), placeOf("monitors.api.tags")]).toMatchObject([{ line: 7 }, { line: 4 }]);
    expect(resolveReferences(read({}), { KEY: "k" }).document).toMatchObject({
      monitors: { shop: { headers: { x: "k" } }, api: { headers: { x: "k" } } },
    });
  });

  test("the first map of a list wins; a map may be inline, and use merge keys itself", () => {
    const more = "  b: &b {<<: *shop, url: b, note: n}\n  c: {<<: [{url: c}, *b, *shop]}\n";
    const { monitors } = read({ "a.yaml": base + more }).document as { monitors: Record<string, object> };
    expect(monitors["b"]).toMatchObject({ url: "b", tags: ["a"], note: "n" });
    expect(monitors["c"]).toMatchObject({ url: "c", tags: ["a"], note: "n" });
  });

  test.each([
    ["a: {<<: x}", "a.yaml:1:5: a: A merge key (<<) requires a map or a list of maps"],
    ["a: {<<: [{b: 1}, 2]}", "a.yaml:1:5: a: A merge key (<<) requires a map or a list of maps"],
    ["a: {<<: *b}", "a.yaml:1:9: a: Unknown anchor b"],
    ["a: {<<: {b: 1}, <<: {c: 1}}", "a.yaml:1:17: a.<<: Duplicate key <<: also in a.yaml, line 1, column 5"],
  ])("%s is rejected", (text, fault) => expect(faults({ "a.yaml": text })).toEqual([fault]));

  test("a map that merges itself is rejected, and merged content counts towards the limits", () => {
    expect(faults({ "a.yaml": "a: &a {<<: *a}" })[0]).toContain("Too many aliases");
    const long = `a: &a {t: ${"x".repeat(100_000)}}\nb: [${Array.from({ length: 90 }, () => "{<<: *a}").join(", ")}]`;
    expect(faults({ "a.yaml": long })).toEqual([expect.stringContaining("with aliases expanded")]);
  });

  test("a quoted << is an ordinary key", () =>
    expect(read({ "a.json": '{"a": {"<<": {"b": 1}}}' }).document).toEqual({ a: { "<<": { b: 1 } } }));
});

describe("bounds", () => {
  const aliases = (count: number) => `a: &a {x: 1}\nb: [${Array.from({ length: count }, () => "*a").join(", ")}]`;

  test("up to 100 aliases are allowed", () => {
    expect(read({ "a.yaml": aliases(100) }).document["b"]).toHaveLength(100);
    expect(faults({ "a.yaml": aliases(101) })).toEqual([
      expect.stringMatching(/^a\.yaml:2:\d+: b\.100: Too many aliases \(maximum 100\)$/),
    ]);
  });

  test("nested aliases count each time they are resolved", () => {
    const levels = Array.from({ length: 12 }, (_, at) => `l${at + 1}: &l${at + 1} [*l${at}, *l${at}, *l${at}]`);
    expect(faults({ "a.yaml": `l0: &l0 x\n${levels.join("\n")}` })[0]).toContain("Too many aliases");
  });

  test("circular and undefined aliases are rejected", () => {
    expect(faults({ "a.yaml": "a: &a [*a]" })[0]).toContain("nested too deep");
    expect(faults({ "a.yaml": "a: *b" })).toEqual(["a.yaml:1:4: a: Unknown anchor b"]);
  });

  test("up to 20 levels are allowed", () => {
    const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
    expect(faults({ "a.yaml": `a: ${nested(19)}` })).toEqual([]);
    expect(faults({ "a.yaml": `a: ${nested(20)}` })[0]).toMatch(/nested too deeply \(maximum 20 levels\)$/);
    for (const hostile of [nested(100_000), "[".repeat(100_000), "{a: ".repeat(100_000), "- ".repeat(100_000)])
      expect(faults({ "a.yaml": `a:\n ${hostile}` })).toEqual([
        "a.yaml:1:1: : This is nested too deeply (maximum 20 levels)",
      ]);
  });

  test("all files together may have 8 MiB with expanded aliases", () => {
    const half = `# ${"x".repeat(4 * 1024 * 1024)}\n`;
    expect(faults({ "a.yaml": half, "b.yaml": half })).toEqual([
      "b.yaml:1:1: : The configuration is too large (maximum 8 MiB)",
    ]);
    rmSync(join(folder, "b.yaml"));
    const long = `a: &a ${"x".repeat(100_000)}\nb: [${Array.from({ length: 90 }, () => "*a").join(", ")}]`;
    expect(faults({ "a.yaml": long })).toEqual([expect.stringContaining("with aliases expanded")]);
  });

  test("up to 10,000 objects are read within seconds", () => {
    expect(Object.keys(read({ "a.yaml": monitors(10_000) }).objects)).toHaveLength(10_000);
    expect(faults({ "a.yaml": monitors(10_001) })).toEqual(["-: : Too many objects (maximum 10000)"]);
  });
});

describe("errors are explained in our own words, with their place", () => {
  test.each([
    ["a custom tag", "a: !secret x", "a.yaml:1:12: a: The tag !secret is not supported"],
    ["a tag of a map", "a: !!set {x}", "a.yaml:1:10: a: The tag !!set is not supported"],
    ["bytes", "a: !!binary aGk=", "a.yaml:1:13: a: The tag !!binary is not supported"],
    [
      "another version of YAML",
      "%YAML 1.1\n---\na: !!binary aGk=",
      "a.yaml:3:13: a: The tag !!binary is not supported",
    ],
    [
      "an open quote",
      'a: "b\nc: d',
      "a.yaml:2:5: : Something is missing here: a closing quote or bracket, a comma, or a colon",
    ],
    [
      "a text with a colon",
      "a: b: c",
      "a.yaml:1:4: : A key and its value must start on one line; quote text that contains a colon",
    ],
    ["tabs", "a:\n\tb: c", "a.yaml:2:1: : Indent with spaces: YAML does not allow tabs here"],
    [
      "two documents",
      "a: b\n---\nc: d",
      "a.yaml:2:1: : A file can contain only one document: remove everything from --- on",
    ],
    ["a list", "- a", "a.yaml:1:1: : A file must start with a section such as monitors:"],
    ["a key that is a list", "[a]: b", "a.yaml:1:1: : A key must be plain text"],
    ["a character that must be quoted", "a: @b", "a.yaml:1:4: : Text that starts with this character must be quoted"],
  ])("%s", (_, text, fault) => {
    expect(faults({ "a.yaml": text })).toEqual([fault]);
  });

  test("invalid UTF-8 and missing files are rejected", () => {
    expect(faults({ "a.yaml": new Uint8Array([0x61, 0xff, 0xfe]) })).toEqual([
      "a.yaml:1:1: : a.yaml is not valid UTF-8",
    ]);
    rmSync(join(folder, "a.yaml"));
    expect(faults({})[0]).toContain("contains no *.yaml, *.yml or *.json file");
    expect(() => readConfig(join(folder, "none"))).toThrow("does not exist");
    expect(() => readConfig("/dev/null")).toThrow("neither a file nor a folder");
  });

  test("a link out of the folder is rejected, and the message does not show the file's keys", () => {
    writeFileSync(join(folder, "../outside.yaml"), "canary: [\n");
    symlinkSync("../outside.yaml", join(folder, "b.yaml"));
    expect(faults({ "a.yaml": "source: x" })).toEqual([
      "b.yaml:1:1: : This link points outside the folder and is not followed",
    ]);
    rmSync(join(folder, "../outside.yaml"));
  });

  test("links within the folder are followed, as for Kubernetes mounts", () => {
    mkdirSync(join(folder, "..2026"));
    writeFileSync(join(folder, "..2026/a.yaml"), "source: x");
    symlinkSync("..2026", join(folder, "..data"));
    symlinkSync("..data/a.yaml", join(folder, "a.yaml"));
    expect(read({}).document).toEqual({ source: "x" });
  });

  test("at most fifty errors are reported", () => {
    const text = Array.from({ length: 100 }, (_, at) => `k${at}: !x y`).join("\n");
    expect(faults({ "a.yaml": text })).toHaveLength(50);
  });

  test("keys that are special in JavaScript are ordinary keys", () => {
    const { document } = read({ "a.yaml": "__proto__: {x: 1}\nmonitors: {constructor: {__proto__: {url: u}}}" });
    expect(Object.keys(document)).toEqual(["__proto__", "monitors"]);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
    expect(JSON.stringify(document)).toContain('"constructor":{"__proto__":{"url":"u"}}');
  });
});

describe("references", () => {
  const channel = (reference: string) => ({
    "a.yaml": `channels:\n  ops:\n    type: slack\n    webhookUrl: ${reference}\n`,
  });
  const fault = (text: string) => [`a.yaml:4:17: channels.ops.webhookUrl: ${text}`];

  test("resolve to a variable or the text of a file without its line end, and stay in the document until then", () => {
    const env = { SLACK_URL: "https://hooks.example.com/T1" };
    const files = {
      "secret/token": "s3cret\n",
      "b.yaml": "channels: {two: {token: {file: secret/token}, list: [{env: SLACK_URL}]}}",
    };
    const config = read({ ...channel("{env: SLACK_URL}"), ...files });
    expect(config.document).toMatchObject({ channels: { ops: { webhookUrl: { env: "SLACK_URL" } } } });
    const { document, secrets } = resolveReferences(config, env);
    expect(document).toEqual({
      channels: { ops: { type: "slack", webhookUrl: env.SLACK_URL }, two: { token: "s3cret", list: [env.SLACK_URL] } },
    });
    expect(secrets).toEqual([env.SLACK_URL, "s3cret", env.SLACK_URL]);
  });

  test("are errors if the variable or file does not exist", () => {
    expect(faults(channel("{env: NONE}"))).toEqual(fault("The variable NONE is not set"));
    expect(faults(channel("{env: constructor}"))).toEqual(fault("The variable constructor is not set"));
    expect(faults(channel("{file: none}"))).toEqual(fault("none does not exist"));
  });

  test.each(["../outside", "/etc/hostname", "sub/../../outside", ".", "link"])(
    "cannot refer to %s, outside the folder",
    (name) => {
      writeFileSync(join(folder, "../outside"), "canary");
      symlinkSync("/etc/hostname", join(folder, "link"));
      expect(faults(channel(`{file: ${name}}`))).toEqual(
        fault("A secret's file must be inside the folder of the file that refers to it"),
      );
      rmSync(join(folder, "../outside"));
    },
  );

  test("may refer to a link within the folder, as for Kubernetes mounts", () => {
    mkdirSync(join(folder, "..2026"));
    writeFileSync(join(folder, "..2026/token"), "s3cret");
    symlinkSync("..2026", join(folder, "..data"));
    symlinkSync("..data/token", join(folder, "token"));
    expect(resolveReferences(read(channel("{file: token}")), {}).secrets).toEqual(["s3cret"]);
  });

  test("cannot refer to a folder, a large file, or invalid UTF-8", () => {
    mkdirSync(join(folder, "sub"));
    writeFileSync(join(folder, "large"), "x".repeat(64 * 1024 + 1));
    writeFileSync(join(folder, "bytes"), new Uint8Array([0xff]));
    expect(faults(channel("{file: sub}"))).toEqual(fault("sub is not a file"));
    expect(faults(channel("{file: large}"))).toEqual(fault("large is too large for a secret (maximum 64 KiB)"));
    expect(faults(channel("{file: bytes}"))).toEqual(fault("bytes is not valid UTF-8"));
  });

  test("a map with more keys, or a value that is no text, is not a reference", () => {
    const { document } = resolveReferences(read({ "a.yaml": "page: {a: {env: X, b: 1}, b: {env: 1}}" }), {});
    expect(document).toEqual({ page: { a: { env: "X", b: 1 }, b: { env: 1 } } });
  });
});
