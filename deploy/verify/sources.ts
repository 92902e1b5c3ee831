import { globSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./steps.ts";

export type SourceFile = { path: string; text: string };

const generatedOrForeign = /(^|\/)(node_modules|dist|gen|golden|schemas?|\.[^/]+)(\/|$)|\.js\.map$/;
const forTests =
  /\.(test|testing|it\.test|nightly)\.tsx?$|(^|\/)testing(\/|\.ts$)|(^|\/)test-[^/]*(\/|\.ts$)|vitest\.config|fixture/;

/**
 * Returns hand-written TypeScript, JavaScript, SQL, protobuf and chart templates that a user runs, builds or installs.
 * Excludes tests and their helpers, generated code and renders, locale catalogues, `testing`, `bench`, `e2e`, maintainer
 * tools (`deploy/verify`, `web/dev`), documents, styles, and data (JSON, YAML).
 */
export function shippedFiles(folder = root): string[] {
  return handWritten("{services,packages,web,agent,cli,deploy,charts,proto}/**/*", folder).filter(
    (path) =>
      /\.([cm]?[jt]s|tsx|sql|proto|tpl)$/.test(path) &&
      !forTests.test(path) &&
      !/(^|\/)locales\/|^deploy\/verify\/|^web\/dev\//.test(path),
  );
}

export function handWritten(glob: string, folder = root): string[] {
  return globSync(glob, { cwd: folder, exclude: (path) => generatedOrForeign.test(path) })
    .filter((path) => !generatedOrForeign.test(path) && statSync(join(folder, path)).isFile())
    .toSorted();
}

export function read(paths: readonly string[], folder = root): SourceFile[] {
  return paths.map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }));
}

/** Returns the folder for statistics, such as `services/auth` or `web`. */
export function topFolder(path: string): string {
  return path.split("/", /^(?:packages|services)\//.test(path) ? 2 : 1).join("/");
}

export function filesByFolder(paths: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const path of paths) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return counts;
}
