import { hide } from "@sonde/import/config/read";
import { clipText } from "@sonde/kit/clip";
import { type AppError, toAppError } from "@sonde/kit/errors";
import type { Log } from "@sonde/kit/service/log";
import type { TimerClock } from "@sonde/kit/time/clock";
import { randomUUID } from "node:crypto";
import { type FSWatcher, watch } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { DocumentReader } from "../import/reader.ts";
import type { Services } from "../services.ts";
import { applyDocument } from "./apply.ts";
import { type FolderRead, problemsOf } from "./read-folder.ts";

/** A ConfigMap is swapped by a link, of which not every file system sends a word. */
const pollMs = 30_000;
/** Editors write a file in several steps. */
const settleMs = 500;
/** Services that are not there yet, and gateways that apply the same just now. */
const retryMs = { min: 2_000, max: 30_000 };
/** What was refused may be possible later without another file. */
const refusedMs = 300_000;
const maxEntries = 5_000;
const deepest = 3;
const maxProblemBytes = 500;
/** Of files that cannot be read at all. */
const unnamed = "folder";

type Options = {
  path: string;
  allowDelete: number;
  reader: Pick<DocumentReader, "readFolder">;
  services: Services;
  clock: TimerClock;
  log: Log;
  /** Which part of a second a gateway waits, so that several do not begin at once. */
  random?: () => number;
};

/**
 * Keeps Sonde as the files of a mounted folder say: at the start, and after each change. What is wrong with them is
 * noted beside their source, and what was applied last stays.
 */
export function watchFolder({ path, allowDelete, reader, services, clock, log, random = Math.random }: Options) {
  /** Of the files whose end is known, and what they held. */
  let seen: string | null = null;
  let settled: string | null = null;
  let source: string | null = null;
  let tries = 0;
  let refusedAtMs: number | null = null;
  let lastProblem: string | null = null;
  /** Sources that may have a problem from before. */
  const noted = new Set([unnamed]);
  let isStopped = false;
  let running: Promise<void> | null = null;
  let cancel = () => {};
  let watcher: FSWatcher | null = null;

  const actorOf = (name: string) => ({ id: 0, username: `${name} (folder)`, role: "user" as const });
  const askingAs = (name: string) => ({
    services,
    ask: { call: { requestId: randomUUID(), actor: actorOf(name) } },
  });
  const note = async (name: string, problem: string | null) => {
    await services.monitors.noteSource({ source: name, problem }, askingAs(name).ask);
    if (problem === null) noted.delete(name);
    else noted.add(name);
  };
  const report = async (problems: readonly string[]) => {
    const [first = "", ...more] = problems;
    const problem = clipText(more.length === 0 ? first : `${first} (and ${more.length} more)`, maxProblemBytes);
    const name = source ?? unnamed;
    if (problem !== lastProblem)
      log.warn({ folder: path, source: name, problem }, "the mounted folder was not applied");
    lastProblem = problem;
    await note(name, problem);
    for (const other of noted) if (other !== name) await note(other, null);
  };

  /** @throws AppError where the same may be done a little later */
  async function apply(read: FolderRead): Promise<void> {
    const { document, problems, places, secrets } = read;
    if (document === null) {
      await report(problems);
      return;
    }
    try {
      const by = actorOf(document.source).username;
      const options = { by, language: "en-US" as const };
      const { generation, message } = await applyDocument(
        askingAs(document.source),
        { ...document, allowDelete },
        options,
      );
      log.info(
        { folder: path, source, generation },
        message === "Nothing to apply" ? "nothing to apply" : "folder applied",
      );
    } catch (thrown) {
      const error = toAppError(thrown);
      if (isPassing(error)) throw thrown;
      await report(hide(problemsOf(error, places), secrets));
      refusedAtMs = clock.elapsedMs();
      return;
    }
    for (const name of new Set([...noted, document.source])) await note(name, null);
    [lastProblem, refusedAtMs] = [null, null];
  }

  async function round(): Promise<void> {
    const now = await signatureOf(path);
    const isDue = refusedAtMs !== null && clock.elapsedMs() - refusedAtMs >= refusedMs;
    if (now === seen && !isDue) return;
    const read = await reader.readFolder({ path }).catch(unreadable);
    source = read.source ?? source;
    if (read.hash !== settled || isDue) {
      refusedAtMs = null;
      await apply(read);
    }
    [seen, settled] = [now, read.hash];
  }

  /** Looks once, unless it does so already. Never rejects. */
  function check(): Promise<void> {
    running ??= round()
      .then(
        () => {
          tries = 0;
          plan(pollMs);
        },
        (error: unknown) => {
          if (isStopped) return;
          tries += 1;
          if (tries === 5) log.warn({ folder: path, err: error }, "the mounted folder cannot be applied yet");
          plan(Math.min(retryMs.max, retryMs.min * 2 ** (tries - 1)));
        },
      )
      .finally(() => (running = null));
    return running;
  }
  function plan(delayMs: number) {
    cancel();
    if (isStopped) return;
    openWatcher();
    cancel = clock.setTimeout(() => void check(), delayMs + Math.floor(random() * 1_000));
  }
  /** A folder that is not there yet is found by a later look. */
  function openWatcher() {
    if (watcher !== null) return;
    const close = () => {
      watcher?.close();
      watcher = null;
    };
    try {
      watcher = watch(path, { persistent: false }, () => {
        if (running === null) plan(settleMs);
      }).on("error", close);
    } catch {
      watcher = null;
    }
  }
  plan(0);
  return {
    check,
    stop: async () => {
      isStopped = true;
      cancel();
      watcher?.close();
      await running;
    },
  };
}

/** Whether the same may be done a little later: a service is away, or another gateway was faster. */
const isPassing = ({ code, key }: AppError) =>
  ["unavailable", "internal", "too_many"].includes(code) ||
  (code === "conflict" && key !== "The document conflicts with the current configuration");

/** Files that take too much time or memory. @throws AppError where it was no fault of theirs */
function unreadable(thrown: unknown): FolderRead {
  const error = toAppError(thrown);
  if (isPassing(error)) throw thrown;
  return { hash: error.key, source: null, document: null, problems: [error.message], places: {}, secrets: [] };
}

/** Names, sizes and times of all that is in a folder: whether something changed, without reading it. */
async function signatureOf(path: string): Promise<string> {
  const entries: string[] = [];
  const folders = [{ name: "", levels: 0 }];
  for (const { name: folder, levels } of folders) {
    for (const name of (await readdir(join(path, folder)).catch((): string[] => [])).toSorted()) {
      if (entries.length >= maxEntries) break;
      const below = join(folder, name);
      const about = await stat(join(path, below)).catch(() => null);
      entries.push(`${below}:${about?.ino}:${about?.size}:${about?.mtimeMs}`);
      if (about?.isDirectory() === true && levels < deepest) folders.push({ name: below, levels: levels + 1 });
    }
  }
  return entries.join("\n");
}
