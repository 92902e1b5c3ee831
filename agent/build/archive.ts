import { type ChildProcess, spawn } from "node:child_process";
import { createReadStream, createWriteStream } from "node:fs";
import { copyFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Zip, ZipDeflate } from "fflate";

export type ArchiveInput = {
  executable: string;
  /** The archive's file: a zip by its extension, else a tar in xz. */
  target: string;
  work: string;
  /** Seconds instead of minutes of a processor, for an archive that is a seventh larger. */
  quick: boolean;
  /** How much of the executable is compressed, from 0 to 1. */
  onProgress: (fraction: number) => void;
};

/** Packs an executable as `sonde-agent` (Windows: `sonde-agent.exe`), owned by root. */
export async function archive({ executable, target, work, quick, onProgress }: ArchiveInput): Promise<void> {
  if (target.endsWith(".zip")) return pipeline(zipped(executable), createWriteStream(target));
  const copy = join(work, "sonde-agent");
  if (copy !== executable) await copyFile(executable, copy);
  const owner = ["--owner=0", "--group=0", "--mode=0755", "--mtime=2020-01-01"];
  const tar = spawn("tar", ["-cf", "-", ...owner, "-C", work, "sonde-agent"], { stdio: ["ignore", "pipe", "pipe"] });
  // One thread, whatever xz's own default is: each takes 95 MiB, of level 7 twice that for a file that is 0.5 % smaller.
  const level = quick ? "-1" : "-6e";
  const xz = spawn("xz", [level, "--threads=1", "--stdout"], { stdio: ["pipe", "pipe", "pipe"] });
  const totalBytes = (await stat(copy)).size;
  let doneBytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      doneBytes += chunk.length;
      onProgress(Math.min(1, doneBytes / totalBytes));
      done(null, chunk);
    },
  });
  await Promise.all([
    succeeded(tar, "tar"),
    succeeded(xz, "xz"),
    pipeline(tar.stdout, count, xz.stdin),
    pipeline(xz.stdout, createWriteStream(target)),
  ]);
  if (copy !== executable) await rm(copy);
}

async function* zipped(executable: string): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = [];
  const zip = new Zip((fault, data) => {
    if (fault) throw fault;
    ready.push(data);
  });
  const file = new ZipDeflate("sonde-agent.exe");
  // A fixed date, so that the same content makes the same bytes.
  file.mtime = new Date(2020, 0, 1);
  zip.add(file);
  for await (const chunk of createReadStream(executable) as AsyncIterable<Buffer>) {
    file.push(chunk);
    yield* ready.splice(0);
  }
  file.push(new Uint8Array(0), true);
  zip.end();
  yield* ready;
}

async function succeeded(child: ChildProcess, name: string): Promise<void> {
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (said += text));
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`${name} ended with ${String(code)}: ${said.trim()}`);
}
