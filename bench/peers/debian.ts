import { execFile } from "node:child_process";
import { access, mkdir, readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "sonde-bench");
const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * Path of a program with the same name as its Debian package: from the PATH, or unpacked into a cache folder, so that
 * nothing is installed and no service starts. @throws Error if the package is not available
 */
export async function debianProgram(name: string): Promise<string> {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    if (folder && (await isThere(join(folder, name)))) return join(folder, name);
  }
  const folder = join(cache, name);
  const program = join(folder, "usr/bin", name);
  if (await isThere(program)) return program;
  await mkdir(folder, { recursive: true });
  const download = () => run("apt-get", ["-qq", "download", name], { cwd: folder });
  try {
    await download().catch(async () => {
      // A fresh machine has no package lists.
      await run("apt-get", ["-qq", "update"]);
      await download();
    });
    const archive = (await readdir(folder)).find((file) => file.endsWith(".deb")) ?? "";
    await run("dpkg", ["-x", archive, "."], { cwd: folder });
  } catch {
    throw new Error(`Install ${name} (Debian: \`sudo apt-get install ${name}\`): it could not be fetched`);
  }
  return program;
}
