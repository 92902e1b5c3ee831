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

/** Kubernetes replaces a ConfigMap through a symbolic link, which not every file system reports. */
const pollMs = 30_000;
/** Editors write a file in several steps. */
const settleMs = 500;
/** Backoff while services are unavailable, or another gateway applies the same document. */
const retryMs = { min: 2_000, max: 30_000 };
/** A rejected document may become valid without a change of its files. */
const refusedMs = 300_000;
const maxEntries = 5_000;
const maxDepth = 3;
const maxProblemBytes = 500;
/** The source name for files that cannot be read. */
const unnamed = "folder";

type Options = {
  path: string;
  allowDelete: number;
  reader: Pick<DocumentReader, "readFolder">;
  services: Services;
  clock: TimerClock;
  log: Log;
  /** Spreads the polls of several gateways. */
  random?: () => number;
};

/** Problems are recorded with the source; the last applied configuration stays in effect. */
export function watchFolder({ path, allowDelete, reader, services, clock, log, random = Math.random }: Options) {
  /** Signature of the files that were last processed, and the hash of their contents. */
  let seen: string | null = null;
  let settled: string | null = null;
  let source: string | null = null;
  let tries = 0;
  let refusedAtMs: number | null = null;
  let lastProblem: string | null = null;
  const reported = new Set([unnamed]);
  let isStopped = false;
  let running: Promise<void> | null = null;
  let cancel = () => {};
  let watcher: FSWatcher | null = null;

  const actorOf = (name: string) => ({ id: 0, username: `${name} (folder)`, role: "user" as const });
  const contextFor = (name: string) => ({
    services,
    ask: { call: { requestId: randomUUID(), actor: actorOf(name) } },
  });
  const note = async (name: string, problem: string | null) => {
    await services.monitors.noteSource({ source: name, problem }, contextFor(name).ask);
    if (problem === null) reported.delete(name);
    else reported.add(name);
  };
  const report = async (problems: readonly string[]) => {
    const [first = "", ...more] = problems;
    const problem = clipText(more.length === 0 ? first : `${first} (and ${more.length} more)`, maxProblemBytes);
    const name = source ?? unnamed;
    if (problem !== lastProblem) log.warn({ folder: path, source: name, problem }, "configuration folder not applied");
    lastProblem = problem;
    await note(name, problem);
    for (const other of reported) if (other !== name) await note(other, null);
  };

  /** @throws AppError if retrying later may succeed */
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
        contextFor(document.source),
        { ...document, allowDelete },
        options,
      );
      log.info(
        { folder: path, source, generation },
        message === "Nothing to apply" ? "nothing to apply" : "folder applied",
      );
    } catch (thrown) {
      const error = toAppError(thrown);
      if (isTemporary(error)) throw thrown;
      await report(hide(problemsOf(error, places), secrets));
      refusedAtMs = clock.elapsedMs();
      return;
    }
    for (const name of new Set([...reported, document.source])) await note(name, null);
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

  /** Checks the folder once, joining a check that is already running. Never rejects. */
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
          if (tries === 5) log.warn({ folder: path, err: error }, "configuration folder cannot be applied yet");
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

const isTemporary = ({ code, key }: AppError) =>
  ["unavailable", "internal", "too_many"].includes(code) ||
  (code === "conflict" && key !== "The document conflicts with the current configuration");

/** @throws AppError if the files are not the cause */
function unreadable(thrown: unknown): FolderRead {
  const error = toAppError(thrown);
  if (isTemporary(error)) throw thrown;
  return { hash: error.key, source: null, document: null, problems: [error.message], places: {}, secrets: [] };
}

/** Names, sizes and times of all files: detects changes without reading them. */
async function signatureOf(path: string): Promise<string> {
  const entries: string[] = [];
  const folders = [{ name: "", levels: 0 }];
  for (const { name: folder, levels } of folders) {
    for (const name of (await readdir(join(path, folder)).catch((): string[] => [])).toSorted()) {
      if (entries.length >= maxEntries) break;
      const below = join(folder, name);
      const about = await stat(join(path, below)).catch(() => null);
      entries.push(`${below}:${about?.ino}:${about?.size}:${about?.mtimeMs}`);
      if (about?.isDirectory() === true && levels < maxDepth) folders.push({ name: below, levels: levels + 1 });
    }
  }
  return entries.join("\n");
}
