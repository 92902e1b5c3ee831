import { globSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./steps.ts";

/** A file of the repository, as text. */
export type SourceFile = { path: string; text: string };

const madeOrForeign = /(^|\/)(node_modules|dist|gen|golden|schemas?|\.[^/]+)(\/|$)|\.js\.map$/;
const forTests =
  /\.(test|testing|it\.test|nightly)\.tsx?$|(^|\/)testing(\/|\.ts$)|(^|\/)test-[^/]*(\/|\.ts$)|vitest\.config|fixture/;

/**
 * Shipped files: hand-written TypeScript, JavaScript, SQL, protobuf and chart templates that a user runs, builds or
 * installs. Not: tests and their helpers, generated code and renders, the catalogues of words, `testing`, `bench`, `e2e`, what
 * only maintainers run (`deploy/verify`, `web/dev`), documents, styles, and data (JSON, YAML).
 */
export function shippedFiles(folder = root): string[] {
  return handWritten("{services,packages,web,agent,cli,deploy,charts,proto}/**/*", folder).filter(
    (path) =>
      /\.([cm]?[jt]s|tsx|sql|proto|tpl)$/.test(path) &&
      !forTests.test(path) &&
      !/(^|\/)locales\/|^deploy\/verify\/|^web\/dev\//.test(path),
  );
}

/** The files that a glob names, without generated, built, installed and third-party ones. */
export function handWritten(glob: string, folder = root): string[] {
  return globSync(glob, { cwd: folder, exclude: (path) => madeOrForeign.test(path) })
    .filter((path) => !madeOrForeign.test(path) && statSync(join(folder, path)).isFile())
    .toSorted();
}

export function read(paths: readonly string[], folder = root): SourceFile[] {
  return paths.map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }));
}

/** `services/auth`, `web`: where a file counts. */
export function topFolder(path: string): string {
  return path.split("/", /^(?:packages|services)\//.test(path) ? 2 : 1).join("/");
}

/** The number of paths directly in each folder. */
export function filesByFolder(paths: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const path of paths) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return counts;
}
