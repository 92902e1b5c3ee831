import { handWritten, read } from "./sources.ts";
import { root } from "./steps.ts";

/** By convention a service's `config.ts` and `context.ts` export these, and no file imports two of them. */
const conventions = new Set(["Config", "Context", "Deps"]);
const declaration = /^export (?:declare )?(?:abstract )?(?:type|interface|class|enum) (\w+)/gm;

/** Every exported type, interface, class or enum whose name another file declares too, with the files. */
export function declaredTwice(folder = root): Map<string, string[]> {
  const paths = handWritten("{services,proto,agent,deploy,web}/**/*.{ts,tsx}", folder).filter(
    (path) => !/\.(test|nightly)\.tsx?$|\.d\.ts$/.test(path),
  );
  const places = new Map<string, string[]>();
  for (const { path, text } of read(paths, folder))
    for (const name of new Set(exportedTypeNames(text))) places.set(name, [...(places.get(name) ?? []), path]);
  return new Map([...places].filter(([name, files]) => files.length > 1 && !conventions.has(name)));
}

/** Names each exported type that several files declare. */
export function findSharedTypeNames(): Promise<string> {
  const faults = [...declaredTwice()].map(([name, files]) => `${name} is exported by ${files.join(", ")}`);
  return Promise.resolve(faults.join("\n"));
}

/** The names that a file declares and exports; `export type { A } from` declares none. */
export function exportedTypeNames(text: string): string[] {
  return [...text.matchAll(declaration)].map(([, name = ""]) => name);
}
