import { serviceNames } from "@sonde/proto/services";
import type { OxlintOverride } from "oxlint";
import { globSync, readFileSync } from "node:fs";
import { basename, join, matchesGlob } from "node:path";

/** Restricts imports from other workspaces. If several fences match a file, the last one applies. */
type Fence = {
  files: string;
  /** Workspaces, their folders (`proto/http`), or top folders by relative path (`../web`). `!` excludes a folder. */
  mayImport: readonly string[];
  /** Regular expression of other forbidden imports. oxlint silently ignores one with lookaround. */
  never?: string;
  because: string;
};

const oneOf = (names: readonly string[]) => `{${names.join(",")}}`;
const transport = "koa|@koa/|@nats-io/";

const every = oneOf([...serviceNames, "discovery"]);
const withVerbs = oneOf([...serviceNames.filter((name) => name !== "gateway"), "discovery"]);
const ofServices = ["proto", "kit", "domain"];
const ofTools = ["proto", "kit", "domain", "embedded", "agent", ...serviceNames];

const ofWeb = ["proto/http", "proto/samples", "import"];
const webLayers = ["lib", "ui", "charts", "app", "entities", "lists", "features"];
const webFence = (files: string, never: string): Fence => ({
  files: `web/src/${files}`,
  mayImport: ofWeb,
  never,
  because: "The web app knows the public JSON, and lib ← ui ← charts, app ← entities ← lists ← features.",
});
const webLayer = (folder: string, lower: readonly string[], files = `${folder}/**`): Fence => {
  const others = webLayers.filter((layer) => layer !== folder && !lower.includes(layer));
  return webFence(files, `^(?:\\.\\./)+(${others.join("|")})/`);
};

/** Every workspace needs a fence. Later fences override it for some folders. Test files are exempt. */
const fences: readonly Fence[] = [
  { files: "proto/**", mayImport: [], because: "proto imports no other package." },
  { files: "agent/**", mayImport: ["proto"], because: "The agent imports proto only." },
  { files: "cli/**", mayImport: ["proto/http", "import"], because: "The command knows the public JSON." },
  {
    files: "packages/embedded/**",
    mayImport: ["proto", "kit"],
    because: "Embedded servers import proto and kit only.",
  },
  { files: "packages/import/**", mayImport: ["proto/http"], because: "Readers of imported files import proto only." },
  { files: "docs/**", mayImport: [], because: "The documentation imports no package." },

  {
    files: "services/kit/**",
    mayImport: ["proto"],
    because: "kit imports proto only: proto ← kit ← domain ← services.",
  },
  {
    files: "services/domain/**",
    mayImport: ["proto", "kit"],
    never: `^(${transport})`,
    because: "domain imports proto and kit only: proto ← kit ← domain ← services.",
  },
  {
    files: `services/${every}/**`,
    mayImport: ofServices,
    because: "Services never import each other; they meet on the bus. Embedded servers are for npm start and tests.",
  },
  {
    files: `services/${withVerbs}/src/*/**`,
    mayImport: ofServices,
    never: `^(${transport}|knex|pg$)`,
    because: "Verbs know no transport and no database: main → endpoints → verbs → store → kit.",
  },
  {
    files: `services/${withVerbs}/src/**/*store.ts`,
    mayImport: ofServices,
    never: `^(${transport})`,
    because: "A store holds SQL and knows no transport.",
  },
  {
    files: "services/gateway/**",
    mayImport: [...ofServices, "!kit/postgres", "!kit/partitions", "!domain/incidents", "import"],
    never: "^(knex|pg$|@clickhouse/|chdb)",
    because: "The gateway has no database, and meets other services on the bus.",
  },

  { files: "web/**", mayImport: [...ofWeb, "cli/build", "bundle"], because: "The web app knows the public JSON." },
  webLayer("main", webLayers, "**"),
  webLayer("lib", []),
  webLayer("ui", ["lib"]),
  webLayer("charts", ["lib", "ui"]),
  webLayer("app", ["lib", "ui"]),
  // These load features, but only with import().
  webLayer("app", ["lib", "ui", "features"], "app/{routes,keyboard/keyboard}.tsx"),
  webLayer("entities", ["lib", "ui", "app"]),
  webLayer("entities", ["lib", "ui", "app", "features"], "entities/audit/changes.tsx"),
  webLayer("lists", ["lib", "ui", "app", "entities"]),
  // Features do not import each other. Shared code is in entities, app, lists, ui or lib.
  webFence("features/*/*", "^\\.\\./[^.]"),
  webFence("features/*/*/**", "^\\.\\./\\.\\./[^.]"),

  {
    files: "deploy/local/**",
    mayImport: ["proto", "kit", "embedded", "agent/build", "backup", ...serviceNames],
    because: "npm start runs the services and builds the agent.",
  },
  {
    files: "deploy/backup/**",
    mayImport: ["proto", "kit", "metrics/backup"],
    because: "Backups use the storage code of metrics only.",
  },
  { files: "deploy/bundle/**", mayImport: [], because: "The bundler reads sources of every package and runs none." },
  { files: "deploy/compose/**", mayImport: ["proto", "kit"], because: "Compose imports proto and kit only." },
  { files: "deploy/setup/**", mayImport: ["proto", "kit"], because: "The setup imports proto and kit only." },
  {
    files: "deploy/docker/**",
    mayImport: ["proto", "kit", "bundle", "metrics"],
    because: "Images import the code that builds them only.",
  },
  {
    files: "testing/**",
    mayImport: [...ofTools, "../deploy"],
    because: "Test beds start services and the agent; benchmarks and end-to-end tests use them.",
  },
  {
    files: "bench/**",
    mayImport: [...ofTools, "testing", "../deploy", "../web"],
    because: "Benchmarks measure services and the agent.",
  },
  {
    files: "e2e/**",
    mayImport: [...ofTools, "setup", "testing", "../deploy", "../web"],
    because: "End-to-end tests use services, the agent and the setup.",
  },
];
const ofServiceTests: Fence = {
  files: "services/**/{*.test.ts,*.testing.ts,testing/**}",
  mayImport: ["*", "!local", "!testing"],
  because: "Tests of services start servers with @sonde/embedded.",
};
const tests = ["**/*.{test,nightly}.{ts,tsx}", "**/*.testing.ts", "*/**/testing/**"];

