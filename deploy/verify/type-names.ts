import { handWritten, read } from "./sources.ts";
import { root } from "./steps.ts";

/** Conventional exports of a service's `config.ts` and `context.ts`. No file imports two of the same name. */
const conventions = new Set(["Config", "Context", "Deps"]);
const declaration = /^export (?:declare )?(?:abstract )?(?:type|interface|class|enum) (\w+)/gm;

/** Returns exported types, interfaces, classes and enums that several files declare, with the files. */
export function declaredTwice(folder = root): Map<string, string[]> {
  const paths = handWritten("{services,proto,agent,deploy,web}/**/*.{ts,tsx}", folder).filter(
    (path) => !/\.(test|nightly)\.tsx?$|\.d\.ts$/.test(path),
  );
  const places = new Map<string, string[]>();
  for (const { path, text } of read(paths, folder))
    for (const name of new Set(exportedTypeNames(text))) places.set(name, [...(places.get(name) ?? []), path]);
  return new Map([...places].filter(([name, files]) => files.length > 1 && !conventions.has(name)));
}

export function findSharedTypeNames(): Promise<string> {
  const errors = [...declaredTwice()].map(([name, files]) => `${name} is exported by ${files.join(", ")}`);
  return Promise.resolve(errors.join("\n"));
}

/** Returns the types that a file declares and exports, without re-exports such as `export type { A } from`. */
export function exportedTypeNames(text: string): string[] {
  return [...text.matchAll(declaration)].map(([, name = ""]) => name);
}
