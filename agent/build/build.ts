/**
 * Builds the agent's executables into agent/dist: `npm run build:agent` for this platform, `npm run build:agent --
 * linux-arm64 win-x64` for others, `-- all` for all. `--no-archive` skips the archives, `--key FILE` selects the key
 * that signs their checksums (agent/signing-key.pem, created if missing), `--into FOLDER` another folder. `npm start`
 * uses `--background`, see background.ts.
 * Needs `xz`, `tar`, `npm` and npm's registry.
 */
import { createPublicKey } from "node:crypto";
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { agentPlatforms } from "@sonde/proto/http/agents/install";
import { finish, goIntoBackground, sendFailure, sendProgress } from "./background.ts";
import { needMemory, needSpace, needTools } from "./needs.ts";
import { buildPlatform } from "./platform.ts";
import { ensureSigningKey, writeSums } from "./sums.ts";

const root = join(import.meta.dirname, "../..");
const { values: options, positionals: named } = parseArgs({
  allowPositionals: true,
  options: {
    into: { type: "string", default: join(root, "agent/dist") },
    key: { type: "string", default: join(root, "agent/signing-key.pem") },
    "no-archive": { type: "boolean", default: false },
    background: { type: "boolean", default: false },
  },
});
const unknown = named.filter((name) => name !== "all" && !agentPlatforms.some((platform) => platform === name));
if (unknown.length > 0)
  throw new Error(`Unknown platform ${unknown.join(", ")}; there are ${agentPlatforms.join(", ")}`);
const own = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
const platforms = agentPlatforms.filter((platform) =>
  (named.length > 0 ? named : [own]).some((name) => name === platform || name === "all"),
);
if (platforms.length === 0)
  throw new Error(`There is no agent for ${own}; name a platform: ${agentPlatforms.join(", ")}`);

const { into: folder, background } = options;
const want = { executable: !background, archive: !options["no-archive"] };
if (background) goIntoBackground();
try {
  await mkdir(folder, { recursive: true });
  await needTools(["npm", "tar", ...(want.archive ? ["xz"] : [])]);
  if (background) {
    needMemory();
    await needSpace(folder);
  }
  for (const platform of platforms) {
    const onProgress = background ? sendProgress : () => {};
    const paths = await buildPlatform({ root, folder, platform, want, quick: background, onProgress });
    for (const path of paths) console.log(`${path} ${((await stat(path)).size / 1024 / 1024).toFixed(1)} MiB`);
  }
  if (want.archive) {
    const key = await ensureSigningKey(options.key);
    await writeSums(folder, key);
    const spki = createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64");
    console.log(`AGENT_DOWNLOAD_KEY=${spki}`);
  }
  if (background) finish();
} catch (error) {
  if (!background) throw error;
  sendFailure(error);
}
