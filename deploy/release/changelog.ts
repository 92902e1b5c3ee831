/** Reads and cuts CHANGELOG.md: a section for each release below `## Unreleased`, the newest first. */
import { StartupError } from "@sonde/kit/service/startup-error";

const maxLines = 40;
const heading = /^## (.+)$/gm;

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
 * Makes the section *Unreleased* that of a version, and leaves an empty one above it.
 * @param date of the release, `2026-11-27`
 * @throws StartupError where the section is not there, is empty, or has more than forty lines
 */
export function cutRelease(text: string, version: string, date: string): string {
  const { before, sections } = sectionsOf(text);
  const [first, ...released] = sections;
  if (first === undefined || !/^Unreleased\b/.test(first.title))
    throw new StartupError("CHANGELOG.md has no section Unreleased at its top.");
  if (first.body === "") throw new StartupError("Unreleased in CHANGELOG.md is empty: there is nothing to release.");
  const lines = first.body.split("\n").filter((line) => line !== "").length;
  if (lines > maxLines)
    throw new StartupError(`Unreleased in CHANGELOG.md has ${lines} lines, and may have ${maxLines}.`);
  const cut = [{ title: "Unreleased", body: "" }, { title: `${version} (${date})`, body: first.body }, ...released];
  return `${[before, ...cut.map(({ title, body }) => `## ${title}\n\n${body}`.trim())].join("\n\n")}\n`;
}

/** What changed in a version. @throws StartupError where it has no section */
export function notesOf(text: string, version: string): string {
  const section = sectionsOf(text).sections.find(({ title }) => title.split(" ")[0] === version);
  if (section === undefined) throw new StartupError(`CHANGELOG.md has no section ${version}.`);
  return `${section.body}\n`;
}
