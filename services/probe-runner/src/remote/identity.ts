import { StartupError } from "@sonde/kit/service/startup-error";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";

const fileName = "sonde-runner.json";
const shape = z.object({ url: z.string(), runnerId: z.int(), key: z.string(), tokenHash: z.string() });

/** `tokenHash` tells whether a new token was set for an already registered runner. */
export type RunnerIdentity = z.infer<typeof shape>;

/** `null` before the first start. @throws StartupError if the file is damaged or cannot be read */
export async function readIdentity(folder: string): Promise<RunnerIdentity | null> {
  const path = join(folder, fileName);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw new StartupError(`${path} cannot be read (${error.code})`, { cause: error });
  });
  if (text === null) return null;
  try {
    return shape.parse(JSON.parse(text));
  } catch (cause) {
    throw new StartupError(`${path} is damaged: delete it and register again with a new token`, { cause });
  }
}

/** @throws StartupError if the folder cannot be written */
export async function keepIdentity(folder: string, identity: RunnerIdentity): Promise<void> {
  const path = join(folder, fileName);
  await replaceFile(folder, path, JSON.stringify(identity));
}

/** Call it before the token is used. @throws StartupError */
export async function checkFolder(folder: string): Promise<void> {
  await replaceFile(folder, join(folder, ".sonde-runner-check"), "");
}

async function replaceFile(folder: string, path: string, text: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(`${path}.new`, text, { mode: 0o600 });
    await rename(`${path}.new`, path);
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    throw new StartupError(`${folder} cannot be written (${code}): set SONDE_RUNNER_DIR to a folder`, { cause });
  }
}
