import { importAnswer } from "@sonde/proto/http/import";
import { type FileError, readFiles } from "@sonde/import/read-file";
import { openAsBlob } from "node:fs";
import { access } from "node:fs/promises";
import { basename } from "node:path";
import { addressFrom } from "./address.ts";
import { request } from "./api.ts";
import type { Format } from "./output.ts";
import { Ending, exitCodes, failed, type Terminal } from "./terminal.ts";

const sentences: Record<FileError, string> = {
  unknown: "is not a kuma.db from Uptime Kuma, a Sonde export or a healthchecks.io response",
  broken: "is damaged or being written to",
  noMonitors: "has no monitors",
  tooLarge: "is too large to import (maximum 8 MiB without history)",
};

/** Reads the file locally, including the write-ahead log of a running database. @throws Ending */
export async function importFile(file: string, options: { dryRun?: true; output: Format }, terminal: Terminal) {
  const there = await Promise.all(
    [file, `${file}-wal`].map((path) =>
      access(path).then(
        () => [path],
        () => [],
      ),
    ),
  );
  if (there[0]!.length === 0) throw failed(`${file} does not exist`);
  const files = await Promise.all(there.flat().map(async (path) => new File([await openAsBlob(path)], basename(path))));
  const read = await readFiles(files);
  if ("fault" in read) throw new Ending(exitCodes.invalid, `${file} ${sentences[read.fault]}`);
  const query = options.dryRun === true ? "?dryRun=true" : "";
  const answer = await request(addressFrom(terminal), "POST", `/api/import${query}`, read.content);
  if (!answer.ok) {
    const faults = answer.body.errors?.map((each) => ({ ...each, place: null })) ?? [];
    throw new Ending(exitCodes.error, [{ path: "", message: answer.body.message, place: null }, ...faults]);
  }
  const { will, cannot } = importAnswer.parse(answer.body);
  if (options.output === "json") terminal.out(JSON.stringify({ will, cannot }, undefined, 2));
  else {
    for (const { type, name, detail, notes } of will)
      terminal.out(
        [`+ ${[type, name, detail].filter(Boolean).join(" ")}`, ...notes.map((note) => `    ${note}`)].join("\n"),
      );
    for (const { type, what, why } of cannot) terminal.out(`! ${type} ${what}: ${why}`);
    terminal.out(`${will.length} ${query === "" ? "imported" : "to import"}, ${cannot.length} cannot be imported`);
  }
  return exitCodes.done;
}
