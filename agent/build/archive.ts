import { type ChildProcess, spawn } from "node:child_process";
import { createReadStream, createWriteStream } from "node:fs";
import { copyFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Zip, ZipDeflate } from "fflate";

export type ArchiveInput = {
  executable: string;
  /** A zip file if it ends with .zip, otherwise a tar.xz. */
  target: string;
  work: string;
  /** Takes seconds instead of minutes of CPU time, for an archive that is a seventh larger. */
  quick: boolean;
  /** From 0 to 1. */
  onProgress: (fraction: number) => void;
};

/** The file in the archive is `sonde-agent` (Windows: `sonde-agent.exe`), owned by root. */
export async function archive({ executable, target, work, quick, onProgress }: ArchiveInput): Promise<void> {
  if (target.endsWith(".zip")) return pipeline(zipped(executable), createWriteStream(target));
  const copy = join(work, "sonde-agent");
  if (copy !== executable) await copyFile(executable, copy);
  const owner = ["--owner=0", "--group=0", "--mode=0755", "--mtime=2020-01-01"];
  const tar = spawn("tar", ["-cf", "-", ...owner, "-C", work, "sonde-agent"], { stdio: ["ignore", "pipe", "pipe"] });
  // One thread regardless of xz's default, because each takes 95 MiB. Level 7 takes twice that and saves 0.5 %.
  const level = quick ? "-0" : "-6e";
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
  const zip = new Zip((error, data) => {
    if (error) throw error;
    ready.push(data);
  });
  const file = new ZipDeflate("sonde-agent.exe");
  // A fixed date makes builds reproducible.
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
  let output = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (output += text));
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`${name} ended with ${String(code)}: ${output.trim()}`);
}