const root = join(import.meta.dirname, "../..");
const { workspaces: globs } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { workspaces: string[] };
const workspaces = globs.flatMap((glob) => globSync(glob, { cwd: root }));
// Other packages also have folders named `testing`.
const topFolders = [...new Set(workspaces.map((path) => path.split("/")[0]!))].filter((name) => name !== "testing");

/** @throws Error if a workspace has no fence */
export function fenceOverrides(paths: readonly string[] = workspaces): OxlintOverride[] {
  const missing = paths.filter((path) => !fences.some(({ files }) => matchesGlob(`${path}/x.ts`, files)));
  if (missing.length > 0)
    throw new Error(`deploy/verify/fences.ts does not define what ${missing.join(", ")} may import`);
  return [
    ...fences.map(override),
    { files: tests, rules: { "no-restricted-imports": "off" } },
    override(ofServiceTests),
  ];
}

function override({ files, mayImport, never, because: message }: Fence): OxlintOverride {
  const closed = topFolders.filter((name) => !mayImport.includes(`../${name}`));
  // Packages next to this one, such as ../../auth/src from services/kit/src.
  const siblings = workspaces
    .filter((path) => path.includes("/"))
    .map((path) => `${basename(path)}/(?:src|migrations)`);
  const patterns = [
    { group: ["@sonde/**", ...mayImport.filter((name) => !name.startsWith("../")).flatMap(gitignored)], message },
    {
      regex: `^(?:\\.\\./)+(?:${[...closed, ...siblings].join("|")})/`,
      message: "Import another package by its name.",
    },
    ...(never === undefined ? [] : [{ regex: never, message }]),
  ];
  return { files: [files], rules: { "no-restricted-imports": ["error", { patterns }] } };
}

/** Returns patterns as in .gitignore: `proto` allows @sonde/proto and everything below it. */
function gitignored(name: string): string[] {
  const [sign, path] = name.startsWith("!") ? ["", name.slice(1)] : ["!", name];
  return [`${sign}@sonde/${path}`, `${sign}@sonde/${path}/**`];
}
