import { services, type ServiceName, serviceNames } from "@sonde/proto/services";
import { build, type Metafile } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { root } from "./packages.ts";
import { sondePlugin } from "./plugin.ts";

const mainOf = (service: ServiceName) => `services/${service}/src/main.ts`;
const inCore = serviceNames.filter((name) => services[name].process === "core").map(mainOf);

let metafile: Metafile;
beforeAll(async () => {
  const contents = { entries: new Map(), assets: new Map(), packages: new Set<string>(), errors: [] };
  const built = await build({
    entryPoints: serviceNames.map(mainOf),
    outdir: "unwritten",
    write: false,
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    metafile: true,
    logLevel: "error",
    mainFields: ["module", "main"],
    plugins: [sondePlugin({ main: "", without: new Set(), inClone: undefined, onlyOurs: false }, contents)],
  });
  metafile = built.metafile;
}, 60_000);

function loadedAtStart(entries: readonly string[]): string[] {
  const { outputs } = metafile;
  const loaded = new Set<string>();
  const load = (path: string) => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const { kind, path: to } of outputs[path]!.imports)
      if (kind === "import-statement" && outputs[to] !== undefined) load(to);
  };
  for (const [path, { entryPoint }] of Object.entries(outputs))
    if (entryPoint !== undefined && entries.includes(entryPoint)) load(path);
  const inputs = [...loaded].flatMap((path) => Object.entries(outputs[path]!.inputs));
  return inputs.flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? [input] : []));
}

test.each([
  {
    program: "core",
    entries: inCore,
    rare: [
      /\/badge-maker\//,
      /\/jose\//,
      /\/nodemailer\//,
      /\/openid-client\//,
      /\/@simplewebauthn\//,
      /\/tldts\//,
      /\/yaml\//,
      /\/zod\/v4\/locales\/de\./,
      /^packages\/import\/src\/formats\//,
      /^services\/gateway\/src\/(?:mcp\/tools|openapi)\.ts/,
      /^services\/notifier\/src\/channels\/types\//,
    ],
  },
  { program: "metrics", entries: [mainOf("metrics")], rare: [/\/zod\/v4\/locales\/de\./] },
  {
    program: "probe-runner",
    entries: [mainOf("probe-runner")],
    rare: [
      /\/mysql2\//,
      /\/pg\//,
      /\/tldts\//,
      /\/ws\//,
      /\/zod\/v4\/locales\/de\./,
      /^services\/probe-runner\/src\/probe\/kinds\//,
    ],
  },
])("$program loads rarely used modules on first use", ({ entries, rare }) => {
  const loaded = loadedAtStart(entries);
  expect(loaded).toEqual(expect.arrayContaining(entries));
  expect(loaded.filter((input) => rare.some((one) => one.test(input)))).toEqual([]);
  // A pattern that matches nothing is outdated.
  const inputs = Object.keys(metafile.inputs);
  expect(rare.filter((one) => !inputs.some((input) => one.test(input)))).toEqual([]);
});

test("no program imports node:http, which would load undici", () => {
  const imports = Object.entries(metafile.outputs).flatMap(([path, output]) =>
    output.imports
      .filter(({ kind, path: to }) => kind === "import-statement" && /^(?:node:)?http$/.test(to))
      .map(() => path),
  );
  expect(imports).toEqual([]);
});
