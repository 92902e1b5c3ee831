/** Reads and cuts CHANGELOG.md: a section for each release below `## Unreleased`, the newest first. */
import { StartupError } from "@sonde/kit/service/startup-error";

const maxLines = 40;
const maxWords = 20;
const heading = /^## (.+)$/gm;
const group = /^### (?:Added|Changed|Fixed|Security|Upgrading\b.*)$/;

type Section = { title: string; body: string };

function sectionsOf(text: string): { before: string; sections: Section[] } {
  const found = [...text.matchAll(heading)];
  const sections = found.map(({ 0: line, 1: title = "", index }, at) => ({
    title,
    body: text.slice(index + line.length, found[at + 1]?.index ?? text.length).trim(),
  }));
  return { before: text.slice(0, found[0]?.index ?? text.length).trim(), sections };
}

/**
 * Turns the section *Unreleased* into that of a version, and leaves an empty one above it.
 * @param date of the release, `2026-11-27`
 * @throws StartupError if the section is missing, empty, too long or not grouped entries of one short line
 */
export function cutRelease(text: string, version: string, date: string): string {
  const { before, sections } = sectionsOf(text);
  const [first, ...released] = sections;
  if (first === undefined || !/^Unreleased\b/.test(first.title))
    throw new StartupError("CHANGELOG.md must start with a section Unreleased.");
  if (first.body === "") throw new StartupError("Unreleased in CHANGELOG.md is empty: there is nothing to release.");
  const lines = first.body.split("\n").filter((line) => line !== "");
  if (lines.length > maxLines)
    throw new StartupError(`Unreleased in CHANGELOG.md has ${lines.length} lines; the maximum is ${maxLines}.`);
  refuseMalformed(lines);
  const cut = [{ title: "Unreleased", body: "" }, { title: `${version} (${date})`, body: first.body }, ...released];
  return `${[before, ...cut.map(({ title, body }) => `## ${title}\n\n${body}`.trim())].join("\n\n")}\n`;
}

function refuseMalformed(lines: readonly string[]): void {
  if (!group.test(lines[0] ?? ""))
    throw new StartupError("Entries in CHANGELOG.md need a heading: Added, Changed, Fixed or Security.");
  for (const line of lines) {
    if (group.test(line)) continue;
    if (!line.startsWith("- "))
      throw new StartupError(`This line in CHANGELOG.md is neither an entry nor a group: ${line}`);
    const words = line.slice(2).split(" ").length;
    if (words > maxWords)
      throw new StartupError(`This entry in CHANGELOG.md has ${words} words; the maximum is ${maxWords}: ${line}`);
  }
}

/** Returns what changed in a version. @throws StartupError if it has no section */
export function notesOf(text: string, version: string): string {
  const section = sectionsOf(text).sections.find(({ title }) => title.split(" ")[0] === version);
  if (section === undefined) throw new StartupError(`CHANGELOG.md has no section ${version}.`);
  return `${section.body}\n`;
}
