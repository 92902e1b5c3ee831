// `npm run size [-- FOLDER]` prints Sonde's size as defined by `shippedFiles`. FOLDER is another checkout.
import { globSync } from "node:fs";
import { resolve } from "node:path";
import { filesByFolder, handWritten, read, shippedFiles, type SourceFile, topFolder } from "./sources.ts";
import { root } from "./steps.ts";
import { declaredTwice } from "./type-names.ts";

const folder = process.argv[2] ? resolve(process.argv[2]) : root;
const largestFolder = 25;

const shipped = read(shippedFiles(folder), folder);
const linesOf = ({ text }: SourceFile) => text.split("\n").length - 1;
const sum = (files: readonly SourceFile[]) => files.reduce((total, file) => total + linesOf(file), 0);
const print = (label: string, ...figures: (number | string)[]) =>
  console.log(label.padEnd(32), ...figures.map((figure) => figure.toLocaleString("en-US").padStart(9)));

print("shipped", "lines", "files");
for (const [top, files] of Object.entries(Object.groupBy(shipped, ({ path }) => topFolder(path))))
  print(`  ${top}`, sum(files ?? []), files?.length ?? 0);
print("  in total", sum(shipped), shipped.length);

const generated = globSync("proto/gen/**/*.ts", { cwd: folder });
print("generated (proto/gen)", sum(read(generated, folder)), generated.length);

const large = [
  ...filesByFolder(handWritten("{services,packages,web,agent,cli,deploy,charts,proto,testing,bench,e2e}/**/*", folder)),
].filter(([, count]) => count > largestFolder);
print(`folders of more than ${largestFolder} files`, large.length);
for (const [path, count] of large.toSorted(([, a], [, b]) => b - a)) print(`  ${path}`, count);

const twice = declaredTwice(folder);
print("exported type names used twice", twice.size);
for (const [name, places] of [...twice].toSorted(([, a], [, b]) => b.length - a.length))
  console.log(`  ${name} (${places.length}): ${places.join(", ")}`);
