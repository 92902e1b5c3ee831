import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Component } from "./components.ts";

const licenceFile = /^(?:licen[cs]e|notice|copying)(?:[.-].*)?$/i;

/** The licences of all packages in an image, as most of them ask to be handed on. */
export function licenceTexts(components: readonly Component[]): string {
  const parts = components.map(({ name, version, license, folder }) => {
    const title = `${name} ${version}${license === undefined ? "" : ` (${license})`}`;
    const texts = folder === undefined ? [] : licencesIn(folder);
    return [title, "=".repeat(title.length), ...texts].join("\n");
  });
  return `${parts.join("\n\n")}\n`;
}

const licencesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && licenceFile.test(entry.name))
    .map(({ name }) => name)
    .toSorted()
    .map((name) => readFileSync(join(folder, name), "utf8").trim());
